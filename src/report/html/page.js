// Draws the figures of the page with Observable Plot, at the width there is, and again when it
// changes. What they show stands in the element "figures" as JSON.
(() => {
  "use strict";
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const colour = (number) => `var(--s${number % 6})`;
  const narrow = (width) => width < 560;

  // Values with their intervals, one row each. The axis begins at zero, so that lengths compare.
  function bars({axis, bars: rows}, width) {
    const short = narrow(width);
    return Plot.plot({
      width,
      height: 46 * rows.length + 60,
      marginLeft: short ? 8 : 230,
      marginRight: 40,
      x: {label: axis, zero: true, grid: true, nice: true},
      y: {label: null, domain: rows.map((row) => row.label), axis: short ? null : "left", padding: short ? 0.55 : 0.4},
      marks: [
        Plot.barX(rows, {x: "value", y: "label", fill: "var(--s0)", fillOpacity: 0.55}),
        Plot.ruleY(rows, {x1: "low", x2: "high", y: "label", stroke: "var(--ink)", strokeWidth: 2,
          marker: "tick"}),
        short ? Plot.text(rows, {x: 0, y: "label", text: "label", textAnchor: "start", dy: -17, dx: 2,
          fill: "var(--ink)"}) : null,
        Plot.tip(rows, Plot.pointerY({x: "value", y: "label", fill: "var(--ground)",
          title: (row) => `${row.label}\n${row.value.toFixed(2)} (${row.low.toFixed(2)} to ${row.high.toFixed(2)})`})),
      ],
    });
  }

  // Lifetimes as fields, accesses as marks where they were issued, those that race with a band as
  // far as they may run. Time goes to the right, bytes go up.
  function memory({places, lifetimes, accesses}, width) {
    const short = narrow(width);
    const line = short ? 14 : 17;
    const shown = accesses.map((one) => one.place);
    const from = Math.max(-0.5, Math.min(...shown) - 1.5);
    const to = Math.min(places.length - 0.5, Math.max(...shown) + 1.5);
    const clip = (one) => ({...one, from: Math.max(from, one.from), to: Math.min(to, one.to)});
    const marks = accesses.flatMap((one) => one.spans.map((span) => clip({...one, ...span})));
    const racing = marks.filter((one) => one.racing);
    const bytes = d3.max([...lifetimes, ...marks], (one) => one.end);
    const half = 0.3;
    const all = to - from < 40;
    const ticks = d3.range(Math.ceil(from), Math.floor(to) + 1)
      .filter((place) => all || shown.includes(place));
    const doing = (one) => `${one.label} ${one.writes ? "writes" : "reads"}`;
    return Plot.plot({
      width,
      height: 330 + line * accesses.length,
      marginLeft: 48,
      marginTop: 16 + line * accesses.length,
      marginBottom: 96,
      x: {domain: [from, to], label: null, ticks, tickFormat: (place) => places[place],
        tickRotate: -50},
      y: {domain: [0, bytes], label: "bytes", labelAnchor: "center", ticks: 5},
      marks: [
        Plot.rect(lifetimes.map(clip), {x1: "from", x2: "to", y1: "begin", y2: "end", inset: 1,
          fill: "var(--soft)", fillOpacity: 0.15, stroke: "var(--soft)", rx: 3}),
        Plot.rect(racing, {x1: "from", x2: "to", y1: "begin", y2: "end", insetTop: 2,
          insetBottom: 2, fill: (one) => colour(one.colour), fillOpacity: 0.4}),
        Plot.rect(marks, {x1: (one) => one.place - half, x2: (one) => one.place + half,
          y1: "begin", y2: "end", insetTop: 2, insetBottom: 2, fill: (one) => colour(one.colour),
          stroke: (one) => (one.racing ? "var(--alarm)" : "none"), strokeWidth: 2.5,
          title: (one) => `${doing(one)} [${one.begin}, ${one.end}), stream ${one.stream}`}),
        Plot.text(lifetimes.map(clip), {x: "from", y: "begin", text: "name", textAnchor: "start",
          lineAnchor: "bottom", dx: 6, dy: -6, fill: "var(--ink)", stroke: "var(--ground)",
          strokeWidth: 5, fontWeight: "bold", fontSize: 13}),
        accesses.map((one, row) => Plot.text([one], {x: "place", frameAnchor: "top",
          lineAnchor: "bottom", dy: -6 - line * (accesses.length - 1 - row), text: doing,
          textAnchor: one.place > (from + to) / 2 ? "end" : "start", fill: colour(one.colour),
          fontWeight: one.racing ? "bold" : "normal", fontSize: short ? 10.5 : 12})),
      ],
    });
  }

  function draw(element) {
    const figure = figures[Number(element.dataset.figure)];
    const width = Math.max(300, Math.floor(element.clientWidth));
    element.replaceChildren((figure.kind === "bars" ? bars : memory)(figure, width));
  }

  const elements = document.querySelectorAll(".plot");
  const seen = new ResizeObserver((entries) => entries.forEach((entry) => {
    const width = Math.floor(entry.contentRect.width);
    if (entry.target.dataset.width === String(width)) return;
    entry.target.dataset.width = String(width);
    draw(entry.target);
  }));
  elements.forEach((element) => seen.observe(element));
  document.querySelectorAll("details").forEach((element) => { element.open = false; });
})();
