// The explorer: what is asked, which runs stand side by side, and the address of what is shown.

import { Refused, got, hasKey, keepKey } from "./api.js";
import { differences } from "./answer.js";
import { button, byId, cut, el, oneLine } from "./dom.js";
import { chosen, offer, prefer } from "./methods.js";
import { closePassage } from "./passage.js";
import { listPast, markPast } from "./past.js";
import { arrive, leave, linkButton, sought, stay } from "./places.js";
import { evaluation, evaluations } from "./reports.js";
import { Run, draw, redraw, say, tick } from "./runs.js";
import { loadWords } from "./signs.js";
import { welcome } from "./start.js";

const MOST_SHOWN = 2;
const SAY_EVERY_MS = 900;
const shown = []; // { run, place }, left to right
let at = null; // the place in an evaluation, where one is shown
let follows = null; // the conversation that the next question follows up: { question, turns }, of which the question is the last
let moves = 0; // how often the page has set out for something else to show
let lastSaid = 0;

const doing = {
  change: (run, change) => changeAndRun(run, change),
  close: (run) => closeRun(run),
  redraw: (run) => redrawRun(run),
  again: (run) => {
    if (at) toStart();
    preferCorpus(run.corpus);
    prefer(run.method);
    begin(run.typed, run.turns.length ? { question: run.turns.at(-1).question, turns: run.turns } : null);
  },
  follow: (run) => {
    preferCorpus(run.corpus);
    begin("", { question: run.question, turns: run.conversation });
  },
  place: (run) => shown.find((one) => one.run === run)?.place,
  refuse,
};
const past = { open: (entry, isBeside) => open(entry, isBeside), forgotten, refuse };

function refuse(error) {
  if (error?.status === 401) {
    askForKey(hasKey());
    return;
  }
  const box = byId("alert");
  box.textContent = error ? error.message : "";
  box.hidden = !error;
}

function askForKey(isUnknown) {
  const box = byId("alert");
  box.textContent = "The server does not know this key. Check it, and try again.";
  box.hidden = !isUnknown;
  byId("key-form").hidden = false;
  byId("composer").hidden = true;
  byId("welcome").hidden = true;
  byId("key").focus();
}

// Sets out for something else to show. The result tells whether the page has set out again since: then what was awaited is too late.
function setOut() {
  moves += 1;
  const mine = moves;
  return () => mine !== moves;
}

function add(run, after = null) {
  while (shown.length >= MOST_SHOWN) remove(shown.find((one) => one.run !== after) ?? shown[0]);
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

function clear() {
  closePassage();
  for (const one of [...shown]) remove(one);
}

function closeRun(run) {
  const one = shown.find((each) => each.run === run);
  if (one) remove(one);
  if (at) at.records = at.records.filter((method) => method !== run.method);
  closePassage();
  arrange();
  if (!at) byId("question").focus();
}

function otherOf(run) {
  const other = shown.find((one) => one.run !== run)?.run;
  return other?.record && run.record ? other : null;
}

function redrawRun(run) {
  const one = shown.find((each) => each.run === run);
  if (one) one.place = redraw(one.place, run, otherOf(run), doing);
}

// Everything around the runs, as they and the place in an evaluation now are.
function arrange() {
  for (const one of shown) redrawRun(one.run);
  const isRunning = shown.some((one) => one.run.isRunning);
  document.body.classList.toggle("with-two", shown.length > 1);
  byId("runs").classList.toggle("two", shown.length > 1);
  byId("welcome").hidden = shown.length > 0 || at !== null || !byId("key-form").hidden;
  byId("composer").hidden = at !== null || !byId("key-form").hidden;
  byId("reports").hidden = at === null;
  if (at) byId("evaluations").setAttribute("aria-current", "page");
  else byId("evaluations").removeAttribute("aria-current");
  byId("stop").hidden = !isRunning;
  byId("ask").hidden = isRunning;
  const said = shown.length > 1 ? differences(shown[0].run, shown[1].run, at ? null : linkButton()) : null;
  byId("runs").classList.toggle("same", said?.isSameQuestion ?? false);
  byId("differences").replaceChildren(...(said ? said.shown : []));
  byId("differences").hidden = !said;
  const ids = shown.filter((one) => one.run.isKept).map((one) => one.run.id);
  if (!isRunning || ids.length) stay({ ids, at });
  document.title = shown.length ? `${cut(oneLine(shown[0].run.question), 80)} \u00b7 hopweave` : at ? `${at.evaluation} \u00b7 hopweave` : "hopweave";
  markPast(ids);
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
  try {
    await run.ask(body, grown(run));
  } catch (error) {
    refuse(error);
  }
  arrange();
  const answer = run.record?.answer;
  say(answer ? `${run.method} is done: ${answer.short || "no answer"}. ${run.summary?.banner?.headline ?? answer.verdict.support}` : `${run.method} ended: ${run.error?.message ?? ""}`);
  await listPast(past).catch((error) => run.error || refuse(error));
}

function ask(question) {
  setOut();
  leave();
  at = null;
  clear();
  const corpus = byId("corpus").value;
  const earlier = follows?.turns ?? [];
  const methods = [chosen("method"), chosen("compare-with")].filter(Boolean);
  begin("", null, matchMedia("(hover: hover)").matches); // on a phone the keyboard would cover the answer
  for (const method of methods) {
    const run = new Run({ question, method, corpus, earlier });
    run.isRunning = true;
    add(run);
    start(run, { question, method, corpus, earlier });
  }
}

// The field for a question, with a text, and with the conversation that the question follows up.
function begin(text, following = null, hasFocus = true) {
  follows = following;
  byId("follows").hidden = !following;
  byId("follows").replaceChildren(...(following ? ["Follow-up to ", el("q", { dir: "auto" }, cut(oneLine(following.question), 110)), " ", button("Not a follow-up", () => begin(byId("question").value), { class: "link" })] : []));
  byId("question").value = text;
  sizeQuestion();
  byId("question")[hasFocus ? "focus" : "blur"]();
}

function preferCorpus(name) {
  const choice = byId("corpus");
  if (choice.value === name || ![...choice.options].some((one) => one.value === name)) return;
  choice.value = name;
  greet();
}

// The run with the change stands beside the one that it branches from.
function changeAndRun(parent, change) {
  setOut();
  leave();
  closePassage();
  const run = new Run({ question: parent.question, method: parent.method, corpus: parent.corpus, of: parent.id, earlier: parent.turns });
  run.isRunning = true;
  add(run, parent);
  start(run, { of: parent.id, changes: [change] });
  shown.at(-1).place.scrollIntoView({ block: "start" });
}

async function open(entry, isBeside = false) {
  const isTooLate = setOut();
  refuse(null);
  try {
    const run = await Run.kept(entry.id, entry);
    if (isTooLate()) return;
    leave();
    show(run, isBeside && at === null);
    closeHistory();
    byId("main").scrollIntoView({ block: "start" });
  } catch (error) {
    if (!isTooLate()) refuse(error);
  }
}

function show(run, isBeside) {
  at = null;
  if (isBeside) closePassage();
  else clear();
  add(run, isBeside ? shown[0]?.run : null);
}

function forgotten(id) {
  const one = shown.find((each) => each.run.id === id);
  if (one) closeRun(one.run);
}

// A place in an evaluation: its means, the questions behind one, and up to two records of a question. `isNamed` tells whether the
// address names it already.
async function visit(there, { focus = "", isNamed = false } = {}) {
  const isTooLate = setOut();
  refuse(null);
  try {
    const wanted = { question: "", records: [], ...there };
    const { drawn, records } = await evaluation(wanted, (next, target) => visit(next, { focus: target }));
    if (isTooLate()) return;
    if (isNamed) arrive();
    else leave();
    clear();
    at = wanted;
    byId("reports").replaceChildren(...drawn);
    for (const [index, { record, summary }] of records.entries()) {
      const run = new Run({ question: record.question.text, method: at.records[index], corpus: `${at.dataset}, ${at.evaluation}` });
      run.take(record);
      Object.assign(run, { isKept: false, summary });
      add(run, shown.at(-1)?.run);
    }
    arrange();
    if (focus) byId("reports").querySelector(focus)?.focus();
    else shown.at(-1)?.place.scrollIntoView({ block: "start" });
  } catch (error) {
    if (isTooLate()) return;
    arrive();
    arrange();
    refuse(error);
  }
}

// What the address names, as after a reload, or on the way back.
async function restore() {
  const isTooLate = setOut();
  const place = sought();
  refuse(null);
  if (place.at) {
    await visit(place.at, { isNamed: true });
    return;
  }
  const found = await Promise.all(place.ids.map((id) => Run.kept(id).catch(() => null)));
  if (isTooLate()) return;
  arrive();
  at = null;
  clear();
  for (const run of found.filter(Boolean)) show(run, shown.length > 0);
  if (found.includes(null)) refuse({ message: "An answer that this address names is not kept here: it was deleted, or belongs to somebody else." });
  arrange();
}

function toStart() {
  setOut();
  leave();
  at = null;
  clear();
  closeHistory();
  arrange();
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

async function load() {
  const isTooLate = setOut();
  await loadWords();
  const [methods, { corpora }] = await Promise.all([got("v1/methods"), got("v1/corpora")]);
  offer(methods);
  byId("corpus").replaceChildren(...corpora.map((one) => el("option", { value: one.name }, one.name)));
  byId("corpus-choice").hidden = corpora.length < 2;
  refuse(null);
  byId("key-form").hidden = true;
  byId("ask").disabled = false;
  greet();
  await Promise.all([listPast(past), evaluations()]);
  if (isTooLate() || shown.length) arrange(); // something was asked or opened meanwhile
  else await restore();
}

function greet() {
  if (byId("corpus").value) welcome(byId("corpus").value, ask);
}

function wire() {
  chooseTheme(localStorage.getItem("hopweave-theme") ?? "auto");
  for (const choice of document.querySelectorAll("input[name=theme]")) choice.addEventListener("change", () => chooseTheme(choice.value));
  byId("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    const question = byId("question").value.trim();
    if (question && !byId("ask").disabled) ask(question);
  });
  byId("question").addEventListener("input", sizeQuestion);
  byId("question").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      byId("composer").requestSubmit();
    }
  });
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address names what is shown
    byId("main").focus();
  });
  byId("corpus").addEventListener("change", greet);
  byId("stop").addEventListener("click", () => shown.forEach((one) => one.run.stopping.abort()));
  byId("history-more").addEventListener("click", () => listPast(past, true).catch(refuse));
  byId("new-question").addEventListener("click", () => {
    toStart();
    begin("");
  });
  byId("history-toggle").addEventListener("click", () => {
    const isOpen = byId("history").classList.toggle("open");
    byId("history-toggle").setAttribute("aria-expanded", String(isOpen));
    if (isOpen) scrollTo(0, 0);
  });
  byId("key-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const isKept = keepKey(byId("key").value);
    byId("key").value = "";
    if (isKept) load().catch(refuse);
    else askForKey(true);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) closePassage();
  });
  addEventListener("popstate", () => restore().catch(refuse));
  setInterval(() => shown.forEach((one) => tick(one.run, one.place)), 1000);
}

wire();
load().catch((error) => refuse(error instanceof Refused ? error : new Refused(0, { message: error.message })));
