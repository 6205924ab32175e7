// How a step stands and how it came to be, each by shape and by colour, in the words of every other drawing.

import { el } from "./dom.js";
import { got } from "./api.js";

let words = { support: {}, shortfalls: {}, origins: {}, labels: {}, failures: {}, signs: {}, words: {} };

const ORIGINS = { model: "◇", verified: "◆", corrected: "↻", completed: "+", retrieved: "¶", yours: "✎" };
const KINDS = { model_call: "M", search: "S", read: "R", parse_failure: "!" };
const KIND_WORDS = {
  model_call: "a call of the model",
  search: "a search, with its hits",
  read: "a passage that was read for a query",
};

export async function loadWords() {
  words = await got("static/legend.json");
}

export function sign(node) {
  const state = node.is_pending ? "pending" : node.is_bad ? "bad" : node.support || (KINDS[node.kind] ? "call" : "plain");
  const glyph = node.is_pending ? "" : words.signs[node.support] ?? KINDS[node.kind] ?? "";
  return el("span", { class: `sign ${state}`, "aria-hidden": "true" }, glyph);
}

export function supportChip(support) {
  if (!support) return null;
  return el("span", { class: `chip ${support}`, title: words.support[support] }, `${words.signs[support] ?? ""} ${support}`.trim());
}

// The sign of a support alone, small, with its word for those who cannot see it.
export function supportSign(support) {
  if (!support) return null;
  return el("span", { class: `small-sign ${support}`, title: words.support[support] }, el("span", { "aria-hidden": "true" }, words.signs[support] ?? ""), el("span", { class: "unseen" }, support));
}

// `found` is what the method's own check found, if that is why.
export function whyNot(claim, found) {
  const said = claim.support === "supported" ? "" : words.shortfalls[claim.shortfall] ?? "";
  if (claim.shortfall === "check" && said && found) return `${said}: ${found}`;
  return said && claim.rule ? `${said}; ${claim.rule}` : said;
}

export function originChip(origin) {
  if (!origin) return null;
  const glyph = el("span", { "aria-hidden": "true" }, `${ORIGINS[origin] ?? "·"} `);
  return el("span", { class: `chip origin ${origin}`, title: words.origins[origin] }, glyph, origin);
}

// Where a claim came from, in a sentence.
export function originOf(claim) {
  return words.origins[claim.origin] ?? "";
}

export function meaningOf(label) {
  return words.labels[label] ?? "";
}

// What failed and what to do, by the name of the error: { what, to_do }, or nothing of one that is unknown.
export function failureOf(kind) {
  return words.failures[kind];
}

export function legend(nodes, run) {
  const seen = [...nodes];
  const rows = [];
  for (const [support, meaning] of Object.entries(words.support)) rows.push([sign({ support, kind: "decision" }), support, meaning]);
  for (const [kind, meaning] of Object.entries(KIND_WORDS)) {
    if (seen.some((node) => node.kind === kind)) rows.push([sign({ kind, support: "" }), kind.replace("_", " "), meaning]);
  }
  for (const [origin, meaning] of Object.entries(words.origins)) {
    rows.push([el("span", { class: "sign bare", "aria-hidden": "true" }, ORIGINS[origin] ?? "·"), origin, meaning]);
  }
  for (const label of new Set(seen.map((node) => node.label))) {
    if (words.labels[label]) rows.push([el("span", { class: "sign plain", "aria-hidden": "true" }), label, words.labels[label]]);
  }
  for (const [word, meaning] of Object.entries(words.words)) rows.push([null, word, meaning]);
  return el("details", { class: "legend", open: run.withLegend, ontoggle: (event) => { run.withLegend = event.currentTarget.open; } },
    el("summary", { "data-focus": "legend" }, "What the signs mean"),
    el("dl", {}, rows.map(([mark, word, meaning]) => el("div", {}, el("dt", {}, mark, el("span", {}, word)), el("dd", {}, meaning)))));
}
