// A run: a question on its way, or a kept answer. And how one is drawn, from its header to its tree.

import { Refused, asked, exported, got } from "./api.js";
import { answerOf, claimKey } from "./answer.js";
import { button, byId, counted, cut, el, elapsed, oneLine, seconds, unbroken } from "./dom.js";
import { graph } from "./graph.js";
import { outline, passageIdsOf } from "./outline.js";
import { showPassage } from "./passage.js";
import { linkButton } from "./places.js";
import { legend } from "./signs.js";
import { fingerprint, titleOf, tree } from "./tree.js";

const LOST = "The connection ended before the answer did. Check that the server is running, then ask again.";

export class Run {
  constructor({ question, method, corpus, of = null, earlier = [] }) {
    Object.assign(this, { id: null, question, method, corpus, of, earlier, record: null, error: null, summary: null, usual: null });
    this.known = new Map();
    this.growing = { with_calls: new Map(), without_calls: new Map() };
    this.open = new Set();
    this.withCalls = false;
    this.withLegend = false;
    this.unfolded = new Set(); // the titles of what is folded out
    this.isReasoningOpen = null; // until the reader says: open while it grows
    this.isKept = false;
    this.isRunning = false;
    this.since = Date.now();
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
        started: (data) => Object.assign(this, { id: data.id, method: data.method, corpus: data.corpus, question: data.question, usual: data.usual }),
        step: (data) => this.grow(data, changed),
        drawing: (data) => this.redrawn(data, changed),
        answer: (data) => ended.push(take(data)),
        failed: (data) => ended.push(take(data)),
      }, this.stopping.signal);
      if (!ended.length && !this.error) this.error = { message: LOST };
    } catch (error) {
      this.error = error.name === "AbortError" ? { message: "Nothing of it is kept; ask again, or something else.", isStop: true } : { message: error instanceof Refused ? error.message : LOST, code: error.code };
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
    this.question = record.question.text;
    this.asked = record.steps.find((step) => step.label === "rewritten" && step.data?.asked)?.data ?? null;
  }

  // The question as it was typed; a follow-up is completed before it is answered.
  get typed() {
    return this.asked?.asked ?? this.question;
  }

  // The questions and answers before it, where it is a follow-up.
  get turns() {
    return this.asked?.turns ?? this.earlier;
  }

  // This question and its answer, after those before it: what a follow-up question builds on.
  get conversation() {
    return [...this.turns, { question: this.typed, answer: this.record?.answer?.short || this.record?.answer?.text || "" }];
  }

  async stand() {
    this.summary = await got(`v1/answers/${encodeURIComponent(this.id)}/summary`);
  }

  // A kept answer, with what the history says of it if it is opened there.
  static async kept(id, entry = null) {
    const { record } = await got(`v1/answers/${encodeURIComponent(id)}`);
    const run = new Run(entry ?? entryOf(record));
    run.id = id;
    run.take(record);
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

// What the history says of a record. The settings name its method as clients do.
function entryOf({ question, setup, branch }) {
  const [method = setup.method] = Object.keys(setup.settings.methods ?? {});
  return { question: question.text, method, corpus: setup.settings.corpus, of: branch ? "an earlier answer" : null };
}

// A method that decides nothing is drawn by its calls.
function drawn(run) {
  const made = outline(run.rows(run.withCalls ? "with_calls" : "without_calls"), run.steps);
  return made.top.length ? made : outline(run.rows("with_calls"), run.steps);
}

// `doing` has: change(run, change), close(run), redraw(run), again(run), follow(run), refuse(error), place(run), its element.
export function draw(run, other, doing) {
  const article = el("article", { class: `run ${run.isRunning ? "running" : ""}`, "aria-label": `${run.method}: ${cut(oneLine(run.question), 80)}`, "data-run": run.id ?? "" });
  const answering = {
    cite: (mark, from) => cite(run, mark, from, doing),
    contradiction: (at, from) => contradiction(run, at, from, doing),
  };
  // An answer that came a moment before the end of its run is drawn with it: how it stands is not known earlier.
  const stands = run.isRunning ? progress(run) : answerOf(run, answering, other?.claims ?? null) ?? "";
  article.append(head(run, doing), branch(run) ?? "", stands, reasoning(run, other, doing), foot(run, doing));
  return article;
}

function head(run, doing) {
  const facts = [run.corpus && `from ${run.corpus}`, run.record && unbroken(`in ${seconds(run.record.seconds)}`)].filter(Boolean);
  return el("header", { class: "run-head" },
    el("div", {},
      el("h2", { dir: "auto" }, oneLine(run.question)),
      run.asked && oneLine(run.asked.asked) !== oneLine(run.question) && el("p", { class: "small", dir: "auto" }, `You asked “${cut(oneLine(run.asked.asked), 160)}”; this is how it was understood.`),
      el("p", { class: "small tally" }, el("b", {}, run.method), " ", facts.join(" "), run.of && [" ", el("span", { class: "chip origin yours" }, "✎ changed")])),
    button("Close", () => doing.close(run), { "aria-label": `Close this answer of ${run.method}`, "data-focus": "close" }));
}

// How long it has taken, and how long such questions took before.
function progress(run) {
  return el("div", { class: "progress" }, el("p", { role: "timer" }, el("b", { class: "elapsed" }, elapsed(passed(run))), el("span", { class: "small expected" }, expected(run))),
    run.usual && el("progress", { max: run.usual.seconds, value: Math.min(passed(run), run.usual.seconds), "aria-label": "Time passed, of the usual time" }));
}

function passed(run) {
  return (Date.now() - run.since) / 1000;
}

function expected(run) {
  if (!run.usual) return "";
  const { seconds: usual, num_answers: number } = run.usual;
  const usually = `usually about ${elapsed(Math.max(1, usual))}, by ${counted(number, "earlier answer")} of ${run.method} on this server`;
  return passed(run) > 1.2 * usual + 1 ? `longer than usual (${usually})` : usually;
}

// Goes on with the time, without drawing the run again.
export function tick(run, place) {
  const shown = place.querySelector(".progress");
  if (!run.isRunning || !shown) return;
  shown.querySelector(".elapsed").textContent = elapsed(passed(run));
  shown.querySelector(".expected").textContent = expected(run);
  const bar = shown.querySelector("progress");
  if (bar) bar.value = Math.min(passed(run), run.usual.seconds);
}

function reasoning(run, other, doing) {
  const made = drawn(run);
  if (!made.nodes.size) return "";
  const toggle = (id) => {
    if (!run.open.delete(id)) run.open.add(id);
    doing.redraw(run);
  };
  const awaited = new Set([...made.nodes.values()].flatMap((node) => node.after));
  const show = (id, step, from) => openPassage(run, id, { step, from }, doing);
  const pictured = graph(made, (id) => reveal(doing.place(run), id));
  const rows = tree(made, run, { open: run.open, toggle, showPassage: show, change: (change) => doing.change(run, change), others: other?.fingerprints ?? null, isSameMethod: other?.method === run.method, awaited });
  const section = el("details", { class: "reasoning", open: run.isReasoningOpen ?? run.isRunning },
    el("summary", { "data-focus": "reasoning" }, el("span", {}, run.isRunning ? "What is being done" : run.error ? "What was done" : "How this was found"), el("span", { class: "small tally" }, costs(run))),
    callsToggle(run, doing),
    pictured && el("div", { class: "graph-place", tabindex: "0", role: "region", "aria-label": "Graph", "data-focus": "graph" }, pictured),
    rows, legend(made.nodes.values(), run));
  section.firstChild.addEventListener("click", () => { run.isReasoningOpen = !section.open; });
  return section;
}

function costs(run) {
  const totals = run.summary?.totals;
  if (!totals) return "";
  const tokens = totals.prompt_tokens + totals.completion_tokens;
  const parts = [[totals.thinking_tokens, "thinking"], [totals.estimated_tokens, "estimated"]].filter(([number]) => number);
  const some = parts.length ? ` (of which ${parts.map(([number, what]) => `${number.toLocaleString("en")} ${what}`).join(", ")})` : "";
  return [counted(totals.llm_calls, "model call"), counted(totals.searches, "search", "searches"), `${counted(tokens, "token")}${some}`].map(unbroken).join(" · ");
}

function foot(run, doing) {
  if (run.isRunning) return "";
  return el("footer", { class: "run-foot" },
    run.isKept && run.record?.answer && button("Ask a follow-up", () => doing.follow(run), { "data-focus": "follow" }),
    button("Ask again", () => doing.again(run), { "data-focus": "again" }),
    run.isKept && linkButton(),
    run.isKept && el("span", { class: "exports" }, el("span", { class: "small" }, "Export "),
      ["html", "mermaid", "json"].map((view) => button(view === "mermaid" ? "Mermaid" : view.toUpperCase(), () => download(run, view, doing), { "data-focus": `export-${view}` }))));
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
  const box = el("input", { type: "checkbox", "data-focus": "calls", checked: run.withCalls, onchange: () => {
    run.withCalls = box.checked;
    doing.redraw(run);
  } });
  return el("label", { class: "switch" }, box, " Show calls, searches and readings");
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

// The words behind a mark of the answer, beside it: the answer stays where it is.
function cite(run, mark, from, doing) {
  const claim = run.record.answer.claims.find((one) => one.citations.some((citation) => citation.mark === mark));
  const citation = claim.citations.find((one) => one.mark === mark);
  openPassage(run, citation.passage_id, { from, node: run.summary?.steps_of_marks[mark], citations: claim.citations }, doing);
}

function contradiction(run, at, from, doing) {
  const citation = run.record.answer.claims[at].contradicted_by;
  openPassage(run, citation.passage_id, { from, citations: [citation] }, doing);
}

// `how` has: from (the element that it is opened from), and may have: step (a search that found it), node (the step that it
// answers), citations (those to mark; all of the answer if there are none).
function openPassage(run, id, { from, step = null, node = null, citations = null }, doing) {
  const passage = run.passages.get(id);
  if (!passage) return;
  const all = citations ?? (run.record?.answer?.claims ?? []).flatMap((claim) => claim.citations);
  const finds = (one) => one.kind === "search" && passageIdsOf(one).includes(id);
  const search = run.steps.find((one) => finds(one) && one.id === (step ?? one.id)) ?? run.steps.find(finds);
  const changes = run.isKept && search ? {
    step: search.id,
    forbid: () => doing.change(run, { change: "forbid", step: search.id, passage: id }),
    pin: () => doing.change(run, { change: "pin", step: search.id, passage: id }),
  } : null;
  const toStep = node === null ? null : () => {
    run.isReasoningOpen = true;
    reveal(doing.place(run), node);
  };
  showPassage(passage, all.filter((one) => one.passage_id === id), { reveal: toStep, changes }, from, run.isKept ? run.corpus : null);
}

function reveal(article, id) {
  const found = article?.querySelector(`[data-node="${id}"]`);
  if (!found) return;
  found.closest("details").open = true;
  for (const other of article.querySelectorAll(".shown")) other.classList.remove("shown");
  found.classList.add("shown");
  found.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

// Draws a run in the place of an earlier drawing of it, and leaves the focus where it was, by the name in `data-focus`.
export function redraw(place, run, other, doing) {
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  const made = draw(run, other, doing);
  place.replaceWith(made);
  if (focused) made.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  return made;
}

export function say(text) {
  byId("says").textContent = text;
}
