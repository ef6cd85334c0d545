"use strict";
/* What is inside the page: what the scripts must know (`view`), and the document of the run, in gzip and base64, with the names as
   they were typed. Boxes, columns and benchmarks are met by their places in the plan, never by name. */

const view = JSON.parse(document.getElementById("view").textContent);

/* The bytes of the document, as they were written; null where they are not inside. */
async function unpacked() {
  const text = atob(document.getElementById("data").textContent.trim());
  if (!text) return null;
  const packed = new Uint8Array(text.length);
  for (let place = 0; place < text.length; place++) packed[place] = text.charCodeAt(place);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function once(make) {
  let made;
  return () => (made ??= make());
}

const rawBytes = once(unpacked);
const rawData = once(async () => {
  const bytes = await rawBytes();
  return bytes && JSON.parse(new TextDecoder().decode(bytes));
});

/* ---- CSV: the same bytes as `kdelta report --form csv` ---- */

const CSV_COLUMNS = [
  "run", "box", "variant", "kernel_release", "build_id", "benchmark", "metric", "unit", "better", "seed", "position", "attempt",
  "iteration", "warmup", "discarded", "judged", "value", "operations", "elapsed_ns",
];

/* Quoted where it holds what separates, or begins or ends with a blank. */
function csvField(text) {
  return /[",\r\n]|^[ \t]|[ \t]$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/* As ECMAScript writes it, but with the sign of -0. */
function csvNumber(value) {
  return value === null ? "" : Object.is(value, -0) ? "-0" : String(value);
}

function csvText(data) {
  const { boots, samples } = data;
  const columns = data.variants.map((one) => [one.name, one.kernel.release, one.kernel.build_id ?? ""].map(csvField).join(","));
  const boxes = data.boxes.map((one) => csvField(one.name));
  const reasons = data.discards.map(csvField);
  const metrics = data.benchmarks.map((one) =>
    one.metrics.map((each) => [one.name, each.name, each.unit, each.better ?? ""].map(csvField).join(",")));
  const places = boots.position.map((position, boot) => `${boots.seed[boot]},${position},${boots.attempt[boot]}`);
  const heads = boots.box.map((box, boot) => `${csvField(data.run.uuid)},${boxes[box]},${columns[boots.variant[boot]]}`);
  const lines = samples.boot.map((boot, row) => [
    heads[boot],
    metrics[samples.benchmark[row]][samples.metric[row]],
    places[boot],
    samples.iteration[row],
    samples.warmup[row],
    samples.discarded[row] === null ? "" : reasons[samples.discarded[row]],
    samples.judged[row],
    csvNumber(samples.value[row]),
    samples.operations[row],
    csvNumber(samples.elapsed_ns[row]),
  ].join(","));
  return `${[CSV_COLUMNS.join(","), ...lines].join("\n")}\n`;
}
