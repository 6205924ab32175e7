// A run: a question on its way, or a kept answer. And how one is drawn, from its header to its tree.

import { asked, exported, got } from "./api.js";
import { answerOf, claimKey, claimsOf } from "./answer.js";
import { button, byId, counted, cut, el, oneLine, seconds } from "./dom.js";
import { graph } from "./graph.js";
import { outline, passageIdsOf } from "./outline.js";
import { showPassage } from "./passage.js";
import { legend } from "./signs.js";
import { fingerprint, titleOf, tree } from "./tree.js";

export class Run {
  constructor({ question, method, corpus, of = null }) {
    Object.assign(this, { id: null, question, method, corpus, of, record: null, error: null, summary: null });
    this.known = new Map();
    this.growing = { with_calls: new Map(), without_calls: new Map() };
    this.open = new Set();
    this.withCalls = false;
    this.withLegend = false;
    this.isKept = false;
    this.isRunning = false;
    this.passages = new Map();
    this.stopping = new AbortController();
  }

  get steps() {
    return this.record ? this.record.steps : [...this.known.values()].sort((one, other) => one.id - other.id);
  }

  // Asks, and calls `changed(said)` with each step as it comes.
  async ask(body, changed) {
    this.isRunning = true;
    const take = async (data) => {
      this.id = data.id;
      if (data.record) this.take(data.record);
      this.error = data.error ?? null;
    };
    const ended = [];
    try {
      await asked(body, {
        started: (data) => Object.assign(this, { id: data.id, method: data.method, corpus: data.corpus, question: data.question }),
        step: (data) => this.grow(data, changed),
        drawing: (data) => this.redrawn(data, changed),
        answer: (data) => ended.push(take(data)),
        failed: (data) => ended.push(take(data)),
      }, this.stopping.signal);
      if (!ended.length && !this.error) this.error = { message: "The connection ended before the answer did." };
    } catch (error) {
      this.error = { message: error.name === "AbortError" ? "Stopped." : error.message };
      if (error.status === 401) throw error;
    } finally {
      this.isRunning = false;
      await Promise.all(ended);
    }
    if (this.record) await this.stand();
  }

  grow(step, changed) {
    this.known.set(step.id, step);
    changed(step);
  }

  // Takes what changes in the drawing.
  redrawn(changes, changed) {
    for (const [name, { nodes, gone }] of Object.entries(changes)) {
      for (const id of gone) this.growing[name].delete(id);
      for (const node of nodes) this.growing[name].set(node.id, node);
    }
    changed();
  }

  rows(name) {
    return this.summary?.drawing[name] ?? [...this.growing[name].values()];
  }

  take(record) {
    this.record = record;
    this.isKept = true;
    this.open.clear();
    this.passages = new Map(record.passages.map((passage) => [passage.id, passage]));
    if (record.error && !this.error) this.error = record.error;
  }

  async stand() {
    this.summary = await got(`v1/answers/${encodeURIComponent(this.id)}/summary`);
  }

  static async kept(entry) {
    const run = new Run(entry);
    run.id = entry.id;
    run.take((await got(`v1/answers/${encodeURIComponent(entry.id)}`)).record);
    await run.stand();
    return run;
  }

  // The words of its nodes and claims, to tell what another run has not.
  get fingerprints() {
    return this.record ? new Set([...drawn(this).nodes.values()].map(fingerprint)) : null;
  }

  get claims() {
    return this.record ? new Set((this.record.answer?.claims ?? []).map(claimKey)) : null;
  }
}

// A method that decides nothing is drawn by its calls.
function drawn(run) {
  const made = outline(run.rows(run.withCalls ? "with_calls" : "without_calls"), run.steps);
  return made.top.length ? made : outline(run.rows("with_calls"), run.steps);
}

// `doing` has: change(run, change), close(run), redraw(run), refuse(error).
export function draw(run, other, doing) {
  const made = drawn(run);
  const article = el("article", { class: `run ${run.isRunning ? "running" : ""}`, "aria-label": `${run.method}: ${cut(oneLine(run.question), 80)}`, "data-run": run.id ?? "" });
  const jump = (mark, from) => jumpTo(run, article, mark, from, doing);
  const toggle = (id) => {
    if (!run.open.delete(id)) run.open.add(id);
    doing.redraw(run);
  };
  const awaited = new Set([...made.nodes.values()].flatMap((node) => node.after));
  const show = (id, step, from) => openPassage(run, id, step, from, doing);
  const pictured = graph(made, (id) => reveal(article, id));
  const rows = tree(made, run, { open: run.open, toggle, showPassage: show, change: (change) => doing.change(run, change), others: other?.fingerprints ?? null, isSameMethod: other?.method === run.method, awaited });
  article.append(el("div", {}, head(run, doing), branch(run), answerOf(run, jump),
    claimsOf(run, jump, (at, from) => contradiction(run, at, from, doing), other?.claims ?? null),
    el("section", { class: "reasoning" },
      el("div", { class: "reasoning-head" }, el("h3", {}, "Reasoning"), callsToggle(run, doing)),
      pictured && el("div", { class: "graph-place", tabindex: "0", role: "region", "aria-label": "Graph" }, pictured),
      rows, legend(made.nodes.values(), run))));
  return article;
}

function head(run, doing) {
  const totals = run.summary?.totals;
  const facts = [
    run.corpus,
    totals && counted(totals.llm_calls, "call"),
    totals && `${totals.prompt_tokens.toLocaleString("en")} + ${totals.completion_tokens.toLocaleString("en")} tokens${totals.thinking_tokens ? ` (of which ${totals.thinking_tokens.toLocaleString("en")} thinking)` : ""}`,
    totals && counted(totals.searches, "search", "searches"),
    run.record && seconds(run.record.seconds),
    run.isRunning && "at work",
  ].filter(Boolean);
  const exports = run.isKept && el("span", { class: "exports" }, el("span", { class: "small" }, "Export "),
    ["html", "mermaid", "json"].map((view) => button(view === "mermaid" ? "Mermaid" : view.toUpperCase(), () => download(run, view, doing))));
  return el("header", { class: "run-head" },
    el("div", {}, el("h2", {}, run.method, run.of && el("span", { class: "chip origin yours" }, "✎ branch")), el("p", { class: "small tally" }, facts.join(" · "))),
    el("div", { class: "run-ends" }, exports, button("Close", () => doing.close(run), { "aria-label": `Close this run of ${run.method}` })));
}

function branch(run) {
  const changes = run.record?.branch?.changes ?? [];
  if (!changes.length) return null;
  return el("ul", { class: "branch", "aria-label": "What was changed" }, changes.map((change) => el("li", { dir: "auto" }, changeText(change, run))));
}

function changeText(change, run) {
  const words = (text) => `“${cut(oneLine(text), 120)}”`;
  const [was, now] = whereTheyDiffer(oneLine(change.was), oneLine(change.now)).map(words);
  switch (change.change) {
    case "reply": return `Step ${change.step}: answered ${now} in place of ${was}`;
    case "query": return `Step ${change.step}: searched for ${now} in place of ${was}`;
    case "forbid": return `From step ${change.step} on: ${words(titleOf(change.passage, run))} forbidden`;
    default: return `Step ${change.step}: ${words(titleOf(change.passage, run))} pinned as the first hit`;
  }
}

// Two texts without the words that they begin and end with alike, but for a few.
function whereTheyDiffer(was, now) {
  const [left, right] = [was.split(" "), now.split(" ")];
  let start = 0;
  while (start < Math.min(left.length, right.length) && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < Math.min(left.length, right.length) - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const [from, rest] = [Math.max(0, start - 2), Math.max(0, end - 2)];
  return [left, right].map((all) => `${from ? "… " : ""}${all.slice(from, all.length - rest).join(" ")}${rest ? " …" : ""}`);
}

function callsToggle(run, doing) {
  const box = el("input", { type: "checkbox", checked: run.withCalls, onchange: () => {
    run.withCalls = box.checked;
    doing.redraw(run);
  } });
  return el("label", { class: "switch" }, box, " Calls, searches and readings");
}

async function download(run, view, doing) {
  try {
    const { blob, name } = await exported(run.id, view);
    const url = URL.createObjectURL(blob);
    el("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  } catch (error) {
    doing.refuse(error);
  }
}

// The step and the words behind a mark of the answer.
function jumpTo(run, article, mark, from, doing) {
  const claim = run.record.answer.claims.find((one) => one.citations.some((citation) => citation.mark === mark));
  const node = run.summary?.steps_of_marks[mark] ?? null;
  if (node !== null) reveal(article, node);
  const citation = claim.citations.find((one) => one.mark === mark);
  openPassage(run, citation.passage_id, null, from, doing, claim.citations);
}

function contradiction(run, at, from, doing) {
  const citation = run.record.answer.claims[at].contradicted_by;
  openPassage(run, citation.passage_id, null, from, doing, [citation]);
}

function openPassage(run, id, step, from, doing, citations = null) {
  const passage = run.passages.get(id);
  if (!passage) return;
  const all = citations ?? (run.record?.answer?.claims ?? []).flatMap((claim) => claim.citations);
  const search = run.steps.find((one) => one.kind === "search" && (step === null || one.id === step) && passageIdsOf(one).includes(id))
    ?? run.steps.find((one) => one.kind === "search" && passageIdsOf(one).includes(id));
  const changes = run.isKept && search && {
    step: search.id,
    forbid: () => doing.change(run, { change: "forbid", step: search.id, passage: id }),
    pin: () => doing.change(run, { change: "pin", step: search.id, passage: id }),
  };
  showPassage(passage, all.filter((one) => one.passage_id === id), changes || null, from, run.isKept ? run.corpus : null);
}

function reveal(article, id) {
  const found = article.querySelector(`[data-node="${id}"]`);
  if (!found) return;
  for (const other of article.querySelectorAll(".shown")) other.classList.remove("shown");
  found.classList.add("shown");
  found.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

// Draws a run in the place of an earlier drawing of it, and leaves the focus where it was.
export function redraw(place, run, other, doing) {
  const focused = place?.contains(document.activeElement) ? document.activeElement.dataset.step : undefined;
  const made = draw(run, other, doing);
  place.replaceWith(made);
  if (focused !== undefined) made.querySelector(`[data-step="${focused}"]`)?.focus({ preventScroll: true });
  return made;
}

export function say(text) {
  byId("says").textContent = text;
}
