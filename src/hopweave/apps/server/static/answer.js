// The answer of a run: how it stands, what it follows from, and the marks that lead to the words of passages. Each finding once.

import { capitalised, el, oneLine } from "./dom.js";
import { nameOf } from "./passage.js";
import { originOf, sign, supportChip, whyNot } from "./signs.js";

// `doing` has: cite(mark, element), which opens the words behind a mark, and contradiction(at, element); `others` are the claims of
// the other run, of which those that it does not make are marked.
export function answerOf(run, doing, others) {
  if (run.error) return el("p", { class: `failure ${run.error.isStop ? "stopped" : ""}` }, el("strong", {}, "No answer. "), run.error.message);
  const answer = run.record?.answer;
  if (!answer) return null;
  const banner = run.summary?.banner;
  const tone = banner?.tone ?? { supported: "good", contradicted: "bad", unsupported: "warn" }[answer.verdict.support];
  const isLong = run.record.question.form === "long";
  return el("div", { class: `answer tone-${tone}` },
    !isLong && el("p", { class: "short", dir: "auto" }, oneLine(answer.short) || "No answer"),
    isLong && text(run, doing),
    isLong || oneLine(answer.short) ? banner && el("p", { class: "support" }, el("strong", {}, `${banner.sign} ${banner.headline}`), `: ${banner.counts}.`)
      : el("p", { class: "support" }, "Nothing that was found answers it well enough, or the model gave no usable reply. Try other words, or another method."),
    remarks(answer),
    isLong ? folded(run, "What each statement rests on", findings(run, doing, others)) : findings(run, doing, others),
    !isLong && oneLine(answer.text) !== oneLine(answer.short) && folded(run, "The answer in the model’s words", text(run, doing)));
}

function remarks(answer) {
  return [
    answer.stopped_because !== "finished" && `Stopped early: ${answer.stopped_because}`,
    answer.num_marks_removed > 0 && `Invented marks removed: ${answer.num_marks_removed}`,
  ].filter(Boolean).map((remark) => el("p", { class: "remark" }, remark));
}

function folded(run, title, inside) {
  const toggled = (event) => run.unfolded[event.currentTarget.open ? "add" : "delete"](title);
  return inside && el("details", { class: "folded", open: run.unfolded.has(title), ontoggle: toggled }, el("summary", {}, title), inside);
}

// Positions are code points, not the units of a string here.
function text(run, doing) {
  const { answer } = run.record;
  const letters = Array.from(answer.text);
  const pieces = [];
  let done = 0;
  for (const { number, start, end } of run.summary?.marks ?? []) {
    pieces.push(letters.slice(done, start).join(""), markButton(number, "", doing));
    done = end;
  }
  return el("p", { class: "long", dir: "auto" }, pieces, letters.slice(done).join(""));
}

function markButton(mark, title, doing) {
  return el("button", { type: "button", class: "mark", "data-mark": mark, "aria-label": `Citation ${mark}${title && `: ${title}`}`, onclick: (event) => doing.cite(mark, event.currentTarget) },
    `[${mark}]`, title && el("span", { class: "mark-title" }, title));
}

function findings(run, doing, others) {
  const made = (run.record.answer.claims ?? []).map((claim, at) => finding(run, claim, at, doing, others)).filter(Boolean);
  return made.length > 0 && el("ol", { class: "claims", "aria-label": "What the answer follows from" }, made);
}

function finding(run, claim, at, doing, others) {
  const isOnly = others !== null && !others.has(claimKey(claim));
  const marks = new Map(claim.citations.map((one) => [one.mark, run.passages.get(one.passage_id)]));
  const [said, remarked] = [words(run, claim), remarksOn(claim, (from) => doing.contradiction(at, from))];
  if (!said && !remarked) return null;
  return el("li", { class: `${claim.support} ${isOnly ? "only" : ""}` },
    sign({ support: claim.support, kind: "decision" }), el("span", { class: "unseen" }, `${claim.support}: `),
    el("div", {},
      said && el("p", { class: "claim", dir: "auto" }, said, " ", [...marks].map(([mark, passage]) => markButton(mark, passage ? nameOf(passage) : "", doing)),
        isOnly && [" ", el("span", { class: "only-here" }, "only here")]),
      remarked));
}

// A claim that is the whole answer again is told in the words of its passage.
function words(run, claim) {
  const { short } = run.record.answer;
  const isAnswer = oneLine(claim.query) === oneLine(run.record.question.text) && oneLine(claim.text) === oneLine(short);
  if (isAnswer && claim.citations.length) return el("q", {}, oneLine(claim.citations[0].quote));
  if (isAnswer) return null;
  const asks = oneLine(claim.query) !== oneLine(run.question) && el("span", { class: "query" }, `${oneLine(claim.query)} `);
  return [asks, el("b", {}, oneLine(claim.text) || "not answered")];
}

function remarksOn(claim, against) {
  const said = [
    whyNot(claim) && el("span", {}, capitalised(whyNot(claim))),
    ["corrected", "yours"].includes(claim.origin) && el("span", {}, capitalised(originOf(claim))),
    claim.contradicted_by && el("button", { type: "button", class: "link", onclick: (event) => against(event.currentTarget) }, "what says otherwise"),
  ].filter(Boolean);
  return said.length > 0 && el("p", { class: "small claim-says" }, said.map((one, at) => [at > 0 && " · ", one]));
}

export function claimKey(claim) {
  return `${oneLine(claim.query)} ${oneLine(claim.text)} ${claim.support}`.toLowerCase();
}

// What differs between two runs, in a few words each, under their question if it is the same. `link` copies the address of both.
export function differences(left, right, link) {
  const [one, other] = [left, right].map((run) => run.record?.answer);
  if (!left.record || !right.record) return null;
  const shorts = [one, other].map((answer) => oneLine(answer?.short));
  const isSame = shorts[0].toLowerCase() === shorts[1].toLowerCase();
  const passages = [left, right].map((run) => new Set(run.record.passages.map((passage) => passage.id)));
  const only = [...passages[0]].filter((id) => !passages[1].has(id)).length;
  const onlyOther = [...passages[1]].filter((id) => !passages[0].has(id)).length;
  const shared = passages[0].size - only;
  const standings = [left, right].map((run) => run.summary?.banner?.standing ?? run.record.answer?.verdict.support);
  const isSameQuestion = oneLine(left.question) === oneLine(right.question);
  const head = el("div", { class: "run-head" }, el("h2", { dir: "auto" }, isSameQuestion ? oneLine(left.question) : "Two questions"), link);
  const facts = el("dl", {},
    fact("Answers", isSame ? "the same" : el("span", {}, el("b", { dir: "auto" }, shorts[0] || "no answer"), " against ", el("b", { dir: "auto" }, shorts[1] || "no answer")), !isSame),
    fact("Support", standings.map((standing, at) => [at ? " against " : "", supportChip(standing) ?? "no answer"]), standings[0] !== standings[1]),
    fact("Passages", `${shared} found by both, ${only} by the first alone, ${onlyOther} by the second alone`, only + onlyOther > 0),
    fact("Model calls", calls(left, right), false));
  return { shown: [head, facts], isSameQuestion };
}

function calls(left, right) {
  return [left, right].map((run) => run.summary?.totals.llm_calls ?? "?").join(" against ");
}

function fact(name, value, isDifferent) {
  return el("div", { class: isDifferent ? "differs" : "" }, el("dt", {}, name), el("dd", {}, value));
}
