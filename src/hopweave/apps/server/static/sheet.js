// The page of a PDF that a passage is from, as an image with the cited words marked on it.
// It is drawn on a canvas: the request needs the key in its header, and the page of the explorer loads no image by address.

import { got, ofPassage, picture } from "./api.js";
import { button, cut, el, oneLine, svg } from "./dom.js";

const PAGED = /^([^]*)#page=(\d+)$/;
const MOST_SPANS = 50;
const MOST_SAID = 200;

// The file and the number of the page that a passage is from; null if it is from no PDF.
export function pageOf(passage) {
  const paged = PAGED.exec(passage.source ?? "");
  return paged && { file: paged[1], number: paged[2] };
}

// A figure that fills itself. `spans` are citations of the passage.
export function sheet(corpus, passage, spans) {
  const figure = el("figure", { class: "page-figure", "aria-busy": "true" }, el("p", { class: "small" }, "Loading the page…"));
  fill(figure, corpus, passage, spans).catch((error) => instead(figure, error.message)).finally(() => figure.removeAttribute("aria-busy"));
  return figure;
}

async function fill(figure, corpus, passage, spans) {
  const asked = spans.flatMap((span) => [[span.start, span.end, false], span.focus && [span.focus.start, span.focus.end, true]])
    .filter((one) => one && one[0] < one[1]).slice(0, MOST_SPANS);
  const query = asked.map(([start, end]) => `span=${start}-${end}`).join("&");
  const found = await got(`${ofPassage("pages", corpus, passage)}?${query}`);
  if (found.why) return instead(figure, found.why);
  const letters = Array.from(passage.text);
  if (found.source !== passage.source || found.spans.some((one) => one.text !== letters.slice(one.start, one.end).join(""))) {
    return instead(figure, "the passage has changed since it was cited");
  }
  const image = await createImageBitmap(await picture(ofPassage("page-images", corpus, passage)));
  const marked = found.spans.map((one, at) => ({ ...one, isFocus: asked[at][2] }));
  const page = { ...pageOf(passage), ...found, image, marked };
  show(figure, page);
}

function show(figure, page) {
  const isLost = page.marked.some((one) => !one.isFocus && !one.boxes.length);
  const enlarged = button("Enlarge", () => enlarge(page), { "aria-label": `Enlarge page ${page.number} of ${page.file}` });
  const drawn = drawing(page);
  drawn.addEventListener("click", () => enlarge(page));
  figure.replaceChildren(drawn, el("figcaption", {},
    el("span", { class: "small", dir: "auto" }, `Page ${page.number} of ${page.num_pages}`), enlarged,
    isLost && el("p", { class: "small" }, "The cited words were not found on the page, so they are not marked.")));
}

function instead(figure, why) {
  figure.replaceChildren(el("p", { class: "small" }, `The page is not shown: ${why}.`));
}

function drawing(page) {
  const canvas = el("canvas", { width: page.width, height: page.height, role: "img", "aria-label": described(page) });
  canvas.getContext("2d").drawImage(page.image, 0, 0);
  const boxes = page.marked.flatMap((one) => one.boxes.map((box) => ({ ...box, isFocus: one.isFocus })));
  const marks = svg("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" },
    boxes.filter((box) => !box.isFocus).map((box) => svg("rect", { x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top })),
    boxes.filter((box) => box.isFocus).map((box) => svg("line", { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom })));
  return el("div", { class: "sheet" }, canvas, marks);
}

function described(page) {
  const place = `Page ${page.number} of ${page.file}, as an image.`;
  const said = page.marked.filter((one) => !one.isFocus && one.boxes.length).map((one) => `“${cut(oneLine(one.text), MOST_SAID)}”`);
  if (said.length) return `${place} Marked on it: ${said.join(", ")}`;
  return page.marked.length ? `${place} The cited words were not found on it.` : place;
}

// The page over everything else, large enough to read, scrolled to the first mark.
function enlarge(page) {
  const scrolled = el("div", { class: "sheet-place", tabindex: "0", role: "region", "aria-label": "The page, enlarged" }, drawing(page));
  const dialog = el("dialog", { class: "sheet-large", "aria-label": `Page ${page.number} of ${page.file}` },
    el("div", { class: "passage-head" }, el("p", { class: "small", dir: "auto" }, `${page.file}, page ${page.number}`), button("Close", () => dialog.close(), { "aria-label": "Close the enlarged page" })),
    scrolled);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  scrolled.querySelector("rect")?.scrollIntoView({ block: "center", inline: "center" });
}
