"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  document.getElementById("title").textContent = data.title;
  document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const turn = () => {
    document.documentElement.dataset.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  };
  document.getElementById("theme").onclick = turn;
  document.addEventListener("keydown", (event) => {
    if (event.key === "t" && !event.ctrlKey && !event.metaKey && !event.altKey) turn();
  });
  const main = document.getElementById("charts");
  const element = (name, text, parent) => {
    const made = document.createElement(name);
    made.textContent = text ?? "";
    parent.append(made);
    return made;
  };
  const colour = d3.scaleOrdinal(
    data.series.map((one) => one.name),
    d3.schemeTableau10,
  );
  const width = 860;
  const height = 300;
  const edge = { left: 70, right: 20, top: 10, bottom: 44 };
  const all = data.series.flatMap((one) => one.micros);
  const high = d3.quantileSorted(d3.sort(all), 0.995) || 1;
  function chart(title, x, y, xLabel, yLabel, lines) {
    element("h2", title, main);
    const svg = d3
      .select(main)
      .append("svg")
      .attr("viewBox", `0 0 ${width} ${height}`)
      .style("max-width", width + "px")
      .style("height", "auto")
      .attr("role", "img")
      .attr("aria-label", title);
    svg
      .append("g")
      .attr("class", "axis")
      .attr("transform", `translate(0,${height - edge.bottom})`)
      .call(d3.axisBottom(x).ticks(8, "~s"));
    svg.append("g").attr("class", "axis").attr("transform", `translate(${edge.left},0)`).call(d3.axisLeft(y).ticks(6));
    svg
      .append("text")
      .attr("class", "lane")
      .attr("x", width / 2)
      .attr("y", height - 8)
      .text(xLabel);
    svg
      .append("text")
      .attr("class", "lane")
      .attr("transform", `translate(14,${height / 2}) rotate(-90)`)
      .text(yLabel);
    for (const [name, points] of lines) {
      svg
        .append("path")
        .attr("fill", "none")
        .attr("stroke", colour(name))
        .attr("stroke-width", 1.6)
        .attr(
          "d",
          d3.line(
            (point) => x(point[0]),
            (point) => y(point[1]),
          )(points),
        )
        .append("title")
        .text(name);
    }
  }
  const table = element("table", "", main);
  const head = element("tr", "", table);
  ["model", "runs", "mean", "least", "median", "90 %", "99 %", "most"].forEach(
    (name, i) => (element("th", name, head).className = i > 0 ? "number" : ""),
  );
  for (const one of data.series) {
    const sorted = d3.sort(one.micros);
    const rank = (part) => sorted[Math.max(1, Math.ceil(part * sorted.length)) - 1];
    const row = element("tr", "", table);
    const name = element("td", "", row);
    name.className = "legend";
    element("span", one.name, name).style.setProperty("--colour", colour(one.name));
    [sorted.length, d3.mean(sorted), rank(0), rank(0.5), rank(0.9), rank(0.99), rank(1)].forEach(
      (value, i) =>
        (element("td", value === undefined ? "" : i === 0 ? value : value.toFixed(1), row).className = "number"),
    );
  }
  element("p", "microseconds a run", main).className = "faint";
  chart(
    "Share of the runs that took at most so long",
    d3
      .scaleLog([d3.min(all) || 1, Math.max(high, (d3.min(all) || 1) * 1.1)], [edge.left, width - edge.right])
      .clamp(true),
    d3.scaleLinear([0, 1], [height - edge.bottom, edge.top]),
    "microseconds",
    "share",
    data.series.map((one) => [one.name, d3.sort(one.micros).map((value, i) => [value, (i + 1) / one.micros.length])]),
  );
  chart(
    "Runs in their order",
    d3.scaleLinear([0, d3.max(data.series, (one) => one.micros.length - 1) || 1], [edge.left, width - edge.right]),
    d3.scaleLinear([0, high], [height - edge.bottom, edge.top]).clamp(true),
    "run",
    "microseconds",
    data.series.map((one) => [one.name, one.micros.map((value, i) => [i, value])]),
  );
  for (const [name, text] of Object.entries(data.notes)) {
    element("h2", name, main);
    element("p", text, main);
  }
  document.documentElement.dataset.ready = Math.round(performance.now());
})();
