// Sliders over a grid of plans. The page has all points; a widget asks its kernel for those that it lacks.
// A model is what anywidget gives: get, set, save_changes, on. `grid` and `points` are euclio/what-if-sweep/1;
// where `live` is set, `asked` = {place, id} goes to the kernel and `answer` = {place, points} comes back.
const WAIT_MS = 150;
const SVG = "http://www.w3.org/2000/svg";
const SPACE = { left: 56, right: 14, top: 12, bottom: 44, height: 300 };
const LOG_FROM = 20;
let made = 0;

// Texts go in as text, never as markup: names come from files of others.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function drawn(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

const short = (number, digits = 4) => String(Number(Number(number).toPrecision(digits)));
const hasPlan = (entry) => entry !== undefined && entry.cost !== undefined;
const isProven = (entry) => entry.status === "optimal" || entry.status === "infeasible";

// A change as a share; of nothing there is none.
function changeOf(from, to) {
  if (!(from > 0)) return to > 0 ? "more than nothing" : "no change";
  const share = 100 * (to / from - 1);
  if (Math.abs(share) < 0.05) return "no change";
  return `${share > 0 ? "+" : "\u2212"}${Math.abs(share).toFixed(1)}\u00a0%`;
}

function render({ model, el }) {
  const grid = model.get("grid");
  const live = Boolean(model.get("live"));
  const points = { ...model.get("points") };
  const name = `what-if-${made += 1}`;
  const money = grid.currency ? ` ${grid.currency}` : "";
  const charged = grid.chargings.map((way) => (way.whole ? `machines charged ${way.name}` : `charged by ${way.name}`));
  let place = grid.axes.map((axis) => axis.start);
  let moved = 0;
  let timer = 0;
  let waitsFor = "";

  const at = (where) => points[where.join(",")];
  const beside = (axis, step) => place.map((k, i) => (i === axis ? k + step : k));
  // A price is per hour, in the session's currency.
  const unitOf = (axis) => (axis.unit === "per hour" ? `${money} per hour`.trim() : axis.unit);
  const valueText = (axis, k) => {
    const text = axis.texts[k];
    return axis.values[k] === null || !axis.unit ? text : `${text} ${unitOf(axis)}`;
  };

  // The parts of the page; what stands in them is renewed by `show`.
  const sliders = grid.axes.map((axis, i) => {
    const id = `${name}-axis-${i}`;
    const input = make("input", { type: "range", id, min: 0, max: axis.values.length - 1, step: 1, autocomplete: "off" });
    input.value = String(axis.start);
    const shown = make("span", { class: "value" });
    input.addEventListener("input", () => moveTo(i, Number(input.value)));
    const ends = make("small", { class: "ends", "aria-hidden": "true" }, make("span", {}, axis.texts[0]),
      make("span", {}, axis.texts.at(-1)));
    return { input, shown, box: make("div", { class: "axis" }, make("label", { for: id }, axis.label), shown, input, ends) };
  });
  const back = make("button", { type: "button" }, "back to the file\u2019s values");
  back.addEventListener("click", () => { place = grid.axes.map((axis) => axis.start); show(); });
  const status = make("p", { class: "status", role: "status", "aria-live": "polite" });
  const costs = make("div", { class: "keys" });
  const machines = make("div", { class: "machines" });
  const limits = make("div", { class: "limits" });
  const steps = make("div", { class: "steps" });
  const choice = make("select", { id: `${name}-against`, autocomplete: "off" },
    ...grid.axes.map((axis, i) => make("option", { value: i }, axis.label)));
  choice.addEventListener("change", () => { moved = Number(choice.value); show(); });
  const curve = make("div", { class: "curve" });
  const legend = make("p", { class: "legend" });
  el.classList.add("what-if");
  // JupyterLab takes keys for its own shortcuts, but from what has this mark.
  for (const control of [...sliders.map((one) => one.input), back, choice])
    control.setAttribute("data-lm-suppress-shortcuts", "true");
  el.replaceChildren(
    make("div", { class: "axes", role: "group", "aria-label": "what is changed" }, ...sliders.map((one) => one.box)),
    ...(grid.axes.length ? [back] : []), status, costs,
    ...(grid.axes.length ? [make("h3", {}, make("label", { for: choice.id }, `Cost per hour${money && ` (${grid.currency})`} against `), choice), curve,
      legend] : []),
    make("h3", {}, "Machines by type"), machines,
    make("h3", {}, "What limits"), limits, steps,
  );

  function moveTo(axis, k) {
    place[axis] = Math.min(Math.max(k, 0), grid.axes[axis].values.length - 1);
    moved = axis;
    show();
  }

  function show() {
    sliders.forEach(({ input, shown }, i) => {
      const text = valueText(grid.axes[i], place[i]);
      input.value = String(place[i]);
      input.setAttribute("aria-valuetext", text);
      shown.textContent = text;
    });
    choice.value = String(moved);
    const found = at(place);
    el.toggleAttribute("data-waits", found === undefined);
    if (found === undefined) {
      status.textContent = "solving \u2026";
    } else {
      status.textContent = grid.chargings.map((_, w) => sentence(found[w], w)).join("; ");
      costs.replaceChildren(...found.flatMap((entry, w) => keyNumber(entry, w)));
      machines.replaceChildren(...machineRows(found));
      limits.replaceChildren(...found.map((entry, w) => limitCard(entry, w)));
    }
    steps.replaceChildren(...(grid.axes.length ? [stepTable(found)] : []));
    if (grid.axes.length) drawCurve();
    if (live) wantSoon();
  }

  function sentence(entry, w) {
    if (!hasPlan(entry)) return `${charged[w]}: ${entry.proof}`;
    return `${charged[w]}: ${entry.cost}${money} per hour, ${entry.proof}`;
  }

  function keyNumber(entry, w) {
    const proof = make("em", { class: `label tone-${isProven(entry) ? (hasPlan(entry) ? "good" : "bad") : "open"}` },
      entry.proof);
    const parts = hasPlan(entry)
      ? [make("b", {}, entry.cost + money), make("span", {}, `per hour, ${charged[w]}`), proof]
      : [make("b", {}, "no plan"), make("span", {}, charged[w]), proof];
    if (hasPlan(entry) && !isProven(entry) && entry.bound_per_h !== null)
      parts.push(make("small", {}, `no plan costs less than ${short(entry.bound_per_h)}${money}`));
    if (hasPlan(entry) && !grid.chargings[w].whole)
      parts.push(make("small", {}, entry.rounded_up_per_h === null ? "the stock does not let it be bought rounded up"
        : `bought as it is, rounded up to machines: ${short(entry.rounded_up_per_h)}${money}`));
    return [make("div", { class: "key" }, ...parts)];
  }

  // Bars keep their scale while one slider moves: that of the most machines of a type along the curve.
  function machineRows(found) {
    const used = new Set();
    for (const entries of Object.values(points)) for (const entry of entries) if (hasPlan(entry))
      entry.machines.forEach((n, h) => { if (n > 0) used.add(h); });
    const most = Math.max(0, ...[found, ...curveLine()].flatMap((entries) => entries ?? []).filter(hasPlan)
      .flatMap((entry) => entry.machines));
    return [...used].sort((a, b) => a - b).map((h) => make("div", { class: "type" }, make("span", {}, grid.hardware[h]),
      make("div", {}, ...found.map((entry, w) => {
        const n = hasPlan(entry) ? entry.machines[h] : 0;
        const bar = make("i", { class: `way-${w}`, "aria-hidden": "true" });
        bar.style.width = `${most > 0 ? (100 * n) / most : 0}%`;
        const text = hasPlan(entry) ? `${short(n)} ${grid.chargings[w].name}` : `no plan ${grid.chargings[w].name}`;
        return make("div", { class: "bar" }, make("span", { class: "track" }, bar), make("span", {}, text));
      }))));
  }

  function limitCard(entry, w) {
    if (!hasPlan(entry)) return make("div", { class: "key" }, make("span", {}, charged[w]), make("p", {}, entry.reason));
    const rows = entry.uses.map(([limit, share, words]) => {
      const bar = make("meter", { min: 0, max: 1, value: share, "aria-label": `${limit}, ${charged[w]}` },
        `${short(100 * share, 3)} %`);
      return make("div", { class: "use" }, make("span", {}, limit), bar, make("span", {}, `${short(100 * share, 3)} %`),
        make("small", {}, words));
    });
    return make("div", { class: "key" }, make("span", {}, charged[w]), ...rows, make("p", {}, verdict(w)));
  }

  // Which limit, made one point looser, lowers the cost most: the solver has said so, nothing is inferred from shares.
  function verdict(w) {
    const here = at(place)[w];
    const looser = grid.axes.map((axis, i) => [axis, i])
      .filter(([axis, i]) => axis.limits && place[i] + 1 < axis.values.length);
    const known = looser.filter(([, i]) => at(beside(i, 1)) !== undefined);
    if (!looser.length) return "No looser limit is among the points.";
    if (known.length < looser.length) return "Which limit costs most: looser points are being solved \u2026";
    const cheaper = known.map(([axis, i]) => [axis, i, at(beside(i, 1))[w]])
      .filter(([, , entry]) => hasPlan(entry) && entry.cost_per_h < here.cost_per_h * (1 - 5e-4));
    if (!cheaper.length) return `${joined(looser.map(([axis]) => axis.label))} one point looser: not cheaper.`;
    const [axis, i, best] = cheaper.sort((a, b) => a[2].cost_per_h - b[2].cost_per_h)[0];
    return `${axis.label} limits most: with ${valueText(axis, place[i] + 1)} the cost changes by ${
      changeOf(here.cost_per_h, best.cost_per_h)}.`;
  }

  function joined(texts) {
    return texts.length > 1 ? `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}` : texts[0];
  }

  // What one point further on each axis does to the cost.
  function stepTable(found) {
    const head = make("tr", {}, make("th", { scope: "col" }, "one point further"), make("th", { scope: "col" }, "down"),
      make("th", { scope: "col" }, "up"));
    const rows = grid.axes.map((axis, i) => make("tr", {}, make("th", { scope: "row" }, axis.label),
      ...[-1, 1].map((step) => make("td", {}, ...stepCell(found, axis, i, step)))));
    return make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
  }

  function stepCell(found, axis, i, step) {
    const k = place[i] + step;
    if (k < 0 || k >= axis.values.length) return ["\u2013"];
    const other = at(beside(i, step));
    const lines = other === undefined || found === undefined ? ["\u2026"] : grid.chargings.map((way, w) => {
      const [from, to] = [found[w], other[w]];
      if (!hasPlan(to)) return `${way.name}: ${to.status === "infeasible" ? "no plan" : to.proof}`;
      return `${way.name}: ${hasPlan(from) ? changeOf(from.cost_per_h, to.cost_per_h) : `${to.cost}${money}`}`;
    });
    return [make("span", {}, valueText(axis, k)), ...lines.map((line) => make("small", {}, line))];
  }

  // The points along the axis that was moved last; undefined where one is not known.
  function curveLine() {
    return (grid.axes[moved]?.values ?? []).map((_, k) => at(place.map((own, i) => (i === moved ? k : own))));
  }

  function drawCurve() {
    const axis = grid.axes[moved];
    const line = curveLine();
    const width = Math.max(curve.clientWidth || 640, 260);
    const x = acrossOf(axis, width);
    const known = line.flatMap((entries) => (entries ?? []).filter(hasPlan));
    const top = Math.max(...known.map((entry) => entry.cost_per_h), 1e-9) * 1.12;
    const bottom = SPACE.height - SPACE.bottom;
    const y = (cost) => bottom - (cost / top) * (bottom - SPACE.top);
    const svg = drawn("svg", { viewBox: `0 0 ${width} ${SPACE.height}`, role: "img",
      "aria-label": `cost per hour against ${axis.label}, with the other values as they are set` });
    svg.append(...axesOf(axis, width, bottom, x, y, top));
    svg.append(drawn("line", { class: "here", x1: x(place[moved]), x2: x(place[moved]), y1: SPACE.top, y2: bottom }));
    grid.chargings.forEach((_, w) => svg.append(...curveOf(line, w, x, y, bottom)));
    curve.replaceChildren(svg);
    legend.replaceChildren(...grid.chargings.map((_, w) => make("span", { class: `way-${w}` }, charged[w])),
      make("span", { class: "none" }, "\u00d7 no plan"), ...(known.some((entry) => !isProven(entry))
        ? [make("span", { class: "gap" }, "hollow, with a line down to the bound: not proven cheapest")] : []),
      make("span", { class: "ring" }, "ring: where the slider stands"));
  }

  // Values by size, in their logarithms where they are far apart; what has no limit stands last, apart.
  function acrossOf(axis, width) {
    const numbers = axis.values.filter((value) => value !== null).map(Number);
    const log = numbers[0] > 0 && numbers.at(-1) > LOG_FROM * numbers[0];
    const scaled = (value) => (log ? Math.log(value) : value);
    const low = scaled(numbers[0]);
    const range = scaled(numbers.at(-1)) - low;
    const open = axis.values.at(-1) === null;
    const right = width - SPACE.right - 12;
    const end = open ? right - Math.max(56, (right - SPACE.left) / axis.values.length) : right;
    return (k) => (axis.values[k] === null ? right
      : SPACE.left + 12 + (range > 0 ? ((scaled(Number(axis.values[k])) - low) / range) * (end - SPACE.left - 12) : 0));
  }

  function axesOf(axis, width, bottom, x, y, top) {
    const parts = [];
    const step = [1, 2, 2.5, 5, 10].map((f) => f * 10 ** Math.floor(Math.log10(top / 4))).find((s) => top / s <= 5);
    for (let cost = 0; cost <= top; cost += step) {
      parts.push(drawn("line", { class: "grid", x1: SPACE.left, x2: width - SPACE.right, y1: y(cost), y2: y(cost) }));
      parts.push(drawn("text", { x: SPACE.left - 6, y: y(cost) + 4, "text-anchor": "end" }, short(cost, 3)));
    }
    let last = -Infinity;
    // The own value of the slider is always written; others where there is room.
    const room = (k) => 7 * axis.texts[k].length + 10;
    axis.values.forEach((_, k) => {
      const own = x(place[moved]);
      const near = k !== place[moved] && Math.abs(x(k) - own) < (room(k) + room(place[moved])) / 2;
      if (near || (k !== place[moved] && x(k) - room(k) / 2 < last)) return;
      const anchor = x(k) + room(k) / 2 > width ? "end" : "middle";
      last = x(k) + room(k) / 2;
      parts.push(drawn("text", { x: anchor === "end" ? width - 2 : x(k), y: bottom + 17, "text-anchor": anchor },
        axis.texts[k]));
    });
    const unit = axis.unit ? ` (${unitOf(axis)})` : "";
    parts.push(drawn("text", { class: "title", x: (SPACE.left + width - SPACE.right) / 2, y: SPACE.height - 6,
      "text-anchor": "middle" }, axis.label + unit));
    const middle = (SPACE.top + bottom) / 2;
    parts.push(drawn("text", { class: "title", x: 12, y: middle, "text-anchor": "middle",
      transform: `rotate(-90 12 ${middle})` }, `cost per hour${money && ` (${grid.currency})`}`));
    return parts;
  }

  function curveOf(line, w, x, y, bottom) {
    const parts = [];
    let before;
    line.forEach((entries, k) => {
      if (entries === undefined) return;
      const entry = entries[w];
      const here = k === place[moved];
      if (!hasPlan(entry)) {
        const [cx, cy] = [x(k) + 5 * (w - (grid.chargings.length - 1) / 2) * 2, bottom - 7];
        parts.push(drawn("path", { class: `none way-${w}`,
          d: `M${cx - 4} ${cy - 4}L${cx + 4} ${cy + 4}M${cx - 4} ${cy + 4}L${cx + 4} ${cy - 4}` }));
        before = undefined;
        return;
      }
      const spot = [x(k), y(entry.cost_per_h)];
      if (before) parts.unshift(drawn("path", { class: `line way-${w}`, d: `M${before.join(" ")}L${spot.join(" ")}` }));
      if (!isProven(entry) && entry.bound_per_h !== null)
        parts.push(drawn("path", { class: `bound way-${w}`, d: `M${spot.join(" ")}V${y(entry.bound_per_h)}` }));
      const dot = drawn("circle", { class: `dot way-${w}${isProven(entry) ? "" : " open"}`, cx: spot[0], cy: spot[1], r: 4 });
      dot.append(drawn("title", {}, `${valueText(grid.axes[moved], k)}: ${sentence(entry, w)}`));
      const axis = moved;
      dot.addEventListener("click", () => moveTo(axis, k));
      parts.push(dot);
      if (here) parts.push(drawn("circle", { class: `ring way-${w}`, cx: spot[0], cy: spot[1], r: 8 }));
      before = spot;
    });
    return parts;
  }

  // Asks for one place at a time, the own one first, then its neighbours and the curve, near ones first.
  function wantSoon() {
    clearTimeout(timer);
    timer = setTimeout(want, WAIT_MS);
  }

  function nextWanted() {
    const along = (axis) => grid.axes[axis].values.map((_, k) => k).sort((a, b) =>
      Math.abs(a - place[axis]) - Math.abs(b - place[axis])).map((k) => place.map((own, i) => (i === axis ? k : own)));
    const near = grid.axes.flatMap((axis, i) => [1, -1].filter((step) => place[i] + step >= 0
      && place[i] + step < axis.values.length).map((step) => beside(i, step)));
    return [place, ...near, ...(grid.axes.length ? along(moved) : [])].find((where) => at(where) === undefined);
  }

  function want() {
    const wanted = nextWanted();
    if (wanted === undefined || waitsFor) return;
    waitsFor = wanted.join(",");
    model.set("asked", { place: [...wanted], id: made += 1 });
    model.save_changes();
  }

  function take() {
    const answer = model.get("answer");
    if (!answer || !answer.points) return;
    waitsFor = "";
    points[answer.place.join(",")] = answer.points;
    show();
    clearTimeout(timer);
    want();
  }

  if (live) model.on("change:answer", take);
  const watch = new ResizeObserver(() => { if (grid.axes.length) drawCurve(); });
  watch.observe(curve);
  show();
  return () => { watch.disconnect(); clearTimeout(timer); if (live) model.off("change:answer", take); };
}

export default { render };
