// Evaluations: from the mean of a cell to the questions behind it, by what became of them, to one record.

import { got } from "./api.js";
import { button, byId, cut, el, oneLine, seconds } from "./dom.js";
import { supportChip } from "./signs.js";

const MOST_COLUMNS = 7;
const FIRST = ["llm_calls", "prompt_tokens", "completion_tokens", "rounds", "seconds", "failure_rate"];

// `show(record, summary, place)` draws one record; `refuse(error)` tells of an error.
export async function reports(show, refuse) {
  const { runs } = await got("v1/runs");
  const toggle = byId("evaluations");
  toggle.hidden = !runs.length;
  if (!runs.length) return;
  const place = byId("reports");
  toggle.onclick = () => {
    place.hidden = !place.hidden;
    toggle.setAttribute("aria-expanded", String(!place.hidden));
    if (!place.hidden && !place.firstChild) choose(runs, runs[0], place, show, refuse);
  };
}

async function choose(runs, name, place, show, refuse) {
  try {
    const found = await got(`v1/runs/${encodeURIComponent(name)}`);
    const below = el("div", { class: "cell-place" });
    const open = (cell, column) => questions(name, cell, column, below, show, refuse);
    place.replaceChildren(
      el("div", { class: "reports-head" }, el("h2", {}, found.name),
        runs.length > 1 && el("label", {}, "Evaluation ", el("select", { onchange: (event) => choose(runs, event.target.value, place, show, refuse) },
          runs.map((one) => el("option", { value: one, selected: one === name }, one))))),
      ...[...new Set(found.cells.map((cell) => cell.dataset))].map((dataset) => table(found, dataset, open)),
      below);
  } catch (error) {
    refuse(error);
  }
}

function table(found, dataset, open) {
  const cells = found.cells.filter((cell) => cell.dataset === dataset);
  const primary = found.primary[dataset];
  const names = [...new Set([primary, ...FIRST, ...Object.keys(found.columns)])]
    .filter((name) => name && cells.some((cell) => cell.means[name] && cell.means[name].value !== null)).slice(0, MOST_COLUMNS);
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Means on ${dataset}` },
    el("table", {}, el("caption", {}, dataset),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "method"), names.map((name) =>
        el("th", { scope: "col", class: "figure", title: found.columns[name]?.meaning }, name)), el("th", { scope: "col", class: "figure" }, "questions"))),
      el("tbody", {}, cells.map((cell) => el("tr", {}, el("th", { scope: "row" }, cell.method),
        names.map((name) => el("td", { class: "figure" }, mean(cell, name, name === primary, open))),
        el("td", { class: "figure" }, `${cell.num_records} of ${cell.num_questions}`))))));
}

function mean(cell, name, isPrimary, open) {
  const { value, interval } = cell.means[name] ?? { value: null };
  if (value === null) return "no data";
  const said = Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(isPrimary ? 3 : 2);
  const within = interval ? `95%: ${interval.low.toFixed(3)} to ${interval.high.toFixed(3)}` : null;
  return button(said, () => open(cell, name), { class: "link", title: within, "aria-label": `${name} of ${cell.method}: ${said}; show its questions` });
}

async function questions(name, cell, column, place, show, refuse) {
  const asked = new URLSearchParams({ dataset: cell.dataset, method: cell.method });
  try {
    const found = await got(`v1/runs/${encodeURIComponent(name)}/questions?${new URLSearchParams({ ...Object.fromEntries(asked), column })}`);
    const open = async (row) => {
      const path = `v1/runs/${encodeURIComponent(name)}/record?${new URLSearchParams({ ...Object.fromEntries(asked), question: row.id })}`;
      try {
        const { record, summary } = await got(path);
        show(record, summary, `${cell.dataset}, ${name}`);
      } catch (error) {
        refuse(error);
      }
    };
    draw(cell, found, "", place, open);
    place.querySelector("h3").focus();
  } catch (error) {
    refuse(error);
  }
}

function draw(cell, found, cause, place, open) {
  const counts = new Map();
  for (const row of found.questions) counts.set(row.cause, (counts.get(row.cause) ?? 0) + 1);
  const choice = (one, number, text) => button(`${text} ${number}`, () => draw(cell, found, one, place, open), { class: "cause", "aria-pressed": String(one === cause) });
  const rows = found.questions.filter((row) => !cause || row.cause === cause);
  place.replaceChildren(
    el("h3", { tabindex: "-1" }, `${cell.method} on ${cell.dataset}`),
    el("div", { class: "causes", role: "group", "aria-label": "What became of the questions" }, choice("", found.questions.length, "all"),
      [...counts].sort((one, other) => other[1] - one[1]).map(([one, number]) => choice(one, number, one))),
    el("ol", { class: "questions" }, rows.map((row) => el("li", {}, el("button", { type: "button", class: "entry", onclick: () => open(row) },
      el("span", { class: "entry-question", dir: "auto" }, cut(oneLine(row.question), 200)),
      el("span", { class: "entry-short", dir: "auto" }, cut(oneLine(row.short) || "no answer", 100)),
      el("span", { class: "small" }, `${row.cause} \u00b7 gold: ${cut(row.gold.map(oneLine).join(" or "), 80) || "none"} \u00b7 ${found.column} ${row.value ?? "no data"} \u00b7 ${seconds(row.seconds)} `, supportChip(row.standing)))))));
}
