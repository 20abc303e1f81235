"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const root = document.documentElement;
  const element = (name, text, parent, className) => {
    const made = document.createElement(name);
    if (text !== undefined && text !== null) made.textContent = text;
    if (className) made.className = className;
    if (parent) parent.append(made);
    return made;
  };
  const bytes = (count) =>
    count < 1024
      ? count + " bytes"
      : count < 1 << 20
        ? (count / 1024).toFixed(0) + " KiB"
        : count < 2 ** 30
          ? (count / (1 << 20)).toFixed(1) + " MiB"
          : (count / 2 ** 30).toFixed(1) + " GiB";
  const seconds = (millis) => (millis < 1000 ? millis + " ms" : (millis / 1000).toFixed(1) + " s");
  const number = (value) => (Number.isInteger(value) ? String(value) : Number(value.toPrecision(6)).toString());

  root.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  at("theme").onclick = () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    show();
  };
  at("upload-limit").textContent = bytes(data.uploadBytes);

  // What the server knows, as it was told last.
  let state = { models: [], inputs: [], calibration: [] };
  let chosen = null;
  let shown = null;
  const jobs = new Map();
  const thumbnails = new Map();

  const alert = (text) => {
    at("alert").textContent = text || "";
  };
  async function ask(method, address, content) {
    const answer = await fetch(address, { method, body: content === undefined ? undefined : JSON.stringify(content) });
    const value = await answer.json();
    if (!answer.ok) throw new Error(value.error);
    return value;
  }
  /** Does what may be refused, and shows why it was. */
  async function attempt(work) {
    try {
      alert();
      return await work();
    } catch (error) {
      alert(
        error instanceof TypeError
          ? "server: it does not answer (expected: torch-nnapi serve, which may have ended)"
          : error.message,
      );
      return undefined;
    }
  }
  /** Announces a file first: one that is refused then need not be sent. */
  async function send(place, file, told) {
    const address = place + encodeURIComponent(file.name);
    await ask("POST", address, { bytes: file.size });
    return new Promise((done, failed) => {
      const request = new XMLHttpRequest();
      request.open("PUT", address);
      request.upload.onprogress = (event) => told(event.loaded, event.total);
      request.onload = () => {
        const value = JSON.parse(request.responseText);
        if (request.status < 300) done(value);
        else failed(new Error(value.error));
      };
      request.onerror = () => failed(new TypeError());
      request.send(file);
    });
  }

  // Models.
  const model = (id) => state.models.find((one) => one.id === id);
  async function refresh() {
    state = await ask("GET", "state");
    drawState();
  }
  function choose(id) {
    chosen = id;
    drawState();
  }
  function drawState() {
    if (!model(chosen)) chosen = state.models.length > 0 ? state.models[state.models.length - 1].id : null;
    const list = at("models");
    list.replaceChildren();
    for (const one of state.models) {
      const item = element("li", undefined, list, one.id === chosen ? "chosen" : "");
      const name = element("button", one.name, item, "name");
      name.type = "button";
      name.setAttribute("aria-pressed", one.id === chosen);
      name.onclick = () => choose(one.id);
      element("span", bytes(one.bytes) + (did[one.origin] ? ", " + did[one.origin].toLowerCase() : ""), item, "hint");
      download(item, "models/" + one.id, one.name, "Save").className = "quiet";
      const remove = element("button", "Remove", item, "quiet");
      remove.type = "button";
      remove.setAttribute("aria-label", "Remove " + one.name);
      remove.onclick = () =>
        attempt(async () => {
          state = await ask("DELETE", "models/" + one.id);
          drawState();
        });
    }
    const second = at("second");
    const before = second.value;
    second.replaceChildren();
    for (const one of state.models.filter((other) => other.id !== chosen))
      element("option", one.name, second).value = one.id;
    if ([...second.options].some((option) => option.value === before)) second.value = before;
    drawFiles("inputs");
    drawFiles("calibration");
    for (const button of document.querySelectorAll(".go"))
      button.disabled =
        chosen === null || (button.form.parentElement.id === "panel-diff" && second.options.length === 0);
  }
  function download(parent, address, name, text) {
    const link = element("a", text, parent);
    link.href = address;
    link.download = name;
    link.setAttribute("aria-label", text + " " + name);
    return link;
  }
  function drawFiles(kind) {
    const place = at(kind + "-kept");
    place.replaceChildren();
    const names = state[kind];
    for (const name of names.slice(0, 24)) {
      const thumbnail = thumbnails.get(kind + "/" + name);
      if (thumbnail) {
        const picture = element("img", undefined, place);
        picture.src = thumbnail;
        picture.alt = picture.title = name;
      } else {
        element("span", name, place, "chip");
      }
    }
    if (names.length > 24) element("span", `and ${names.length - 24} more`, place);
    if (names.length > 0) {
      const clear = element("button", "Clear", place, "quiet");
      clear.type = "button";
      clear.onclick = () =>
        attempt(async () => {
          state = await ask("DELETE", "files/" + kind);
          drawState();
        });
    }
  }

  // Dropping.
  function takes(input, work) {
    const zone = input.closest(".drop");
    const hint = zone.querySelector("strong");
    const usual = hint.textContent;
    const take = (files) =>
      attempt(async () => {
        try {
          for (const file of files) {
            await work(file, (loaded, total) => {
              hint.textContent = `${file.name}: ${Math.round((100 * loaded) / (total || 1))} %`;
            });
          }
        } finally {
          hint.textContent = usual;
          input.value = "";
        }
      });
    input.onchange = () => take([...input.files]);
    zone.addEventListener("dragover", (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      zone.classList.remove("over");
      take([...event.dataTransfer.files]);
    });
  }
  async function takeModel(file, told) {
    const kept = await send("models/", file, told);
    await refresh();
    choose(kept.id);
    await begin({ action: "inspect", model: kept.id, options: {} });
  }
  takes(at("model-files"), takeModel);
  for (const kind of ["inputs", "calibration"]) {
    takes(at(kind === "inputs" ? "input-files" : "calibration-files"), async (file, told) => {
      state = await send(`files/${kind}/`, file, told);
      if (file.type.startsWith("image/")) thumbnails.set(kind + "/" + state.received, URL.createObjectURL(file));
      drawState();
    });
  }
  // A file that misses its place does not take the page's.
  for (const event of ["dragover", "drop"]) addEventListener(event, (moved) => moved.preventDefault());

  // Forms.
  function field(parent, one) {
    const id = "field-" + parent.closest("[id]").id + one.name;
    if (one.kind === "flag") {
      const label = element("label", undefined, parent, "flag");
      const input = element("input", undefined, label);
      input.type = "checkbox";
      input.dataset.option = one.name;
      const text = element("span", undefined, label);
      element("strong", one.label, text);
      element("span", one.hint, text, "hint");
      return;
    }
    const place = element("div", undefined, parent, "field");
    const title = element("span", undefined, place);
    element("label", one.label, title).htmlFor = id;
    const input = element(one.kind === "choice" ? "select" : "input", undefined, place);
    input.id = id;
    input.dataset.option = one.name;
    if (one.kind === "choice") {
      if (!one.value) element("option", "not said", input).value = "";
      one.choices.forEach((choice) => {
        element("option", choice, input).value = choice;
      });
    } else if (one.kind === "number") {
      input.inputMode = "decimal";
    }
    input.value = one.value;
    input.setAttribute("aria-describedby", id + "-hint");
    element("span", one.hint, place, "hint").id = id + "-hint";
  }
  function fields(id, all, first) {
    const place = at(id);
    all.slice(0, first).forEach((one) => field(place, one));
    if (all.length > first) {
      const more = document.createElement("details");
      element("summary", "More options", more);
      place.after(more);
      const inner = element("div", undefined, more, "fields");
      inner.id = id + "-more";
      all.slice(first).forEach((one) => field(inner, one));
    }
  }
  fields("profile-fields", data.forms.profile, 2);
  fields("run-fields", data.forms.run, 1);
  fields("convert-fields", data.forms.convert, 2);
  fields("quantize-fields", data.forms.quantize, 2);
  fields("optimize-fields", data.forms.optimize, 2);
  fields("save-fields", data.forms.save, 2);
  fields("diff-fields", data.forms.diff, 1);
  fields("picture-fields", data.forms.pictures, data.forms.pictures.length);
  document.querySelector("#run-fields [data-option='--top']").value = 5;
  const given = (place) => {
    const values = {};
    for (const input of place.querySelectorAll("[data-option]"))
      values[input.dataset.option] = input.type === "checkbox" ? (input.checked ? "true" : "") : input.value;
    return values;
  };
  const picked = (name) => document.querySelector(`input[name=${name}]:checked`).value;
  const drawInputs = () =>
    document.querySelectorAll("[data-inputs]").forEach((place) => {
      place.hidden = place.dataset.inputs !== picked("inputs");
    });
  document.querySelectorAll("input[name=inputs]").forEach((input) => {
    input.onchange = drawInputs;
  });
  const drawSee = () => {
    at("profile-fields").hidden = picked("see") !== "profile";
  };
  document.querySelectorAll("input[name=see]").forEach((input) => {
    input.onchange = drawSee;
  });
  drawInputs();
  drawSee();

  // Tabs, as the ARIA practices have them.
  const tabs = [...document.querySelectorAll("[role=tab]")];
  function tab(selected, focus) {
    for (const one of tabs) {
      one.setAttribute("aria-selected", one === selected);
      one.tabIndex = one === selected ? 0 : -1;
      at(one.getAttribute("aria-controls")).hidden = one !== selected;
    }
    if (focus) selected.focus();
  }
  tabs.forEach((one, i) => {
    one.onclick = () => tab(one);
    one.onkeydown = (event) => {
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      tab(tabs[to % tabs.length], true);
    };
  });
  document.querySelectorAll("form").forEach((form) =>
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const place = form.parentElement.id.slice("panel-".length);
      const action = place === "see" ? picked("see") : place;
      attempt(() =>
        begin({
          action,
          model: chosen,
          second: Number(at("second").value),
          options: {
            ...given(at("picture-fields")),
            ...(action === "inspect" || action === "explain" ? {} : given(form)),
          },
          inputs: { kind: picked("inputs"), text: at("typed").value },
          calibration: at("calibration-own").checked ? "own" : "files",
          form: at(action + "-form")?.value,
        }),
      );
    }),
  );

  // Jobs.
  async function begin(asked) {
    const job = await ask("POST", "jobs", asked);
    jobs.set(job.id, job);
    shown = job.id;
    show();
    follow(job.id);
  }
  const isOver = (job) => !["waiting", "running"].includes(job.state);
  async function follow(id) {
    while (!isOver(jobs.get(id))) {
      await new Promise((done) => setTimeout(done, 200));
      const job = await attempt(() => ask("GET", "jobs/" + id));
      if (job === undefined) return;
      jobs.set(id, job);
      if (shown === id || isOver(job)) show();
    }
    await attempt(refresh);
  }
  const doing = {
    inspect: "Looking into",
    explain: "Explaining",
    profile: "Measuring",
    run: "Running",
    convert: "Converting",
    quantize: "Quantizing",
    optimize: "Optimizing",
    save: "Saving",
    diff: "Comparing",
  };
  const did = {
    inspect: "What is in",
    explain: "Where each operation runs of",
    profile: "What takes how long in",
    run: "Answer of",
    convert: "Converted",
    quantize: "Quantized",
    optimize: "Optimized",
    save: "Saved",
    diff: "Compared",
  };
  const failed = {
    inspect: "Not read:",
    explain: "Not explained:",
    profile: "Not measured:",
    run: "Not run:",
    convert: "Not converted:",
    quantize: "Not quantized:",
    optimize: "Not optimized:",
    save: "Not saved:",
    diff: "Not compared:",
  };
  const title = (job) =>
    (!isOver(job)
      ? doing[job.action]
      : job.state === "done"
        ? did[job.action]
        : job.state === "failed"
          ? failed[job.action]
          : "Cancelled:") +
    " " +
    job.models.join(" and ");
  function drawJobs() {
    const place = at("jobs");
    place.hidden = jobs.size < 2;
    place.replaceChildren();
    for (const job of [...jobs.values()].slice(-12)) {
      const button = element("button", undefined, place);
      button.type = "button";
      const mark = element("span", undefined, button, "mark " + job.state);
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", job.state);
      button.append(`${job.action} ${job.models.join(", ")}`);
      button.setAttribute("aria-current", job.id === shown);
      button.onclick = () => {
        shown = job.id;
        show();
      };
    }
  }
  let drawn = "";
  function show() {
    drawJobs();
    const place = at("outcome");
    const job = jobs.get(shown);
    place.setAttribute("aria-busy", job !== undefined && !isOver(job));
    if (!job) {
      start(place);
      return;
    }
    // What is over stays as it is: a graph keeps its place.
    const key = isOver(job) ? `${job.id} ${root.dataset.theme}` : "";
    if (key && key === drawn) return;
    drawn = key;
    place.replaceChildren();
    const card = element("article", undefined, place, "card");
    card.dataset.state = job.state;
    card.dataset.job = job.id;
    const headline = element("div", undefined, card, "headline");
    element("h2", title(job), headline);
    element("span", job.state === "waiting" ? "waits for its turn" : seconds(job.millis), headline, "faint");
    if (!isOver(job)) progress(card, headline, job);
    else if (job.state === "done") outcome(card, job);
    else if (job.state === "failed") refused(card, job);
    if (job.command) command(card, job);
  }
  function start(place) {
    const card = element("article", undefined, place, "card start");
    element("h2", "How it goes", card);
    const list = element("ol", undefined, card);
    for (const line of [
      "Drop a model: TorchScript (.pt, .ptl), or a .pt2 of torch.export.",
      "Say what it is run on: pictures, arrays or numbers, unless the file bundles inputs.",
      "See it, run it, convert it to NNAPI, quantize it, write it for another PyTorch, compare two of them.",
      "Save what came out. It all goes when the server ends.",
    ])
      element("li", line, list);
  }
  function progress(card, headline, job) {
    const cancel = element("button", job.cancelling ? "Ending ..." : "Cancel", headline);
    cancel.type = "button";
    cancel.disabled = job.cancelling;
    cancel.onclick = () =>
      attempt(async () => {
        jobs.set(job.id, await ask("DELETE", "jobs/" + job.id));
        show();
      });
    const bar = element("progress", undefined, card);
    bar.setAttribute("aria-label", title(job));
    if (job.total > 0) {
      bar.max = job.total;
      bar.value = job.done;
    }
    element("p", job.label ? job.label + (job.total > 0 ? ` ${job.done} of ${job.total}` : "") : "", card, "hint");
  }
  function said(card, job, open) {
    if (!job.text.trim()) return;
    const details = element("details", undefined, card);
    details.open = open;
    element("summary", "What the command says", details);
    element("pre", job.text, details);
  }
  function command(card, job) {
    const line = element("p", undefined, card, "command");
    element("code", job.command, line);
    const copy = element("button", "Copy", line, "quiet");
    copy.type = "button";
    copy.setAttribute("aria-label", "Copy the command");
    copy.onclick = async () => {
      await navigator.clipboard.writeText(job.command);
      copy.textContent = "Copied";
    };
  }
  function refused(card, job) {
    const refusals = (job.report && job.report.refusals) || [];
    if (refusals.length === 0) {
      element("pre", job.text.trim() || "no reason was given", card, "wrap failed-text");
      return;
    }
    const rules = new Map();
    for (const one of refusals)
      rules.set(`${one.node} ${one.rule}`, [...(rules.get(`${one.node} ${one.rule}`) || []), one]);
    for (const [first, ...others] of rules.values()) {
      const place = element("div", undefined, card, "refusal");
      element("p", undefined, place).append(
        element("strong", first.rule),
        `: ${first.found} (expected: ${first.expected})`,
      );
      if (first.advice) element("p", first.advice, place);
      const where = first.file
        ? `${first.file}:${first.line}`
        : first.archiveFile
          ? `${first.archiveFile}:${first.archiveLine}`
          : "";
      element(
        "p",
        [first.node, where, others.length > 0 ? `and ${others.length} more such` : ""]
          .filter((text) => text)
          .join(", "),
        place,
        "hint",
      );
    }
    said(card, job, false);
  }
  function outcome(card, job) {
    made(card, job);
    if (job.action === "run" && job.report) pictures(card, job.report);
    else if (job.action === "convert" && job.report) converted(card, job.report);
    else if (job.action === "quantize" && job.report) quantized(card, job.report);
    else if (job.action === "optimize" && job.report) optimized(card, job.report);
    else if (job.action === "diff" && job.report) compared(card, job.report);
    const plain = job.action === "run" && !job.report;
    if (plain) element("pre", job.text, card, "wrap");
    if (job.page) page(card, job);
    if (!plain) said(card, job, false);
  }
  function made(card, job) {
    if (job.files.length === 0) return;
    const list = element("ul", undefined, card, "made");
    for (const file of job.files) {
      const item = element("li", undefined, list);
      element("strong", file.name, item);
      element("span", bytes(file.bytes), item, "faint");
      if (file.model !== null) {
        const use = element("button", "Use it", item);
        use.type = "button";
        use.setAttribute("aria-label", "Use it: " + file.name);
        use.onclick = () => choose(file.model);
      }
      download(
        item,
        file.model !== null ? "models/" + file.model : `jobs/${job.id}/${encodeURIComponent(file.name)}`,
        file.name,
        "Save",
      ).className = "button";
    }
  }
  function facts(card, all) {
    const place = element("div", undefined, card, "facts");
    for (const [name, value] of all) {
      if (value === null || value === undefined) continue;
      const fact = element("div", undefined, place);
      element("b", value, fact);
      element("span", name, fact);
    }
  }
  function notes(card, all) {
    const list = element("ul", undefined, card);
    all.forEach((note) => element("li", note, list));
    if (all.length === 0) list.remove();
  }
  /** @param numbers from which column on there are numbers */
  function rows(card, header, all, numbers) {
    const place = element("div", undefined, card, "scroll");
    place.tabIndex = 0;
    place.setAttribute("role", "region");
    place.setAttribute("aria-label", header[0]);
    const table = element("table", undefined, place);
    const head = element("tr", undefined, table);
    header.forEach((name, i) => {
      element("th", name, head, i >= numbers ? "number" : "").scope = "col";
    });
    for (const cells of all) {
      const row = element("tr", undefined, table, cells.past ? "past" : "");
      cells.forEach((cell, i) => element("td", cell, row, i >= numbers ? "number" : ""));
    }
  }
  function converted(card, report) {
    const coverage = report.coverage;
    facts(card, [
      ["NNAPI operations", Object.values(report.operations).reduce((sum, count) => sum + count, 0)],
      ["of the operators", `${coverage.operators} of ${coverage.allOperators}`],
      ["of weights", bytes(report.weightBytes)],
      ["is needed", `${report.featureLevel}, API ${report.apiLevel}`],
    ]);
    notes(card, report.notes);
    element("h3", "Operations", card);
    rows(card, ["Operation", "Number"], Object.entries(report.operations), 1);
  }
  function quantized(card, report) {
    facts(card, [
      ["inputs observed", report.calibrationInputs],
      [
        "signal to noise of the outputs",
        typeof report.outputDecibels === "number" ? report.outputDecibels.toFixed(1) + " dB" : null,
      ],
      ["rows with the same class", report.rows ? `${report.sameClass} of ${report.rows}` : null],
      ["layers kept float", report.keptFloat ? Object.keys(report.keptFloat).length : null],
    ]);
    notes(card, report.notes);
  }
  function optimized(card, report) {
    facts(card, [
      ["operators, before " + report.nodesBefore, report.nodesAfter],
      ["batch normalizations folded", report.batchNormsFolded],
      ["convolutions packed", report.convolutionsPacked],
      ["linear layers packed", report.linearsPacked],
    ]);
    notes(card, report.notes);
  }
  const decibels = (value) => (typeof value === "number" ? value.toFixed(1) : "-");
  function compared(card, report) {
    const all = report.layers.concat(report.results);
    facts(card, [
      ["layers in common", report.layers.length],
      ["bound", report.bound + " dB"],
      ["first layer past it", report.firstPastBound || "none"],
    ]);
    rows(
      card,
      ["Layer", "Other", "S/N in dB", "Largest"],
      all.map((layer) =>
        Object.assign(
          [
            layer.name,
            layer.second === layer.first ? "" : layer.second,
            layer.decibels === null ? "equal" : decibels(layer.decibels),
            layer.largest === null ? "-" : number(layer.largest),
          ],
          { past: layer.decibels !== null && layer.decibels < report.bound },
        ),
      ),
      2,
    );
  }
  function pictures(card, report) {
    if (report.accuracy !== undefined) facts(card, [["right", (100 * report.accuracy).toFixed(2) + " %"]]);
    const place = element("div", undefined, card, "pictures");
    for (const picture of report.pictures) {
      const item = element("div", undefined, place, "picture");
      const thumbnail = thumbnails.get("inputs/" + picture.picture);
      if (thumbnail) {
        const image = element("img", undefined, item);
        image.src = thumbnail;
        image.alt = "";
      }
      element("h3", picture.picture, item);
      const best = picture.best.length > 0 ? picture.best[0].score : 1;
      for (const one of picture.best) {
        const score = element("div", undefined, item, "score");
        element("span", one.label ? `${one.label} (${one.class})` : `class ${one.class}`, score);
        element("span", number(one.score), score, "faint");
        element("i", undefined, score).style.setProperty(
          "--part",
          Math.max(0, Math.min(1, best > 0 ? one.score / best : 0)),
        );
      }
    }
    for (const line of report.unreadable) element("p", "left out: " + line, card, "failed-text");
  }
  function page(card, job) {
    const address = `jobs/${job.id}/page.html#theme=${root.dataset.theme}`;
    const link = element("a", "Open it in a tab of its own", element("p", undefined, card));
    link.href = address;
    link.target = "_blank";
    link.rel = "noopener";
    const frame = element("iframe", undefined, card);
    frame.title = title(job);
    frame.setAttribute("sandbox", "allow-scripts");
    frame.src = address;
  }

  at("end").onclick = () => {
    if (confirm("End the server? Models and what came out of them are removed.")) {
      attempt(async () => {
        await ask("POST", "end", {});
        document.querySelector("main").replaceChildren(element("p", "The server has ended; this page can be closed."));
      });
    }
  };
  show();
  attempt(async () => {
    await refresh();
    for (const id of state.jobs) {
      jobs.set(id, await ask("GET", "jobs/" + id));
      shown = id;
      follow(id);
    }
    if (jobs.size > 0) show();
    else if (chosen !== null) await begin({ action: "inspect", model: chosen, options: {} });
    root.dataset.ready = Math.round(performance.now());
  });
})();
