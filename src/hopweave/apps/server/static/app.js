// The explorer: what is asked, which runs stand side by side, and what was asked before.

import { Refused, deleted, got, keepKey } from "./api.js";
import { differences } from "./answer.js";
import { button, byId, cut, el, oneLine, seconds } from "./dom.js";
import { closePassage } from "./passage.js";
import { reports } from "./reports.js";
import { Run, draw, redraw, say } from "./runs.js";
import { loadWords, supportChip } from "./signs.js";

const MOST_SHOWN = 2;
const SAY_EVERY_MS = 900;
const shown = []; // { run, place }, left to right
let before = null; // where the next page of the history begins
let lastSaid = 0;

const doing = {
  change: (run, change) => changeAndRun(run, change),
  close: (run) => closeRun(run),
  redraw: (run) => redrawRun(run),
  refuse,
};

function refuse(error) {
  if (error?.status === 401) {
    byId("key-form").hidden = false;
    byId("composer").hidden = true;
    byId("key").focus();
    return;
  }
  const box = byId("alert");
  box.textContent = error ? error.message : "";
  box.hidden = !error;
}

function add(run, after = null) {
  while (shown.length >= MOST_SHOWN) {
    const out = shown.find((one) => one.run !== after) ?? shown[0];
    remove(out);
  }
  const place = draw(run, null, doing);
  byId("runs").append(place);
  shown.push({ run, place });
  arrange();
}

function remove(one) {
  one.run.stopping.abort();
  one.place.remove();
  shown.splice(shown.indexOf(one), 1);
}

function closeRun(run) {
  const one = shown.find((each) => each.run === run);
  if (one) remove(one);
  closePassage();
  arrange();
  byId("question").focus();
}

function otherOf(run) {
  const other = shown.find((one) => one.run !== run)?.run;
  return other?.record && run.record ? other : null;
}

function redrawRun(run) {
  const one = shown.find((each) => each.run === run);
  if (one) one.place = redraw(one.place, run, otherOf(run), doing);
}

function arrange() {
  for (const one of shown) redrawRun(one.run);
  byId("runs").classList.toggle("two", shown.length > 1);
  byId("welcome").hidden = shown.length > 0;
  byId("stop").hidden = !shown.some((one) => one.run.isRunning);
  const said = shown.length > 1 ? differences(shown[0].run, shown[1].run) : null;
  byId("differences").replaceChildren(...(said ? [said] : []));
  byId("differences").hidden = !said;
  const ids = shown.filter((one) => one.run.isKept).map((one) => one.run.id);
  history.replaceState(null, "", ids.length ? `#${ids.join("+")}` : location.pathname);
  markHistory(ids);
}

function grown(run) {
  let isWaiting = false;
  return (step) => {
    if (!isWaiting) {
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        if (run.isRunning) redrawRun(run);
      });
    }
    if (step?.kind === "decision" && Date.now() - lastSaid > SAY_EVERY_MS) {
      lastSaid = Date.now();
      say(`${run.method}: ${step.label}, ${cut(oneLine(step.text), 120)}`);
    }
  };
}

async function start(run, body) {
  refuse(null);
  arrange();
  byId("stop").hidden = false;
  const work = run.ask(body, grown(run));
  byId("stop").hidden = false;
  try {
    await work;
  } catch (error) {
    refuse(error);
  }
  arrange();
  const answer = run.record?.answer;
  say(answer ? `${run.method} is done: ${answer.short || "no answer"}, ${run.summary?.banner?.standing ?? answer.verdict.support}` : `${run.method} ended: ${run.error?.message ?? ""}`);
  await listHistory();
}

function askNew(event) {
  event.preventDefault();
  const question = byId("question").value.trim();
  if (!question) return;
  closePassage();
  for (const one of [...shown]) remove(one);
  const corpus = byId("corpus").value;
  const methods = [byId("method").value, byId("compare-with").value].filter(Boolean);
  for (const method of methods) {
    const run = new Run({ question, method, corpus });
    run.isRunning = true;
    add(run);
    start(run, { question, method, corpus });
  }
}

// The run with the change stands beside the one that it branches from.
function changeAndRun(parent, change) {
  closePassage();
  const run = new Run({ question: parent.question, method: parent.method, corpus: parent.corpus, of: parent.id });
  run.isRunning = true;
  add(run, parent);
  start(run, { of: parent.id, changes: [change] });
  shown.at(-1).place.scrollIntoView({ block: "start" });
}

async function open(entry, beside = false) {
  refuse(null);
  try {
    const run = await Run.kept(entry);
    if (!beside) for (const one of [...shown]) remove(one);
    closePassage();
    add(run, beside ? shown[0]?.run : null);
    byId("question").value = run.question;
    sizeQuestion();
    closeHistory();
    byId("main").scrollTo?.(0, 0);
  } catch (error) {
    refuse(error);
  }
}

// A record of an evaluation: it can be looked at, and compared with what stands there.
function showRecord(record, summary, place) {
  const run = new Run({ question: record.question.text, method: record.setup.method, corpus: place });
  run.take(record);
  run.isKept = false;
  run.summary = summary;
  closePassage();
  const last = shown.at(-1)?.run;
  if (last && last.question !== run.question) for (const one of [...shown]) remove(one);
  add(run, last);
  shown.at(-1).place.scrollIntoView({ block: "start" });
}

async function listHistory(isMore = false) {
  const { answers, next } = await got(`v1/answers?limit=20${isMore && before ? `&before=${encodeURIComponent(before)}` : ""}`);
  before = next;
  const items = answers.map(historyItem);
  if (isMore) byId("history-list").append(...items);
  else byId("history-list").replaceChildren(...items);
  byId("history-more").hidden = !next;
  if (!answers.length && !isMore) byId("history-list").append(el("li", { class: "small empty" }, "Nothing was asked yet."));
  markHistory(shown.map((one) => one.run.id));
}

// What was deleted is gone from the page, too: nothing of it could be run again or taken away as a file.
async function forget(entry) {
  const what = cut(oneLine(entry.asked ?? entry.question), 110);
  if (!confirm(`Delete this answer for good?\n\n${what}\n${entry.method}`)) return;
  refuse(null);
  try {
    await deleted(entry.id);
  } catch (error) {
    if (error.status !== 404) {
      refuse(error);
      return;
    }
  }
  const one = shown.find((each) => each.run.id === entry.id);
  if (one) closeRun(one.run);
  const item = [...byId("history-list").children].find((each) => each.dataset.answer === entry.id);
  const next = item?.nextElementSibling ?? item?.previousElementSibling;
  item?.remove();
  if (next) next.firstChild.focus();
  else await listHistory();
  say("The answer is deleted.");
}

function historyItem(entry) {
  const when = new Date(entry.started_at);
  const ends = entry.error ? "no answer" : entry.short || "no answer";
  return el("li", { class: entry.of ? "is-branch" : "", "data-answer": entry.id },
    el("button", { type: "button", class: "entry", onclick: () => open(entry) },
      el("span", { class: "entry-question", dir: "auto" }, cut(oneLine(entry.asked ?? entry.question), 110)),
      el("span", { class: "entry-short", dir: "auto" }, cut(oneLine(ends), 60)),
      el("span", { class: "small" }, [entry.of && "✎ branch", entry.method, seconds(entry.seconds), when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false })].filter(Boolean).join(" · "), " ", supportChip(entry.standing ?? entry.support))),
    el("button", { type: "button", class: "link small", onclick: () => open(entry, true), "aria-label": `Compare: ${cut(oneLine(entry.question), 80)}, ${entry.method}` }, "Compare"),
    " ",
    button("Delete", () => forget(entry), { class: "link small", "aria-label": `Delete: ${cut(oneLine(entry.question), 80)}, ${entry.method}` }));
}

function markHistory(ids) {
  for (const item of byId("history-list").children) {
    const isShown = ids.includes(item.dataset.answer);
    item.classList.toggle("current", isShown);
    if (isShown) item.firstChild.setAttribute("aria-current", "true");
    else item.firstChild.removeAttribute?.("aria-current");
  }
}

function closeHistory() {
  byId("history").classList.remove("open");
  byId("history-toggle").setAttribute("aria-expanded", "false");
}

function sizeQuestion() {
  const area = byId("question");
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight, 240)}px`;
}

function chooseTheme(theme) {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem("hopweave-theme", theme);
  document.querySelector(`input[name=theme][value=${theme}]`).checked = true;
}

function options(select, values, chosen, first = null) {
  const all = [...(first === null ? [] : [["", first]]), ...values.map((value) => [value, value])];
  select.replaceChildren(...all.map(([value, name]) => el("option", { value, selected: value === chosen }, name)));
}

async function load() {
  await loadWords();
  const [methods, corpora] = await Promise.all([got("v1/methods"), got("v1/corpora")]);
  const names = methods.methods.map((one) => one.name);
  options(byId("corpus"), corpora.corpora.map((one) => one.name), corpora.corpora[0]?.name);
  options(byId("method"), names, methods.default);
  options(byId("compare-with"), names, "", "no other method");
  byId("key-form").hidden = true;
  byId("composer").hidden = false;
  await listHistory();
  await reports(showRecord, refuse);
  await restore();
}

// What the address names, as after a reload.
async function restore() {
  const ids = decodeURIComponent(location.hash.slice(1)).split("+").filter(Boolean).slice(0, MOST_SHOWN);
  const found = await Promise.all(ids.map((id) => got(`v1/answers/${encodeURIComponent(id)}`).catch(() => null)));
  for (const [at, one] of found.entries()) {
    if (!one) continue;
    const { question, setup, branch } = one.record;
    await open({ id: one.id, question: question.text, method: setup.method, corpus: setup.settings.corpus, of: branch ? "an earlier answer" : null }, at > 0);
  }
}

function wire() {
  chooseTheme(localStorage.getItem("hopweave-theme") ?? "auto");
  for (const choice of document.querySelectorAll("input[name=theme]")) choice.addEventListener("change", () => chooseTheme(choice.value));
  byId("composer").addEventListener("submit", askNew);
  byId("question").addEventListener("input", sizeQuestion);
  byId("question").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      byId("composer").requestSubmit();
    }
  });
  byId("stop").addEventListener("click", () => shown.forEach((one) => one.run.stopping.abort()));
  byId("history-more").addEventListener("click", () => listHistory(true).catch(refuse));
  byId("new-question").addEventListener("click", () => {
    for (const one of [...shown]) remove(one);
    closePassage();
    closeHistory();
    arrange();
    byId("question").value = "";
    byId("question").focus();
  });
  byId("history-toggle").addEventListener("click", () => {
    const isOpen = byId("history").classList.toggle("open");
    byId("history-toggle").setAttribute("aria-expanded", String(isOpen));
    if (isOpen) scrollTo(0, 0);
  });
  byId("key-form").addEventListener("submit", (event) => {
    event.preventDefault();
    keepKey(byId("key").value);
    byId("key").value = "";
    load().catch(refuse);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) closePassage();
  });
}

wire();
load().catch((error) => refuse(error instanceof Refused ? error : new Refused(0, { message: error.message })));
