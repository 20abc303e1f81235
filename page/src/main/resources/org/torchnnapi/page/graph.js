"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const items = new Map();
  const parents = new Map();
  const all = [];
  // Steps of a profile, and by item those that compute it.
  const stepsOf = new Map();
  data.steps.forEach((step, number) => {
    step.number = number;
    for (const id of step.items) stepsOf.set(id, [...(stepsOf.get(id) || []), step]);
  });
  const profiled = stepsOf.size > 0;
  (function index(item, parent, x, y) {
    const [left, top, width, height] = item.at;
    Object.assign(item, {
      x: x + left,
      y: y + top,
      width,
      height,
      children: item.children || [],
      links: item.links || [],
    });
    items.set(item.id, item);
    parents.set(item.id, parent);
    item.nnapi = item.kind === "nnapi" || (parent !== null && parent.nnapi);
    all.push(item);
    item.children.forEach((child) => index(child, item, item.x, item.y));
    item.usual =
      d3.median(
        item.children.filter((child) => child.kind !== "pin"),
        (child) => child.height,
      ) || 18;
    item.elements =
      d3.sum(item.weights || [], (weight) => weight.elements) + d3.sum(item.children, (child) => child.elements);
    // By step how many of its items are here.
    item.steps = new Map((stepsOf.get(item.id) || []).map((step) => [step, 1]));
    for (const child of item.children)
      child.steps.forEach((count, step) => item.steps.set(step, (item.steps.get(step) || 0) + count));
    // A leaf takes what its step takes, a group its share of the steps that compute it.
    if (profiled) {
      const share = (step, count) =>
        item.children.length === 0 ? step.millis : (step.millis * count) / step.items.length;
      item.millis = d3.sum([...item.steps], ([step, count]) => share(step, count));
    }
    // A group takes what is in it takes.
    if (item.children.length > 0) {
      item.decibels = d3.min(item.children, (child) => child.decibels);
      const times = item.children.filter((child) => child.millis > 0);
      if (times.length > 0 && !profiled) item.millis = d3.sum(times, (child) => child.millis);
      const devices = new Set(
        item.children.flatMap((child) => (child.device ? [child.device] : child.devices ? [...child.devices] : [])),
      );
      item.devices = devices;
    }
  })(data.root, null, 0, 0);

  const holdsNnapi = (item) => item.children.some((child) => child.kind === "nnapi" || holdsNnapi(child));
  const isGroup = (item) => item.kind === "group" || item.kind === "nnapi";
  const element = (name, text, parent) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  };
  // Long names break behind their dots and slashes.
  const breakable = (text, into) => {
    String(text)
      .split(/(?<=[./])(?=[\p{L}_])/u)
      .forEach((part, i) => into.append(...(i > 0 ? [document.createElement("wbr"), part] : [part])));
    return into;
  };
  const milli = (value) => (value >= 1 ? value.toFixed(2) + " ms" : (value * 1000).toFixed(1) + " us");
  document.title = data.title;
  document.getElementById("title").textContent = data.title;

  // Colours.
  // What runs TorchScript has the same colours on every page, and NNAPI's devices have theirs in the order of their names.
  const script = ["program", "operator", "interpreter"];
  const running = new Set(
    all
      .map((item) => item.device)
      .concat(data.steps.map((step) => step.device))
      .filter((device) => device),
  );
  const nnapi = [...running].filter((device) => !script.includes(device)).sort();
  const devices = nnapi.concat(script.filter((device) => running.has(device)));
  const [firstColour, ...colours] = d3.schemeSet2;
  const deviceColour = d3.scaleOrdinal(
    script.concat(nnapi),
    colours.slice(0, 3).concat(firstColour, colours.slice(3), d3.schemeSet3),
  );
  const slowest =
    d3.max(
      all.filter((item) => item.children.length === 0),
      (item) => item.millis,
    ) || 1;
  const timeColour = (value) => d3.interpolateYlOrRd(Math.min(1, Math.sqrt(value / slowest)) * 0.7);
  // Weights that several share count for each.
  const heaviest =
    d3.max(
      all.filter((item) => item.children.length === 0),
      (item) => item.elements,
    ) || 1;
  const weightColour = (count) => d3.interpolatePuBu(0.1 + Math.sqrt(Math.min(1, count / heaviest)) * 0.6);
  const counted = (count) => (count >= 1e6 ? d3.format(".3s")(count) : d3.format(",")(Math.round(count)));
  let mode = "device";
  // From what is noise to what nobody can tell.
  // The ends of the scale are too dark for what is written on them.
  const decibelColour = (value) => d3.interpolateRdYlGn(0.15 + 0.7 * Math.max(0, Math.min(1, value / 80)));
  const compared = all.some((item) => item.decibels !== undefined);
  // The colour of a group all of whose parts run on one device.
  const oneDevice = (item) => (item.devices && item.devices.size === 1 ? deviceColour([...item.devices][0]) : null);
  const colour = (item) => {
    if (mode === "difference")
      return item.decibels === undefined || shown.has(item.id) ? null : decibelColour(item.decibels);
    if (mode === "time")
      return item.millis > 0 && !(isGroup(item) && shown.has(item.id)) ? timeColour(item.millis) : null;
    if (mode === "weights")
      return item.elements > 0 && !(isGroup(item) && shown.has(item.id)) ? weightColour(item.elements) : null;
    if (item.device) return deviceColour(item.device);
    return !shown.has(item.id) ? oneDevice(item) : null;
  };
  const legend = document.getElementById("legend");
  function drawLegend() {
    legend.replaceChildren();
    const entries =
      mode === "difference"
        ? [0, 20, 40, 80].map((value) => [value + (value === 80 ? " dB or more" : " dB"), decibelColour(value)])
        : mode === "device"
          ? devices.map((device) => [device, deviceColour(device)])
          : mode === "weights"
            ? [0.02, 0.25, 1].map((part) => [counted(heaviest * part), weightColour(heaviest * part)])
            : [0.02, 0.25, 1].map((part) => [milli(slowest * part), timeColour(slowest * part)]);
    for (const [name, fill] of entries) element("span", name, legend).style.setProperty("--colour", fill);
    if (mode === "time" && data.timed) element("span", data.timed, legend).className = "faint";
  }

  // The map: groups open as they come near.
  const svg = d3.select("#graph");
  const layer = svg.append("g");
  // Opened groups lie under links, links under everything else.
  const groupLayer = layer.append("g");
  const linkLayer = layer.append("g");
  const itemLayer = layer.append("g");
  let shown = new Set();
  let chosen = data.root;
  let chosenStep = null;
  let view = d3.zoomIdentity;
  let moved = false;
  const zoom = d3
    .zoom()
    .scaleExtent([0.001, 8])
    .on("zoom", (event) => {
      view = event.transform;
      if (event.sourceEvent) moved = true;
      layer.attr("transform", view);
      requestDraw();
    });
  svg.call(zoom).on("dblclick.zoom", null);
  const size = () => svg.node().getBoundingClientRect();
  // A group that fills a good part of the window is opened even where its parts are mere dots: its shape says more than its name.
  const opens = (item, window) =>
    item === data.root ||
    (item.children.length > 0 &&
      item.height * view.k > 110 &&
      item.width * view.k > 60 &&
      (item.usual * view.k > 6 || item.width * view.k * item.height * view.k > window / 4));
  let asked = false;
  function requestDraw() {
    if (!asked) {
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        draw();
      });
    }
  }
  const line = d3.line();
  function visible() {
    const { width, height } = size();
    const [left, top] = view.invert([0, 0]);
    const [right, bottom] = view.invert([width, height]);
    const nodes = [];
    const links = [];
    shown = new Set();
    (function walk(item) {
      if (item.x > right || item.y > bottom || item.x + item.width < left || item.y + item.height < top) return;
      nodes.push(item);
      if (!opens(item, width * height)) return;
      shown.add(item.id);
      for (const [from, to, points] of item.links)
        links.push({ key: item.id + ":" + from + ":" + to, from, to, item, points });
      item.children.forEach(walk);
    })(data.root);
    return { nodes, links };
  }
  // What has a number in a sequence is better known by its class.
  const named = (item) => (/^\d+$/.test(item.label) && item.under ? item.under.replace(/.*\./, "") : item.label);
  function label(item) {
    const length = Math.max(shown.has(item.id) ? item.label.length : named(item).length, 4) * 0.62;
    if (shown.has(item.id)) return Math.min(item.head * 0.85, Math.max(13, 12 / view.k), (item.width - 16) / length);
    return isGroup(item)
      ? Math.min(item.height * 0.35, (item.width * 0.9) / length, Math.max(13, 16 / view.k))
      : item.kind === "pin"
        ? 10
        : 12;
  }
  function draw() {
    const { nodes, links } = visible();
    linkLayer
      .selectAll("path")
      .data(links, (link) => link.key)
      .join("path")
      .attr("class", (link) => "link" + (link.from === chosen.id || link.to === chosen.id ? " chosen" : ""))
      .attr("stroke-width", (link) =>
        link.from === chosen.id || link.to === chosen.id ? 2.5 : links.length > 400 ? 0.6 : 1.2,
      )
      .attr("d", (link) => line(link.points.map(([x, y]) => [link.item.x + x, link.item.y + y])));
    paint(
      groupLayer,
      nodes.filter((item) => shown.has(item.id)),
    );
    paint(
      itemLayer,
      nodes.filter((item) => !shown.has(item.id)),
    );
    itemLayer.attr("data-drawn", nodes.length);
  }
  function paint(into, nodes) {
    const groups = into
      .selectAll("g.item")
      .data(nodes, (item) => item.id)
      .join((enter) => {
        const made = enter
          .append("g")
          .attr("class", "item")
          .attr("transform", (item) => `translate(${item.x},${item.y})`);
        made
          .append("rect")
          .attr("width", (item) => item.width)
          .attr("height", (item) => item.height)
          .attr("rx", (item) => (item.kind === "pin" ? 9 : item.kind === "glue" ? 2 : 6));
        made.append("text");
        made
          .append("title")
          .text((item) =>
            [item.label, item.under, item.device && "on " + item.device, item.millis > 0 && milli(item.millis)]
              .filter((text) => text)
              .join("\n"),
          );
        made
          .on("click", (event, item) => {
            event.stopPropagation();
            choose(item);
          })
          .on("dblclick", (event, item) => {
            event.stopPropagation();
            go(item);
          });
        return made;
      })
      .order();
    groups.classed("chosen", (item) => item === chosen);
    groups.classed("instep", (item) => chosenStep !== null && chosenStep.items.includes(item.id));
    // What NNAPI computes is seen to lie on its device when it is open too.
    const tint = (item) => (mode === "device" && item.nnapi && shown.has(item.id) ? oneDevice(item) : null);
    groups
      .select("rect")
      .style("fill", (item) => colour(item) || tint(item) || (isGroup(item) ? "var(--group)" : "var(--box)"))
      .style("fill-opacity", (item) =>
        tint(item) ? 0.25 : isGroup(item) && colour(item) ? 0.75 : item.kind === "glue" ? 0.6 : 1,
      )
      .style("stroke-dasharray", (item) => (item.kind === "nnapi" ? "6 3" : null));
    groups.select("text").each(function (item) {
      const open = shown.has(item.id);
      const font = label(item);
      const text = d3.select(this);
      text
        .style("display", font * view.k < 4 ? "none" : null)
        .style("font-size", font + "px")
        .attr("class", (open ? "head" : "") + (colour(item) ? " on" : ""))
        .attr("x", open ? Math.min(Math.max(8, 8 / view.k), item.width / 20) : item.width / 2)
        .attr("y", open ? item.head / 2 + 2 : item.height / 2)
        .text(open ? item.label : named(item));
      if (open && item.under && font * (item.label.length + item.under.length + 3) * 0.6 < item.width) {
        text.append("tspan").attr("class", "under").attr("dx", "0.8em").text(item.under);
      }
    });
  }
  function choose(item) {
    chosen = item;
    chosenStep = null;
    facts(item);
    markBars((bar) => item !== data.root && item.steps.has(data.steps[bar.number]));
    requestDraw();
  }
  /** Chooses what a step computes: the innermost group around it, and in it what the step does. */
  function chooseStep(step) {
    const computed = step.items.map((id) => items.get(id));
    if (computed.length > 0) {
      const trails = computed.map((item) => [...trail(item), item]);
      const common = trails[0].filter((item) => trails.every((other) => other.includes(item)));
      go(common[common.length - 1]);
    }
    chosenStep = step;
    markBars((bar) => bar.number === step.number);
    requestDraw();
  }
  let markBars = () => {};
  function transformOf(item) {
    const { width, height } = size();
    const k = Math.min(4, 0.92 * Math.min(width / item.width, height / item.height));
    return d3.zoomIdentity
      .translate(width / 2 - k * (item.x + item.width / 2), height / 2 - k * (item.y + item.height / 2))
      .scale(k);
  }
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  function go(item) {
    moved = true;
    choose(item);
    const near = isGroup(item)
      ? item
      : { x: item.x - item.width * 2, y: item.y - 150, width: item.width * 5, height: item.height + 300 };
    if (still || document.hidden) svg.call(zoom.transform, transformOf(near));
    else svg.transition().duration(350).call(zoom.transform, transformOf(near));
  }

  /** The groups that an item is in, the outermost first. */
  function trail(item) {
    const around = [];
    for (let at = parents.get(item.id); at; at = parents.get(at.id)) around.unshift(at);
    return around;
  }

  // What is known of an item.
  const panel = document.getElementById("facts");
  function facts(item) {
    panel.replaceChildren();
    breakable(item.label, element("h3", undefined, panel));
    if (item.under) breakable(item.under, element("p", undefined, panel)).className = "faint";
    const around = trail(item);
    if (around.length > 0) {
      const path = element("p", "in ", panel);
      around.forEach((at, i) => {
        if (i > 0) path.append(" / ");
        element("button", at.label, path).onclick = () => go(at);
      });
    }
    if (item.millis > 0) {
      element(
        "h2",
        profiled
          ? isGroup(item)
            ? "Time of its steps"
            : "Time of its step"
          : item.nnapi
            ? "Time, estimated"
            : holdsNnapi(item)
              ? "Time: NNAPI operations as estimated, others one by one"
              : "Time, operator by operator",
        panel,
      );
      element("p", milli(item.millis), panel);
    }
    if (item !== data.root && item.steps.size > 0) {
      element("h2", item.steps.size === 1 ? "Step" : "Steps", panel);
      for (const step of d3.sort([...item.steps.keys()], (step) => -step.millis).slice(0, 12)) {
        const line = element("p", undefined, panel);
        element("button", step.number + 1 + " of " + data.steps.length, line).onclick = () => chooseStep(step);
        line.append(" " + milli(step.millis) + ": " + step.name);
        if (step.items.length > 1) line.append(" (" + step.items.length + " items)");
      }
    }
    if (item.elements > 0 && isGroup(item)) {
      element("h2", "Weights", panel);
      element("p", counted(item.elements) + " elements", panel);
    }
    for (const [name, lines] of Object.entries(item.facts || {})) {
      element("h2", name, panel);
      if (lines.length === 1) {
        breakable(lines[0], element("p", undefined, panel));
      } else if (name === "Python") {
        breakable(lines[0], element("p", undefined, panel));
        breakable(lines[1], element("code", undefined, element("p", undefined, panel)));
      } else {
        const list = element("ul", undefined, panel);
        lines.forEach((text) => breakable(text, element("li", undefined, list)));
      }
    }
    for (const weight of item.weights || []) {
      element("h2", "Weight " + weight.name, panel);
      element("p", weight.type, panel);
      if (weight.histogram) {
        element(
          "p",
          `from ${weight.least} to ${weight.most}, mean ${weight.mean}, deviation ${weight.deviation}` +
            (weight.sampled ? `, of ${weight.sampled} samples` : ""),
          panel,
        ).className = "faint";
        histogram(weight);
      }
      if (weight.notFinite) element("p", weight.notFinite + " elements that are not finite", panel);
    }
    if (item === data.root) whole();
  }
  function histogram(weight) {
    const width = 340;
    const height = 60;
    const most = d3.max(weight.histogram);
    const bar = width / weight.histogram.length;
    const chart = d3
      .select(panel)
      .append("svg")
      .attr("class", "bars")
      .attr("width", "100%")
      .attr("viewBox", `0 0 ${width} ${height}`)
      .attr("role", "img")
      .attr("aria-label", "histogram of " + weight.name);
    chart
      .selectAll("rect")
      .data(weight.histogram)
      .join("rect")
      .attr("x", (d, i) => i * bar)
      .attr("width", bar - 1)
      .attr("y", (d) => height - (height * d) / most)
      .attr("height", (d) => (height * d) / most)
      .append("title")
      .text((d) => d);
  }
  function whole() {
    for (const [name, text] of Object.entries(data.notes)) {
      element("h2", name, panel);
      element("p", text, panel);
    }
    for (const [device, kinds] of Object.entries(data.counts)) {
      element("h2", "NNAPI operations on " + device, panel);
      const table = element("table", undefined, panel);
      for (const [kind, count] of Object.entries(kinds).sort((a, b) => b[1] - a[1])) {
        const row = element("tr", undefined, table);
        element("td", kind, row);
        element("td", count, row).className = "number";
      }
    }
    element("h2", "Keys", panel);
    element(
      "p",
      "Arrows move to neighbors, Enter goes into a group, Escape out of it, + and - zoom, 0 shows the whole, / finds, c colors, t light or dark. Groups open as they come near; a double click goes to one.",
      panel,
    );
  }

  // The time line.
  function timeline() {
    if (data.steps.length === 0) return;
    const place = document.getElementById("steps");
    const lanes = [...new Set(data.steps.map((step) => step.device))];
    const width = Math.max(320, document.documentElement.clientWidth - 20);
    const height = 26 * lanes.length + 34;
    let at = 0;
    const bars = data.steps.map((step) => ({ ...step, from: at, to: (at += step.millis) }));
    const x = d3.scaleLinear([0, at || 1], [120, width - 20]);
    const chart = d3
      .select(place)
      .append("svg")
      .attr("width", width)
      .attr("height", height)
      .attr("role", "img")
      .attr("aria-label", "time line of a run");
    const axis = chart
      .append("g")
      .attr("class", "axis")
      .attr("transform", `translate(0,${height - 24})`);
    const inner = chart.append("g");
    chart
      .selectAll("text.lane")
      .data(lanes)
      .join("text")
      .attr("class", "lane")
      .attr("x", 6)
      .attr("y", (d, i) => i * 26 + 20)
      .text((d) => d);
    const drawBars = (scale) => {
      axis.call(
        d3
          .axisBottom(scale)
          .ticks(10)
          .tickFormat((d) => d + " ms"),
      );
      inner
        .selectAll("rect")
        .data(bars)
        .join((enter) => {
          const made = enter.append("rect").on("click", (event, bar) => chooseStep(data.steps[bar.number]));
          made
            .append("title")
            .text(
              (bar) => `${bar.name}\n${milli(bar.millis)}, ${((100 * bar.millis) / at).toFixed(1)}% on ${bar.device}`,
            );
          return made;
        })
        .attr("x", (bar) => Math.max(120, scale(bar.from)))
        .attr("width", (bar) => Math.max(0.5, scale(bar.to) - Math.max(120, scale(bar.from)) - 0.3))
        .attr("y", (bar) => lanes.indexOf(bar.device) * 26 + 6)
        .attr("height", 20)
        .attr("fill", (bar) => deviceColour(bar.device))
        .style("display", (bar) => (scale(bar.to) < 120 ? "none" : null));
    };
    drawBars(x);
    markBars = (isMarked) => inner.selectAll("rect").classed("chosen", isMarked);
    chart.call(
      d3
        .zoom()
        .scaleExtent([1, 1000])
        .translateExtent([
          [0, 0],
          [width, height],
        ])
        .on("zoom", (event) => drawBars(event.transform.rescaleX(x))),
    );
    const details = element("details", undefined, place);
    element("summary", `${bars.length} steps, ${milli(at)} a run; the longest`, details);
    const table = element("table", undefined, details);
    for (const bar of d3.sort(bars, (a, b) => b.millis - a.millis).slice(0, 40)) {
      const row = element("tr", undefined, table);
      element("td", milli(bar.millis), row).className = "number";
      element("td", ((100 * bar.millis) / at).toFixed(1) + "%", row).className = "number";
      element("td", bar.device, row);
      const name = element("td", undefined, row);
      if (bar.items.length === 0) name.textContent = bar.name;
      else element("button", bar.name, name).onclick = () => chooseStep(data.steps[bar.number]);
    }
  }

  // Finding.
  const find = document.getElementById("find");
  const found = document.getElementById("found");
  const words = (item) =>
    (item.words ??= (
      item.label +
      " " +
      (item.under || "") +
      " " +
      Object.values(item.facts || {})
        .flat()
        .join(" ")
    ).toLowerCase());
  function search() {
    const wanted = find.value.trim().toLowerCase();
    const hits = wanted ? all.filter((item) => item.kind !== "pin" && words(item).includes(wanted)) : [];
    found.style.left = find.getBoundingClientRect().left + "px";
    found.style.top = find.getBoundingClientRect().bottom + "px";
    found.replaceChildren(
      ...hits.slice(0, 50).map((item, i) => {
        // A module is known by its path and class, an operation by its name and module.
        const module =
          item.facts && item.facts.Module
            ? item.facts.Module[0]
            : trail(item)
                .slice(1)
                .map((at) => at.label)
                .join(" / ");
        const entry = element("li", isGroup(item) && module ? module : item.label);
        const more = isGroup(item) ? (item.under || "").replace(/.*\./, "") : module;
        if (more) element("span", more, entry).className = "faint";
        entry.setAttribute("role", "option");
        entry.setAttribute("aria-selected", i === 0);
        entry.onclick = () => take(item);
        entry.item = item;
        return entry;
      }),
    );
    const rest =
      wanted && hits.length === 0
        ? "nothing has that in its name, shapes or lines"
        : hits.length > 50
          ? `and ${hits.length - 50} more`
          : "";
    if (rest) element("li", rest, found).className = "rest";
  }
  function take(item) {
    found.replaceChildren();
    svg.node().focus();
    go(item);
  }
  find.addEventListener("input", search);
  find.addEventListener("keydown", (event) => {
    const entries = [...found.querySelectorAll("[role=option]")];
    const at = entries.findIndex((entry) => entry.getAttribute("aria-selected") === "true");
    if (event.key === "Enter" && entries[at]) take(entries[at].item);
    if (event.key === "Escape") {
      found.replaceChildren();
      svg.node().focus();
    }
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && entries.length > 0) {
      event.preventDefault();
      const next = (at + (event.key === "ArrowDown" ? 1 : entries.length - 1)) % entries.length;
      entries.forEach((entry, i) => entry.setAttribute("aria-selected", i === next));
      entries[next].scrollIntoView({ block: "nearest" });
    }
  });

  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest("#found, #find")) found.replaceChildren();
  });

  // Keys.
  function neighbour(key) {
    const parent = parents.get(chosen.id);
    if (!parent) return data.root.children[0];
    const joined = parent.links.flatMap(([from, to]) =>
      key === "ArrowDown" && from === chosen.id
        ? [items.get(to)]
        : key === "ArrowUp" && to === chosen.id
          ? [items.get(from)]
          : [],
    );
    if (joined.length > 0) return joined[0];
    const others = parent.children.filter((item) => item !== chosen);
    const middle = (item) => [item.x + item.width / 2, item.y + item.height / 2];
    const [x, y] = middle(chosen);
    const ahead = {
      ArrowLeft: ([a]) => x - a,
      ArrowRight: ([a]) => a - x,
      ArrowUp: (m) => y - m[1],
      ArrowDown: (m) => m[1] - y,
    }[key];
    return d3.least(
      others.filter((item) => ahead(middle(item)) > 1),
      (item) => Math.hypot(middle(item)[0] - x, middle(item)[1] - y),
    );
  }
  function reveal(item) {
    choose(item);
    const { width, height } = size();
    const [left, top] = view.apply([item.x, item.y]);
    const [right, bottom] = view.apply([item.x + item.width, item.y + item.height]);
    if (left < 0 || top < 0 || right > width || bottom > height)
      svg.call(zoom.translateTo, item.x + item.width / 2, item.y + item.height / 2);
  }
  const cycle = () => {
    const select = document.getElementById("colour");
    select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
    select.dispatchEvent(new Event("change"));
  };
  const turn = () => {
    document.documentElement.dataset.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  };
  const keys = {
    "/": () => find.focus(),
    0: () => go(data.root),
    c: cycle,
    t: turn,
    "+": () => svg.call(zoom.scaleBy, 1.4),
    "=": () => svg.call(zoom.scaleBy, 1.4),
    "-": () => svg.call(zoom.scaleBy, 1 / 1.4),
    Enter: () => go(chosen),
    Escape: () => go(parents.get(chosen.id) || data.root),
  };
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("button, summary") && event.key === "Enter") return;
    if (event.key.startsWith("Arrow")) {
      if (event.target.closest("aside, footer")) return;
      event.preventDefault();
      const next = neighbour(event.key);
      if (next) reveal(next);
    } else if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  document.getElementById("fit").onclick = () => go(data.root);
  document.getElementById("theme").onclick = turn;
  document.getElementById("colour").addEventListener("change", (event) => {
    mode = event.target.value;
    drawLegend();
    requestDraw();
  });
  document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const wished = new URLSearchParams(location.hash.slice(1));
  if (wished.get("theme")) document.documentElement.dataset.theme = wished.get("theme") === "dark" ? "dark" : "light";
  if (compared) element("option", "difference", document.getElementById("colour")).value = "difference";
  if (all.some((item) => item.elements > 0))
    element("option", "weights", document.getElementById("colour")).value = "weights";
  const usual = compared ? "difference" : profiled ? "time" : devices.length > 0 ? "device" : "weights";
  const first = wished.get("colour") || usual;
  if (["device", "time", "difference", "weights"].includes(first))
    document.getElementById("colour").value = mode = first;
  drawLegend();
  timeline();
  const start = all.find((item) => item.label === wished.get("go")) || data.root;
  const begin = () => svg.call(zoom.transform, transformOf(isGroup(start) ? start : parents.get(start.id)));
  new ResizeObserver(() => (moved ? requestDraw() : begin())).observe(svg.node());
  begin();
  choose(start);
  draw();
  document.documentElement.dataset.ready = Math.round(performance.now());
})();
