// Evaluations: from the mean of a cell to the questions behind it, by what became of them, to one record or two. What is shown
// follows from a place: { evaluation, dataset, method, column, cause, question, records }, of which all but the first may be empty.

import { got } from "./api.js";
import { byId, capitalised, cut, el, oneLine, seconds } from "./dom.js";
import { addressOf, linkButton } from "./places.js";
import { failureOf, supportChip } from "./signs.js";

const MOST_COLUMNS = 7;
const FIRST = ["llm_calls", "prompt_tokens", "completion_tokens", "rounds", "seconds", "failure_rate"];
const HEADINGS = { cover_em: "right", label_accuracy: "right", llm_calls: "model calls", completions: "replies", llm_failures: "failed calls", prompt_tokens: "tokens read", completion_tokens: "tokens written", failure_rate: "failed" };
const OUTCOMES = { unparsed: "no readable answer", abstained: "says that it cannot tell" };
const seen = new Map(); // what the server said, by path
let names = [];

// The names of all evaluations; the link to the first is shown where there are any.
export async function evaluations() {
  names = (await got("v1/runs")).runs;
  const link = byId("evaluations");
  link.hidden = !names.length;
  if (names.length) link.href = addressOf({ at: { evaluation: names[0] } });
  return names;
}

// A place as it is `drawn`, and its `records`, each with its summary. `go(at, focus)` goes to another place.
export async function evaluation(at, go) {
  const path = `v1/runs/${encodeURIComponent(at.evaluation)}`;
  const found = await once(path).catch((error) => unscored(error, at.evaluation));
  const cell = found.cells.find((one) => one.dataset === at.dataset && one.method === at.method);
  const asked = new URLSearchParams({ dataset: at.dataset, method: at.method, column: at.column });
  const behind = cell ? await once(`${path}/questions?${asked}`) : null;
  const records = await Promise.all((at.question ? at.records ?? [] : []).map((method) =>
    once(`${path}/record?${new URLSearchParams({ dataset: at.dataset, method, question: at.question })}`)));
  const drawn = [head(found, go),
    ...found.conclusions.map((said) => el("p", { class: "conclusion" }, said)),
    ...[...new Set(found.cells.map((one) => one.dataset))].map((dataset) => table(found, dataset, at, go)),
    el("div", { class: "cell-place" }, behind && questions(cell, behind, at, go))];
  return { drawn, records };
}

// An evaluation without scores yet: what to run, in the place of what they show.
function unscored(error, name) {
  if (error.status !== 422) throw error;
  return { name, conclusions: [capitalised(error.message)], cells: [] };
}

async function once(path) {
  if (!seen.has(path)) seen.set(path, await got(path));
  return seen.get(path);
}

function head(found, go) {
  return el("div", { class: "reports-head" }, el("h2", {}, found.name), el("span", { class: "grow" }), linkButton(),
    names.length > 1 && el("label", {}, "Evaluation ", el("select", { onchange: (event) => go({ evaluation: event.target.value }) },
      names.map((one) => el("option", { value: one, selected: one === found.name }, one)))));
}

// A column of a metric in words; its own name stands in what the pointer shows.
function headingOf(column) {
  return HEADINGS[column] ?? column.replaceAll("_", " ");
}

function outcomeOf(cause) {
  return failureBehind(cause)?.what ?? OUTCOMES[cause] ?? cause;
}

function failureBehind(cause) {
  return failureOf(cause.replace(/^failed: /, ""));
}

// On a narrow page each row becomes a block, whose cells say their columns themselves (`data-column`).
function table(found, dataset, at, go) {
  const cells = found.cells.filter((cell) => cell.dataset === dataset);
  const primary = found.primary[dataset];
  const columns = [...new Set([primary, ...FIRST, ...Object.keys(found.columns)])]
    .filter((name) => name && cells.some((cell) => cell.means[name] && cell.means[name].value !== null)).slice(0, MOST_COLUMNS);
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Means on ${dataset}` },
    el("table", { role: "table" }, el("caption", {}, dataset),
      el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, el("th", { scope: "col", role: "columnheader" }, "method"), columns.map((name) =>
        el("th", { scope: "col", role: "columnheader", class: "figure", title: `${found.columns[name]?.meaning} (${name})` }, headingOf(name))), el("th", { scope: "col", role: "columnheader", class: "figure" }, "questions"))),
      el("tbody", { role: "rowgroup" }, cells.map((cell) => el("tr", { role: "row" }, el("th", { scope: "row", role: "rowheader" }, cell.method),
        columns.map((name) => el("td", { class: "figure", role: "cell", "data-column": headingOf(name) }, mean(cell, name, name === primary, at, go))),
        el("td", { class: "figure", role: "cell", "data-column": "questions" }, `${cell.num_records} of ${cell.num_questions}`))))));
}

function mean(cell, name, isPrimary, at, go) {
  const { value, interval } = cell.means[name] ?? { value: null };
  if (value === null) return "no data";
  const said = Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(isPrimary ? 3 : 2);
  const within = interval ? `95%: ${interval.low.toFixed(3)} to ${interval.high.toFixed(3)}` : null;
  const isShown = cell.dataset === at.dataset && cell.method === at.method && name === at.column;
  const there = { ...at, dataset: cell.dataset, method: cell.method, column: name, cause: "", ...(cell.dataset === at.dataset ? {} : { question: "", records: [] }) };
  return el("button", { type: "button", class: "link", title: within, "aria-pressed": String(isShown), "aria-label": `${headingOf(name)} of ${cell.method}: ${said}; show its questions`, onclick: () => go(there, ".cell-place h3") }, said);
}

function questions(cell, found, at, go) {
  const counts = new Map();
  for (const row of found.questions) counts.set(row.cause, (counts.get(row.cause) ?? 0) + 1);
  const choice = (cause, number, text) => el("button", { type: "button", class: "cause", "aria-pressed": String(cause === at.cause), onclick: () => go({ ...at, cause }, ".cause[aria-pressed=true]") }, `${text} ${number}`);
  const toDo = at.cause && failureBehind(at.cause)?.to_do;
  const rows = found.questions.filter((row) => !at.cause || row.cause === at.cause);
  return [
    el("h3", { tabindex: "-1" }, `${cell.method} on ${cell.dataset}`),
    el("div", { class: "causes", role: "group", "aria-label": "What became of the questions" }, choice("", found.questions.length, "all"),
      [...counts].sort((one, other) => other[1] - one[1]).map(([cause, number]) => choice(cause, number, outcomeOf(cause)))),
    toDo && el("p", { class: "small" }, `${capitalised(toDo)}.`),
    el("ol", { class: "questions" }, rows.map((row) => question(row, found.column, at, go))),
  ];
}

function question(row, column, at, go) {
  const earlier = row.id === at.question ? (at.records ?? []).filter((method) => method !== at.method) : [];
  const isShown = row.id === at.question && (at.records ?? []).includes(at.method);
  return el("li", {}, el("button", { type: "button", class: "entry", "aria-current": isShown ? "true" : null, onclick: () => go({ ...at, question: row.id, records: [...earlier, at.method].slice(-2) }) },
    el("span", { class: "entry-question", dir: "auto" }, cut(oneLine(row.question), 200)),
    el("span", { class: "entry-short", dir: "auto" }, cut(oneLine(row.short) || "no answer", 100)),
    el("span", { class: "small" }, `${outcomeOf(row.cause)} \u00b7 gold: ${cut(row.gold.map(oneLine).join(" or "), 80) || "none"} \u00b7 ${headingOf(column)} ${row.value ?? "no data"} \u00b7 ${seconds(row.seconds)} `, supportChip(row.standing))));
}
