/* Downloads, printing, and the start. */

function save(name, parts, type) {
  const link = element("a", "", { href: URL.createObjectURL(new Blob(parts, { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function offer(list, words, name, make, type) {
  const button = element("button", words, { type: "button", "data-file": name });
  button.addEventListener("click", async () => save(name, [await make()], type));
  const item = element("li");
  item.append(button, ` ${name}`);
  list.append(item);
}

/* A picture by itself: without the page it has no other style than its own. */
function pictureText(figure) {
  return `${new XMLSerializer().serializeToString(figure.querySelector("svg"))}\n`;
}

function startDownloads() {
  const list = document.getElementById("download-list");
  const mail = document.getElementById("mail");
  if (view.boots === null) {
    offer(list, "Data as JSON", view.files.json, rawBytes, "application/json");
    offer(list, "Samples as CSV", view.files.csv, async () => csvText(await rawData()), "text/csv");
  }
  if (mail) offer(list, "Mail as text", view.files.mail, () => mail.textContent, "text/plain");
  document.querySelectorAll(".picture").forEach((figure, place) => {
    offer(list, figure.dataset.title, `${view.files.picture}${place + 1}.svg`, () => pictureText(figure), "image/svg+xml");
  });
  list.hidden = !list.children.length;
}

/* On paper nothing can be opened. */
function startPrinting() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
  });
}

startGrids();
startDownloads();
startPrinting();
startPlot();
document.documentElement.dataset.ready = String(performance.now());
