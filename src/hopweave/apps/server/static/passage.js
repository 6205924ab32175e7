// A passage beside the reasoning, with the words that were cited marked. Offsets are code points, not the units of a string here.

import { got, ofPassage } from "./api.js";
import { button, byId, counted, el, listed, oneLine } from "./dom.js";
import { pageOf, sheet } from "./sheet.js";

const MOST_FILES = 5; // with the same text, that are named
let opener = null;

// What a passage is called: its title, and the headings that it stands under, outer to inner.
export function nameOf(passage) {
  const names = [passage.title, ...(passage.sections ?? [])].map(oneLine).filter(Boolean);
  return [...new Set(names)].join(" › ") || passage.id;
}

// `spans` are citations of this passage; `doing` has reveal(), which shows the step that it was found for, or null, and changes:
// forbid(), pin() and their step, or null where nothing can be changed. `corpus` is null where the server has none.
export function showPassage(passage, spans, doing, from, corpus) {
  opener = from;
  const title = el("h2", { id: "passage-title", tabindex: "-1", dir: "auto" }, nameOf(passage));
  const panel = byId("passage");
  panel.replaceChildren(el("div", {},
    el("div", { class: "passage-head" }, el("p", { class: "kicker" }, spans.length ? "Cited passage" : "Passage"), button("Close", closePassage, { "aria-label": "Close the passage" })),
    title,
    passage.source && el("p", { class: "small where", dir: "auto" }, place(passage)),
    el("blockquote", { dir: "auto" }, pieces(passage.text, spans)),
    corpus !== null && alsoIn(corpus, passage),
    corpus !== null && pageOf(passage) && sheet(corpus, passage, spans),
    facts(passage),
    doing.reveal && button("Show the step that it answers", doing.reveal, { class: "link" }),
    doing.changes && el("div", { class: "changes" },
      el("h3", {}, "Change it and run again"),
      button("Forbid this passage", doing.changes.forbid), button("Pin it first", doing.changes.pin),
      el("p", { class: "small" }, `Holds from step ${doing.changes.step} on. All before it is replayed without the model.`))));
  panel.hidden = false;
  document.body.classList.add("with-passage");
  if (matchMedia("(max-width: 56rem)").matches) (from.closest("li") ?? from).scrollIntoView({ block: "start" }); // else it is covered
  title.focus({ preventScroll: true });
  panel.querySelector("mark")?.scrollIntoView({ block: "nearest" });
}

export function closePassage() {
  const panel = byId("passage");
  if (panel.hidden) return;
  panel.hidden = true;
  document.body.classList.remove("with-passage");
  if (opener?.isConnected) opener.focus();
  opener = null;
}

// Where it comes from; of a PDF with the page.
function place(passage) {
  const paged = pageOf(passage);
  return paged ? `${paged.file}, page ${paged.number}` : passage.source;
}

// The other files with the same text; it fills itself, and stays empty where there are none or the server does not know.
function alsoIn(corpus, passage) {
  const line = el("p", { class: "small also-in", dir: "auto" });
  got(ofPassage("passages", corpus, passage)).then(({ also_in: files }) => {
    const [named, left] = [files.slice(0, MOST_FILES), files.length - MOST_FILES];
    if (files.length) line.append(`Also in ${listed(left > 0 ? [...named, counted(left, "more file")] : named)}`);
  }, () => {});
  return line;
}

function facts(passage) {
  const rows = Object.entries(passage.metadata ?? {});
  return rows.length > 0 && el("dl", { class: "facts" }, rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", { dir: "auto" }, value))));
}

function pieces(text, spans) {
  const letters = Array.from(text);
  const roles = new Array(letters.length).fill(0);
  for (const span of spans) {
    roles.fill(1, span.start, span.end);
    if (span.focus) roles.fill(2, span.focus.start, span.focus.end);
  }
  const found = [];
  for (let start = 0; start < letters.length;) {
    let end = start + 1;
    while (end < letters.length && roles[end] === roles[start]) end += 1;
    const piece = letters.slice(start, end).join("");
    found.push(roles[start] === 0 ? piece : el("mark", {}, roles[start] === 2 ? el("b", {}, piece) : piece));
    start = end;
  }
  return found;
}
