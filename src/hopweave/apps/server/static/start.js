// How the page starts: what the chosen corpus holds, and questions made from it, each one click away.

import { got } from "./api.js";
import { byId, counted, cut, el, listed } from "./dom.js";

const MOST_FORMATS = 4;
const seen = new Map(); // by corpus
let wanted = "";

// Draws it for a corpus; `ask(question)` asks.
export async function welcome(corpus, ask) {
  wanted = corpus;
  if (!seen.has(corpus)) byId("welcome").replaceChildren(el("p", { class: "holds" }, `Looking through ${corpus}…`));
  const found = seen.get(corpus) ?? await got(`v1/corpora/${encodeURIComponent(corpus)}/overview`).catch(() => null);
  if (found) seen.set(corpus, found);
  if (wanted !== corpus) return;
  if (found?.num_passages === 0) {
    byId("welcome").replaceChildren(el("p", { class: "holds" }, el("b", {}, corpus), " holds nothing that you can search. Choose other documents, or add some with ", el("code", {}, "hopweave index"), "."));
    return;
  }
  byId("welcome").replaceChildren(...[
    el("p", { class: "holds", dir: "auto" }, found ? holds(corpus, found) : el("b", {}, corpus)),
    found?.questions.length > 0 && el("h2", {}, "Questions to begin with"),
    found?.questions.length > 0 && el("ul", { class: "examples" }, found.questions.map((question) =>
      el("li", {}, el("button", { type: "button", class: "example", dir: "auto", onclick: () => ask(question) }, question)))),
    el("p", { class: "small" }, "Every step of an answer is checked against the documents, and its citation leads to the exact words."),
  ].filter(Boolean));
}

// One line, such as "starter: 187 documents, 412 passages (HTML, PDF), among them Marie Curie and Polonium."; a single document is on
// what its sections are on.
function holds(corpus, { num_passages: passages, num_documents: documents, num_records: records, num_files: files_of_records, formats, titles }) {
  const alone = documents - records;
  const sizes = [alone > 0 && counted(alone, "document"), records > 0 && `${counted(records, "row or record", "rows or records")} of ${counted(files_of_records, "file")}`, passages && passages !== documents && counted(passages, "passage")].filter(Boolean).join(", ");
  const files = formats.length ? ` (${formats.slice(0, MOST_FORMATS).join(", ")}${formats.length > MOST_FORMATS ? ", …" : ""})` : "";
  const among = titles.length ? `${sizes || files ? ", " : " "}${documents === 1 ? "on" : "among them"} ${listed(titles.map((title) => cut(title, 60)))}` : "";
  return [el("b", {}, corpus), sizes || among ? ": " : "", sizes, files, among, "."];
}
