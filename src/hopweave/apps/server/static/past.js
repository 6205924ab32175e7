// What was asked before: each question once, with its answers; the same answer of the same method once.

import { deleted, got } from "./api.js";
import { button, byId, counted, cut, el, oneLine, seconds } from "./dom.js";
import { say } from "./runs.js";
import { supportSign } from "./signs.js";

let entries = []; // newest first
let before = null; // where the next page begins
let shownIds = [];

// `doing` has: open(entry, isBeside), forgotten(id), refuse(error).
export async function listPast(doing, isMore = false) {
  const { answers, next } = await got(`v1/answers?limit=20${isMore && before ? `&before=${encodeURIComponent(before)}` : ""}`);
  before = next;
  entries = isMore ? [...entries, ...answers] : answers;
  draw(doing);
}

export function markPast(ids) {
  shownIds = ids;
  for (const item of byId("history-list").querySelectorAll("[data-answer]")) {
    const isShown = item.dataset.answer.split(" ").some((id) => ids.includes(id));
    item.classList.toggle("current", isShown);
    if (isShown) item.firstChild.setAttribute("aria-current", "true");
    else item.firstChild.removeAttribute("aria-current");
  }
}

function draw(doing) {
  const questions = new Map();
  for (const entry of entries) {
    const key = JSON.stringify([oneLine(entry.question), entry.corpus]);
    questions.set(key, [...(questions.get(key) ?? []), entry]);
  }
  byId("history-list").replaceChildren(...[...questions.values()].map((all) => el("li", { class: "group" }, el("ul", {}, distinct(all).map((same, at) => item(same, at === 0, doing))))));
  if (!entries.length) byId("history-list").append(el("li", { class: "small empty" }, "Nothing was asked yet."));
  byId("history-more").hidden = !before;
  markPast(shownIds);
}

// Groups of equal answers: by the same method with the same choices. A changed run is a group of its own.
function distinct(all) {
  const groups = new Map();
  for (const entry of all) {
    const { id, method, short, standing, error, options, filter, asked, of } = entry;
    const key = of ? id : JSON.stringify([method, oneLine(short), standing, error, options, filter, asked]);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()];
}

function item(same, isFirst, doing) {
  const [entry] = same;
  const ends = entry.error ? "no answer" : oneLine(entry.short) || "no answer";
  const named = `${cut(oneLine(entry.question), 80)}, ${entry.method}`;
  const facts = [entry.of && "✎ changed", entry.method, seconds(entry.seconds), when(entry.started_at), same.length > 1 && `${same.length} times`];
  return el("li", { class: entry.of ? "is-branch" : "", "data-answer": same.map((one) => one.id).join(" ") },
    el("button", { type: "button", class: "entry", onclick: () => doing.open(entry, false) },
      isFirst && el("span", { class: "entry-question", dir: "auto" }, cut(oneLine(entry.question), 110)),
      isFirst && entry.asked && el("span", { class: "small entry-asked", dir: "auto" }, `asked as: ${cut(oneLine(entry.asked), 80)}`),
      el("span", { class: "entry-line" }, entry.error ? null : supportSign(entry.standing), el("span", { class: "entry-short", dir: "auto" }, cut(ends, 60))),
      el("span", { class: "small" }, facts.filter(Boolean).join(" · "))),
    el("span", { class: "entry-ends" },
      button("Compare", () => doing.open(entry, true), { class: "link small", "aria-label": `Compare: ${named}` }),
      button("Delete", () => forget(same, doing), { class: "link small", "aria-label": `Delete: ${named}` })));
}

function when(time) {
  const then = new Date(time);
  const clock = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
  return then.toDateString() === new Date().toDateString() ? clock : `${then.toLocaleDateString([], { day: "numeric", month: "short" })}, ${clock}`;
}

// What was deleted is gone from the page, too: nothing of it could be run again or taken away as a file.
async function forget(same, doing) {
  const [entry] = same;
  const which = same.length > 1 ? `these ${counted(same.length, "equal answer")}` : "this answer";
  if (!confirm(`Delete ${which} for good?\n\n${cut(oneLine(entry.asked ?? entry.question), 110)}\n${entry.method}`)) return;
  doing.refuse(null);
  const at = [...byId("history-list").querySelectorAll(".entry")].findIndex((one) => one.closest("[data-answer]").dataset.answer.includes(entry.id));
  for (const { id } of same) {
    try {
      await deleted(id);
    } catch (error) {
      if (error.status !== 404) {
        doing.refuse(error);
        return;
      }
    }
    entries = entries.filter((one) => one.id !== id);
    doing.forgotten(id);
  }
  if (entries.length) draw(doing);
  else await listPast(doing);
  const left = [...byId("history-list").querySelectorAll(".entry")];
  left[Math.min(at, left.length - 1)]?.focus();
  say(same.length > 1 ? "The answers are deleted." : "The answer is deleted.");
}
