/* Raw samples of one benchmark on one box, in the order of the run: a shape and a colour for each column, full where judged, hollow
   where not, as a warm-up is, and crossed too where discarded. Where the raw samples are not inside, the value of each boot. */

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = 8;
const CROSS = "M-4-4L4 4M4-4L-4 4";
const HEIGHT = 340, LEFT = 78, RIGHT = 14, TOP = 12, BOTTOM = 24;
const plot = { box: 0, benchmark: 0, metric: 0, hidden: new Set(), points: [], at: -1, cell: null };
const $ = (id) => document.getElementById(`plot-${id}`);

function drawn(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/* ---- what is shown: boots in their order, and points, each with its boot and the words that tell it ---- */

function fromData(data) {
  const { boots, samples, cells } = data;
  const own = boots.position.map((_, boot) => boot).filter((boot) => boots.box[boot] === plot.box && !boots.profiled[boot]);
  own.sort((one, other) => boots.position[one] - boots.position[other] || boots.attempt[one] - boots.attempt[other]);
  const ranks = new Map(own.map((boot, rank) => [boot, rank]));
  const { unit, number } = view.words[plot.box];
  const words = (boot) => `${view.variants[boots.variant[boot]].name}, ${unit} ${boots.position[boot]}, ${number} ${boots.seed[boot]}, attempt ${boots.attempt[boot]}`;
  const points = [];
  samples.boot.forEach((boot, row) => {
    if (samples.benchmark[row] !== plot.benchmark || samples.metric[row] !== plot.metric || !ranks.has(boot)) return;
    const reason = samples.discarded[row] === null ? "" : data.discards[samples.discarded[row]];
    const kind = samples.judged[row] ? "judged" : reason ? "discarded" : "hollow";
    const why = kind === "judged" ? "" : `; not judged: ${reason || (samples.warmup[row] ? "warm-up" : "cut, or not of a whole benchmark")}`;
    points.push({ rank: ranks.get(boot), variant: boots.variant[boot], value: samples.value[row], kind,
      words: `${words(boot)}, iteration ${samples.iteration[row]}`, why });
  });
  const failures = [];
  const bad = new Map();
  cells.boot.forEach((boot, row) => {
    if (cells.benchmark[row] === plot.benchmark && cells.state[row] !== "ok") bad.set(boot, `${cells.state[row]} ${cells.reason[row]}`);
  });
  for (const boot of own) {
    const ended = boots.outcome[boot] === "done" ? bad.get(boot) : `${boots.outcome[boot]} ${boots.reason[boot]}`;
    if (ended) failures.push({ rank: ranks.get(boot), variant: boots.variant[boot], words: words(boot), why: `: ${ended}` });
  }
  return { count: own.length, points, failures, axis: `${unit}s in the order in which they ran` };
}

function fromBoots() {
  const columns = view.boots[plot.box][plot.benchmark];
  const { unit, number } = view.words[plot.box];
  const points = columns.flatMap((values, variant) => values.map((value, rank) =>
    ({ rank, variant, value, kind: "judged", words: `${view.variants[variant].name}, value ${rank + 1} of ${values.length}`, why: "" })));
  return { count: Math.max(0, ...columns.map((one) => one.length)), points, failures: [], axis: `${unit}s of each column, by ${number}` };
}

/* ---- scales ---- */

function scaled() {
  const metric = view.benchmarks[plot.benchmark].metrics[plot.metric];
  return plot.metric === 0 ? view.scales[plot.box][plot.benchmark] : { unit: metric.unit, factor: 1 };
}

/* Those of judged values, and of others where that is wanted or where they are near. */
function ends(points) {
  const judged = points.filter((one) => one.kind === "judged").map((one) => one.value);
  const all = points.map((one) => one.value);
  const of = judged.length && !$("all").checked ? judged : all;
  let low = Math.min(...of), high = Math.max(...of);
  const room = high > low ? high - low : Math.abs(high) || 1;
  const near = all.filter((value) => value > low - 2 * room && value < high + 2 * room);
  [low, high] = [Math.min(low, ...near), Math.max(high, ...near)];
  const pad = (high > low ? high - low : room) * 0.06;
  return [low - pad, high + pad];
}

/* The least of 1, 2 and 5 times a power of 10 that leaves room. */
function ticks(low, high, most) {
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found = [];
  for (let count = Math.ceil(low / step); count * step <= high; count++) {
    const value = count * step;
    found.push([value, Math.abs(value) >= 1e7 || decimals > 7 ? value.toExponential(2) : value.toFixed(decimals)]);
  }
  return found;
}

/* ---- the picture ---- */

async function draw() {
  const data = await rawData();
  const shown = data ? fromData(data) : fromBoots();
  const visible = (one) => !plot.hidden.has(one.variant);
  const [points, failures] = [shown.points.filter((one) => visible(one) && one.value !== null), shown.failures.filter(visible)];
  const width = Math.max(300, $("picture").clientWidth);
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": `${view.benchmarks[plot.benchmark].name} on ${view.boxes[plot.box]}` });
  const column = (width - LEFT - RIGHT) / Math.max(1, shown.count);
  const { unit, factor } = scaled();
  plot.points = placed(points, failures, column, points.length ? ends(points) : [0, 1]);
  drawAxes(svg, width, points.length ? ends(points).map((one) => one * factor) : null, shown, column);
  $("axis").textContent = `Up: ${unit}. To the right: ${shown.axis}.`;
  for (const one of plot.points) drawMark(svg, one);
  plot.ring = drawn("circle", { class: "ring", r: 8, visibility: "hidden" });
  svg.append(plot.ring);
  $("picture").replaceChildren(svg);
  plot.at = -1;
  $("point").textContent = points.length || failures.length ? "" : "There are no samples.";
  document.documentElement.dataset.drawn = `${plot.box}/${plot.benchmark}/${plot.metric}`;
}

/* In the order of the run, with their places. Samples of a boot lie side by side; what is beyond an end is at it. */
function placed(points, failures, column, [low, high]) {
  const seen = new Map(), counts = new Map();
  for (const one of points) counts.set(one.rank, (counts.get(one.rank) ?? 0) + 1);
  const height = HEIGHT - TOP - BOTTOM;
  const at = (value) => TOP + height * (1 - (Math.min(high, Math.max(low, value)) - low) / (high - low));
  const made = points.map((one) => {
    const place = seen.get(one.rank) ?? 0;
    seen.set(one.rank, place + 1);
    const x = LEFT + column * (one.rank + 0.1 + 0.8 * (place + 0.5) / counts.get(one.rank));
    return { ...one, x, y: at(one.value), beyond: one.value > high ? 1 : one.value < low ? -1 : 0 };
  });
  const bad = failures.map((one) => ({ ...one, kind: "failed", x: LEFT + column * (one.rank + 0.5), y: HEIGHT - BOTTOM }));
  return [...made, ...bad].sort((one, other) => one.x - other.x);
}

function drawAxes(svg, width, range, shown, column) {
  const bottom = HEIGHT - BOTTOM;
  for (const [value, text] of range ? ticks(...range, 6) : []) {
    const y = TOP + (bottom - TOP) * (1 - (value - range[0]) / (range[1] - range[0]));
    svg.append(drawn("path", { class: "line", d: `M${LEFT} ${y}H${width - RIGHT}` }));
    svg.append(drawn("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, text));
  }
  svg.append(drawn("path", { class: "axis", d: `M${LEFT} ${TOP}V${bottom}H${width - RIGHT}` }));
  const step = Math.max(1, Math.ceil(shown.count / Math.max(1, Math.floor((width - LEFT - RIGHT) / 60))));
  for (let rank = 0; rank < shown.count; rank += step) {
    svg.append(drawn("text", { x: LEFT + column * (rank + 0.5), y: bottom + 16, "text-anchor": "middle", class: "faint" }, rank + 1));
  }
}

/* A mark beyond an end is an arrow to it. */
function drawMark(svg, one) {
  const group = drawn("g", { class: `v${one.variant % COLOURS}`, transform: `translate(${one.x.toFixed(1)} ${one.y.toFixed(1)})` });
  if (one.kind === "failed") group.append(drawn("path", { class: "failed", d: CROSS }), drawn("text", { y: -8, "text-anchor": "middle" }, "failed"));
  else group.append(drawn("path", { class: `mark ${one.kind}`, d: `M0 0${view.variants[one.variant].shape}` }));
  if (one.kind === "discarded") group.append(drawn("path", { class: "mark", d: CROSS }));
  if (one.beyond) group.append(drawn("path", { class: "failed", d: one.beyond > 0 ? "M0 16V7M-3 10L0 7L3 10" : "M0-16V-7M-3-10L0-7L3-10" }));
  svg.append(group);
}

/* ---- one sample ---- */

function showPoint(place) {
  plot.at = clamp(place, plot.points.length);
  const one = plot.points[plot.at];
  if (!one) return;
  plot.ring.setAttribute("cx", one.x);
  plot.ring.setAttribute("cy", one.y);
  plot.ring.setAttribute("visibility", "visible");
  const unit = view.benchmarks[plot.benchmark].metrics[plot.metric].unit;
  $("point").textContent = `${one.words}${one.kind === "failed" ? "" : `: ${one.value} ${unit}`}${one.why}`;
}

function nearest(event) {
  const frame = $("picture").firstChild.getBoundingClientRect();
  const scale = frame.height / HEIGHT;
  const [x, y] = [(event.clientX - frame.left) / scale, (event.clientY - frame.top) / scale];
  let best = -1, least = 40 ** 2;
  plot.points.forEach((one, place) => {
    const far = (one.x - x) ** 2 + (one.y - y) ** 2;
    if (far < least) [best, least] = [place, far];
  });
  return best;
}

function onPlotKey(event) {
  const steps = { ArrowLeft: plot.at - 1, ArrowRight: plot.at + 1, Home: 0, End: plot.points.length - 1 };
  if (!(event.key in steps)) return;
  event.preventDefault();
  showPoint(steps[event.key]);
}

/* ---- what is chosen ---- */

function fill(select, names, chosen) {
  select.replaceChildren(...names.map((name, place) => element("option", name, { value: place })));
  select.value = chosen;
}

function fillColumns() {
  const labels = view.variants.map(({ name, shape }, variant) => {
    const box = element("input", "", { type: "checkbox", value: variant });
    box.checked = !plot.hidden.has(variant);
    const mark = drawn("svg", { viewBox: "-6 -6 12 12", class: `v${variant % COLOURS}`, "aria-hidden": "true" });
    mark.append(drawn("path", { class: "mark judged", d: `M0 0${shape}` }));
    const label = element("label");
    label.append(box, " ", mark, " ", element("bdi", name, { class: "name", title: name }));
    return label;
  });
  $("columns").replaceChildren($("columns").querySelector("legend"), ...labels);
}

/* The samples of both sides of a contrast, with all that is said of it. */
function showSamples(cell, td) {
  Object.assign(plot, { box: cell.box, benchmark: cell.benchmark, metric: 0, cell: td });
  plot.hidden = new Set(view.variants.keys());
  for (const variant of cell.variants) plot.hidden.delete(variant);
  showChoice(factsOf(cell));
  if (!td) return;
  $("back").hidden = false;
  document.getElementById("samples").scrollIntoView();
  $("picture").focus({ preventScroll: true });
}

function showChoice(facts) {
  fill($("box"), view.boxes, plot.box);
  fill($("benchmark"), view.benchmarks.map((one) => one.name), plot.benchmark);
  const metrics = view.benchmarks[plot.benchmark].metrics;
  fill($("metric"), metrics.map((one) => one.name), plot.metric);
  $("metric-label").hidden = metrics.length < 2 || view.boots !== null;
  fillColumns();
  $("facts").replaceChildren(...facts);
  return draw();
}

function onChoice(event) {
  if (event.target.closest("#plot-columns")) {
    const variant = Number(event.target.value);
    if (event.target.checked) plot.hidden.delete(variant);
    else plot.hidden.add(variant);
    draw();
    return;
  }
  const metric = event.target === $("benchmark") ? 0 : Number($("metric").value);
  Object.assign(plot, { box: Number($("box").value), benchmark: Number($("benchmark").value), metric });
  markSelected(null);
  showChoice([]);
}

function startPlot() {
  document.getElementById("plot").hidden = false;
  $("note").textContent = view.boots === null
    ? "Full: judged. Hollow: not judged, as a warm-up is. Hollow and crossed: discarded. A cross on the axis: failed."
    : "The raw samples are not inside this page, for their size: these are the values of boots.";
  $("form").addEventListener("change", onChoice);
  $("form").addEventListener("submit", (event) => event.preventDefault());
  $("picture").addEventListener("keydown", onPlotKey);
  for (const name of ["pointermove", "pointerdown"]) {
    $("picture").addEventListener(name, (event) => {
      const place = plot.points.length ? nearest(event) : -1;
      if (place >= 0) showPoint(place);
    });
  }
  $("back").addEventListener("click", () => plot.cell.focus());
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) requestAnimationFrame(draw);
    width = innerWidth;
  });
  if (view.first !== null) showSamples(view.cells[view.first], null);
  else showChoice([]);
}
