/* The tables of verdicts: sorting, filtering, what is said of a cell, and the keyboard. */

/* ---- what is said of a cell ---- */

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function factsOf(cell) {
  const list = element("dl");
  for (const [label, value] of cell.facts) list.append(element("dt", label), element("dd", value));
  return [element("h3", cell.title), list];
}

const tip = document.getElementById("tip");

function showTip(td) {
  hideTip();
  tip.replaceChildren(...factsOf(view.cells[td.dataset.cell]));
  tip.hidden = false;
  td.setAttribute("aria-describedby", "tip");
  const [cell, own] = [td.getBoundingClientRect(), tip.getBoundingClientRect()];
  const below = cell.bottom + own.height <= innerHeight;
  tip.style.top = `${below ? cell.bottom - 1 : Math.max(0, cell.top - own.height + 1)}px`;
  tip.style.left = `${Math.max(8, Math.min(cell.left, document.documentElement.clientWidth - own.width - 8))}px`;
}

function hideTip() {
  document.querySelector("[aria-describedby=tip]")?.removeAttribute("aria-describedby");
  tip.hidden = true;
}

/* ---- sorting ---- */

/* Once the largest first, then the smallest, then as in the plan; what has no value is last. */
const NEXT = { none: "descending", descending: "ascending", ascending: "none" };

function sortBy(table, th) {
  const [body, column] = [table.tBodies[0], th.cellIndex];
  table.planned ??= [...body.rows];
  const order = NEXT[th.getAttribute("aria-sort") ?? "none"];
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  if (order !== "none") th.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  const key = column ? (row) => Number(row.cells[column].dataset.order ?? NaN) : (row) => row.cells[0].textContent;
  const rows = [...table.planned];
  if (order !== "none") rows.sort((one, other) => compared(key(one), key(other), sign));
  body.append(...rows);
}

function compared(one, other, sign) {
  if (typeof one === "string") return -sign * (one < other ? -1 : one > other ? 1 : 0);
  if (Number.isNaN(one) || Number.isNaN(other)) return Number.isNaN(one) - Number.isNaN(other);
  return sign * (one - other);
}

function makeSortable(table) {
  for (const th of table.tHead.rows[0].cells) {
    const button = element("button", "", { type: "button" });
    button.append(...th.querySelector(".head").childNodes);
    th.querySelector(".head").replaceWith(button);
    button.addEventListener("click", () => sortBy(table, th));
  }
}

/* ---- filtering ---- */

function filterRows() {
  const name = document.getElementById("filter-name").value.trim().toLowerCase();
  const wanted = new Set([...document.querySelectorAll("#filter [name=word]:checked")].map((one) => one.value));
  const rows = [...document.querySelectorAll(".grid tbody tr")];
  for (const row of rows) {
    const words = row.dataset.words ? row.dataset.words.split(",") : [];
    const said = !words.length || words.some((word) => wanted.has(word));
    row.hidden = !said || !row.cells[0].textContent.toLowerCase().includes(name);
    for (const td of row.cells) td.classList.toggle("off", "cell" in td.dataset && !words.filter((word) => wanted.has(word)).some((word) => td.classList.contains(word)));
  }
  document.getElementById("filter-said").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
  for (const table of document.querySelectorAll(".grid")) keepStop(table);
}

/* ---- the keyboard: one stop for each table, in which the arrow keys move ---- */

function stopOf(cell) {
  return cell.querySelector("button") ?? cell;
}

function lines(table) {
  return [...table.rows].filter((row) => !row.hidden).map((row) => [...row.cells]);
}

function moveStop(table, cell) {
  for (const old of table.querySelectorAll("[tabindex='0']")) old.tabIndex = -1;
  stopOf(cell).tabIndex = 0;
}

/* A row that is filtered out takes the stop of its table with it. */
function keepStop(table) {
  if (table.querySelector("[tabindex='0']")?.closest("tr").hidden ?? true) moveStop(table, lines(table)[0][0]);
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -Infinity], End: [0, Infinity] };

function onKey(table, event) {
  const cell = event.target.closest("th, td");
  if (event.key === "Escape") hideTip();
  if ((event.key === "Enter" || event.key === " ") && "cell" in cell.dataset) {
    event.preventDefault();
    selectCell(cell);
  }
  const step = STEPS[event.key];
  if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  const rows = lines(table);
  const row = rows.findIndex((each) => each.includes(cell));
  const next = rows[clamp(row + step[0], rows.length)];
  moveStop(table, next[clamp(cell.cellIndex + step[1], next.length)]);
  table.querySelector("[tabindex='0']").focus();
}

function clamp(place, count) {
  return Math.max(0, Math.min(place, count - 1));
}

/* ---- choosing a cell ---- */

function markSelected(td) {
  document.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
  td?.setAttribute("aria-selected", "true");
}

function selectCell(td) {
  hideTip();
  markSelected(td);
  showSamples(view.cells[td.dataset.cell], td);
}

function startGrid(table) {
  table.setAttribute("role", "grid");
  makeSortable(table);
  for (const row of table.rows) for (const cell of row.cells) stopOf(cell).tabIndex = -1;
  moveStop(table, table.rows[0].cells[0]);
  table.addEventListener("keydown", (event) => onKey(table, event));
  table.addEventListener("focusin", (event) => {
    moveStop(table, event.target.closest("th, td"));
    if ("cell" in event.target.dataset) showTip(event.target);
  });
  table.addEventListener("focusout", hideTip);
  table.addEventListener("click", (event) => {
    const td = event.target.closest("[data-cell]");
    if (td) selectCell(td);
  });
}

function startGrids() {
  document.querySelectorAll(".grid").forEach(startGrid);
  document.addEventListener("pointerover", (event) => {
    const td = event.target.closest("[data-cell]");
    if (td) showTip(td);
    else if (!event.target.closest("#tip")) hideTip();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTip();
  });
  addEventListener("scroll", hideTip, { passive: true });
  const form = document.getElementById("filter");
  form.hidden = false;
  form.addEventListener("input", filterRows);
  form.addEventListener("submit", (event) => event.preventDefault());
  filterRows();
}
