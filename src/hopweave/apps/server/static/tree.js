// The reasoning as a tree: what caused what hangs under it. A chain is a tree that never branches.

import { button, counted, cut, el, oneLine, seconds } from "./dom.js";
import { editable, passageIdsOf } from "./outline.js";
import { nameOf } from "./passage.js";
import { meaningOf, originChip, sign, supportChip } from "./signs.js";

const MOST_CHARACTERS = 20_000; // characters of the thoughts of a call, or of the arguments of a tool call

// `doing` has: open (the ids whose particulars are shown), toggle(id), showPassage(id, from), change(change), only (texts that
// another run has, to mark what it has not), isKept.
export function tree(outline, run, doing) {
  const list = el("ul", { class: "tree", "aria-label": "Steps of the reasoning" }, outline.top.map((node) => item(node, run, doing)));
  list.addEventListener("keydown", (event) => moved(event, list));
  return list;
}

function item(node, run, doing) {
  const isOpen = doing.open.has(node.id);
  // Of another method nearly every step is another one; there only what was judged is compared.
  const isOnly = doing.others !== null && (doing.isSameMethod || node.support !== "") && !doing.others.has(fingerprint(node));
  const row = el("button", {
    type: "button",
    class: "row",
    "data-focus": `step-${node.id}`,
    "aria-expanded": String(isOpen),
    onclick: () => doing.toggle(node.id),
  }, sign(node), words(node, doing), small(node, isOnly));
  return el("li", { class: `node ${node.kind} ${node.support} ${node.is_pending ? "pending" : ""} ${isOnly ? "only" : ""}`, "data-node": node.id },
    row,
    isOpen && particulars(node, run, doing),
    node.children.length > 0 && el("ul", {}, node.children.map((child) => item(child, run, doing))));
}

function words(node, doing) {
  return el("span", { class: "words" },
    doing.awaited.has(node.id) && el("span", { class: "number" }, `#${node.id} `),
    el("span", { class: "label", title: meaningOf(node.label) }, node.label), " ",
    node.is_pending && el("span", { class: "text quiet" }, "is under way", el("span", { class: "dots", "aria-hidden": "true" })),
    node.text && el("span", { class: "text", dir: "auto" }, node.text),
    node.called && el("span", { class: "text called", dir: "auto" }, `→ ${node.called}`),
    node.became && el("span", { class: "became", dir: "auto" }, ` ⇒ ${node.became}`), " ",
    supportChip(node.support), " ", originChip(node.origin));
}

function small(node, isOnly) {
  const parts = [
    isOnly && el("span", { class: "only-here" }, "only here"),
    node.after.length > 0 && el("span", {}, `after ${node.after.map((id) => `#${id}`).join(", ")}`),
    node.tokens > 0 && el("span", {}, counted(node.tokens, "token")),
    node.seconds !== null && el("span", {}, seconds(node.seconds)),
    node.thinking && el("span", {}, node.thinking),
    node.from_store && el("span", { title: "answered by a stored reply; no model was asked" }, "from the store"),
  ].filter(Boolean);
  return el("span", { class: "small" }, parts.map((part, at) => (at ? [" ", part] : part)));
}

export function fingerprint(node) {
  return node.support ? `${node.words} ${node.support} ${node.became}` : `${node.label} ${node.words}`;
}

function particulars(node, run, doing) {
  const { step } = node;
  return el("div", { class: "particulars" },
    el("p", { class: "small" }, `Step ${step.id}`, step.kind === "decision" && meaningOf(node.label) && `: ${meaningOf(node.label)}`),
    step.was !== undefined && el("p", { class: "small" }, "Yours, in place of: ", el("q", { dir: "auto" }, [step.was].flat().join(" | "))),
    said(node, run), found(node, run, doing), facts(node), changes(node, run, doing));
}

function said(node, run) {
  const { step } = node;
  if (step.kind === "model_call") {
    const reply = step.text ?? step.error?.message ?? "";
    return [
      thoughts(step.thoughts),
      (reply || !step.tool_calls?.length) && [el("h4", {}, step.was === undefined ? "The model answered" : "Answered by you"), plain(reply)],
      toolCalls(step.tool_calls, "The model called"),
      run.record && el("details", {}, el("summary", {}, "What it was sent"), step.messages.map((index) => sent(run.record.messages[index]))),
    ];
  }
  return step.kind === "parse_failure" ? plain(step.text) : null;
}

function plain(text) {
  return el("pre", { dir: "auto", tabindex: "0" }, text);
}

// What the model thought, folded. A record keeps thoughts whole; the page shows how they begin.
function thoughts(text) {
  if (!text) return null;
  const left = text.length - MOST_CHARACTERS;
  return el("details", { class: "thoughts" }, el("summary", {}, "Thoughts"), plain(text.slice(0, MOST_CHARACTERS)),
    left > 0 && el("p", { class: "small" }, `${counted(left, "more character")} in the record`));
}

function toolCalls(calls, title, heading = "h4") {
  if (!calls?.length) return null;
  return el("div", {}, el(heading, {}, title), calls.map((call) => plain(cut(`${call.name} ${call.arguments}`, MOST_CHARACTERS))));
}

function sent(message) {
  const role = message.result_of ? `${message.role}, the result of ${message.result_of}` : message.role;
  return el("div", {}, el("h5", {}, role), thoughts(message.thoughts), (message.text || !message.tool_calls?.length) && plain(message.text), toolCalls(message.tool_calls, "calls", "h5"));
}

function found(node, run, doing) {
  const { step } = node;
  if (step.kind === "search") {
    return step.queries.map((query, at) => [
      el("h4", { dir: "auto" }, oneLine(query)),
      step.hits[at]?.length
        ? el("ol", { class: "hits" }, step.hits[at].map((hit) => el("li", {}, passageButton(hit.passage_id, run, doing, step.id), " ",
          el("span", { class: "small" }, Number(hit.score).toFixed(2), step.pinned?.includes(hit.passage_id) && " · pinned by you"))))
        : el("p", { class: "small" }, "nothing found"),
      at === 0 && step.forbidden?.length > 0 && el("p", { class: "small" }, "Forbidden by you: ", step.forbidden.join(", ")),
    ]);
  }
  const ids = passageIdsOf(step);
  return ids.length ? el("p", {}, "In ", ids.map((id) => passageButton(id, run, doing, step.id))) : null;
}

export function titleOf(id, run) {
  const passage = run.passages?.get(id);
  return passage ? nameOf(passage) : id;
}

function passageButton(id, run, doing, step) {
  return el("button", { type: "button", class: "link", dir: "auto", onclick: (event) => doing.showPassage(id, step, event.currentTarget) }, cut(oneLine(titleOf(id, run)), 80));
}

function facts(node) {
  const shown = Object.entries(node.step.data ?? {}).filter(([name, value]) => !["origin", "support"].includes(name) && value !== null && value !== "");
  const confidence = node.confidence ?? node.step.reading?.confidence ?? null;
  if (confidence !== null && !node.step.data?.confidence) shown.push(["reader’s score", Number(confidence).toFixed(2)]);
  if (!shown.length) return null;
  return el("dl", { class: "facts" }, shown.map(([name, value]) =>
    el("div", {}, el("dt", {}, name), el("dd", { dir: "auto" }, typeof value === "string" ? value : JSON.stringify(value)))));
}

function changes(node, run, doing) {
  if (!run.isKept) return null;
  const choices = editable(node, run.steps);
  if (!choices.length) return null;
  const place = el("div", { class: "editor-place" });
  return el("div", { class: "changes" },
    choices.map((choice) => button(`${choice.change === "query" ? "Edit the query" : "Edit the answer"}${choices.length > 2 ? ` “${cut(oneLine(choice.was), 30)}”` : ""}`,
      () => place.replaceChildren(editor(choice, doing, place)))),
    place);
}

function editor(choice, doing, place) {
  const area = el("textarea", { rows: Math.min(12, choice.was.split("\n").length + 1), "aria-label": choice.change === "query" ? "Query" : "Answer" });
  area.value = choice.was;
  const form = el("form", { class: "editor" }, area,
    el("p", { class: "small" }, `All before step ${choice.step} is replayed without the model; what follows is asked again.`),
    el("div", { class: "editor-ends" }, el("button", { class: "main-button" }, "Run again from here"), button("Cancel", () => place.replaceChildren())));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (area.value.trim() && area.value !== choice.was) doing.change({ ...choice, now: area.value });
  });
  queueMicrotask(() => area.focus());
  return form;
}

// The arrow keys go from row to row, Home and End to the first and the last.
function moved(event, list) {
  const rows = [...list.querySelectorAll(".row")];
  const at = rows.indexOf(event.target);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (at < 0 || to === undefined || !rows[to]) return;
  event.preventDefault();
  rows[to].focus();
}
