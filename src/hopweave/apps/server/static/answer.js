// The answer of a run: how it stands, what it follows from, and the marks that lead to the words of passages. Each finding once.

import { capitalised, counted, el, oneLine } from "./dom.js";
import { nameOf } from "./passage.js";
import { failureOf, originOf, sign, supportChip, whyNot } from "./signs.js";

const LIMITS = {
  max_llm_calls: "as many model calls as a question may make",
  max_tokens: "as many tokens as a question may use",
  max_searches: "as many searches as a question may make",
  max_seconds: "as much time as a question may take",
};

// `doing` has: cite(mark, element), which opens the words behind a mark, and contradiction(at, element); `others` are the claims of
// the other run, of which those that it does not make are marked.
export function answerOf(run, doing, others) {
  if (run.error) return failure(run);
  const answer = run.record?.answer;
  if (!answer) return null;
  const banner = run.summary?.banner;
  const tone = isAbstained(answer, banner) ? "quiet" : banner?.tone ?? { supported: "good", contradicted: "bad", unsupported: "warn" }[answer.verdict.support];
  const inside = isOfWholeCorpus(answer) ? ofWholeCorpus : run.record.question.form === "long" ? long : short;
  return el("div", { class: `answer tone-${tone}` }, inside(run, answer, banner, doing, others));
}

function failure(run) {
  const { error } = run;
  const failed = error.code === "server_error" ? "the server failed" : failureOf(error.code ?? error.kind)?.what;
  const what = error.isStop ? "Stopped." : failed ? `No answer: ${failed}.` : "No answer.";
  return el("div", { class: `failure ${error.isStop ? "stopped" : ""}` }, el("p", {}, el("strong", {}, what)), el("p", {}, error.message.replace(/^[a-z]+ /, capitalised)),
    run.record?.error?.retryable && el("p", {}, "It may pass: ask again in a while."));
}

function short(run, answer, banner, doing, others) {
  const isSaidAgain = bare(piecesOf(run, () => "")) === bare([answer.short]);
  const hasNone = isAbstained(answer, banner);
  return [
    el("p", { class: "short", dir: "auto" }, hasNone ? "No answer" : oneLine(answer.short)),
    hasNone ? el("p", { class: "support" }, abstained(answer)) : support(answer, banner),
    remarks(answer),
    ...(hasNone && !isSaidAgain ? [text(run, doing), folded(run, "What each statement rests on", findings(run, doing, others))]
      : [findings(run, doing, others), !isSaidAgain && folded(run, "The answer in the model’s words", text(run, doing))]),
  ];
}

function long(run, answer, banner, doing, others) {
  return [text(run, doing), support(answer, banner), remarks(answer), folded(run, "What each statement rests on", findings(run, doing, others))];
}

// A listing says what was found where; what else is said of the documents as a whole is text, none of it the model's.
function ofWholeCorpus(run, answer, banner, doing, others) {
  const listed = findings(run, doing, others);
  const head = listed ? counted(answer.claims.length, "document") : oneLine(answer.short);
  const stands = listed ? `${banner?.sign} ${banner?.headline}` : head ? banner?.headline : answer.how === "overview" && capitalised(banner?.counts ?? "");
  return [head && el("p", { class: "short" }, head), stands && el("p", { class: "support" }, el("strong", {}, stands), "."), listed || text(run, doing)];
}

function isOfWholeCorpus(answer) {
  return ["listing", "overview"].includes(answer.how);
}

// Whether it says nothing: it is empty, or only says that the answer is not known.
function isAbstained(answer, banner) {
  return !oneLine(answer.short) || banner?.tone === "quiet";
}

function abstained(answer) {
  const says = oneLine(answer.short) ? ["The model says ", el("q", { dir: "auto" }, oneLine(answer.short)), "."]
    : "Nothing that was found answers it well enough, or the model gave no usable reply.";
  return [says, " Try other words, or another method."];
}

// How it stands; how many claims do only where there are several.
function support(answer, banner) {
  if (!banner) return null;
  const { num_claims: claims, num_supported: rest, num_contradicted: against, confidence } = answer.verdict;
  const counts = [
    claims === 0 && banner.counts,
    claims > 0 && typeof confidence === "number" && `confidence ${confidence.toFixed(2)}`,
    claims > 1 && `${rest} of ${claims} claims ${rest === 1 ? "rests" : "rest"} on a passage`,
    claims > 1 && against > 0 && `${against} contradicted by one`,
  ].filter(Boolean).join("; ");
  return el("p", { class: "support" }, el("strong", {}, `${banner.sign} ${banner.headline}`), counts && `: ${counts}`, ".",
    banner.standing === "unsupported" && " It may still be true: ask in other words, or with another method.");
}

function remarks(answer) {
  return [
    answer.stopped_because !== "finished" && (LIMITS[answer.stopped_because] ? `Stopped early, after ${LIMITS[answer.stopped_because]}. The server’s settings can allow more.` : `Stopped early: ${answer.stopped_because.replaceAll("_", " ")}`),
    answer.num_marks_removed > 0 && `Invented marks removed: ${answer.num_marks_removed}`,
  ].filter(Boolean).map((remark) => el("p", { class: "remark" }, remark));
}

function folded(run, title, inside) {
  const toggled = (event) => run.unfolded[event.currentTarget.open ? "add" : "delete"](title);
  return inside && el("details", { class: "folded", open: run.unfolded.has(title), ontoggle: toggled }, el("summary", { "data-focus": title }, title), inside);
}

// The answer's text with something in place of each mark. Positions are code points, not the units of a string here.
function piecesOf(run, made) {
  const letters = Array.from(run.record.answer.text);
  const pieces = [];
  let done = 0;
  for (const { number, start, end } of run.summary?.marks ?? []) {
    pieces.push(letters.slice(done, start).join(""), made(number));
    done = end;
  }
  return [...pieces, letters.slice(done).join("")];
}

function text(run, doing) {
  return el("p", { class: "long", dir: "auto" }, piecesOf(run, (number) => markButton(number, "", "text", doing)));
}

// `place` tells the marks of the text from those of each claim.
function markButton(mark, title, place, doing) {
  return el("button", { type: "button", class: "mark", "data-mark": mark, "data-focus": `${place}-${mark}`, "aria-label": `Citation ${mark}${title && `: ${title}`}`, onclick: (event) => doing.cite(mark, event.currentTarget) },
    `[${mark}]`, title && el("span", { class: "mark-title" }, title));
}

function findings(run, doing, others) {
  const made = (run.record.answer.claims ?? []).map((claim, at) => finding(run, claim, at, doing, others)).filter(Boolean);
  return made.length > 0 && el("ol", { class: "claims", "aria-label": "What the answer follows from" }, made);
}

function finding(run, claim, at, doing, others) {
  const isOnly = others !== null && !others.has(claimKey(claim));
  const isListed = isOfWholeCorpus(run.record.answer); // by the name of the document
  const marks = new Map(claim.citations.map((one) => [one.mark, run.passages.get(one.passage_id)]));
  const [said, remarked] = [words(run, claim), remarksOn(claim, run.summary?.own_checks?.[at + 1], (from) => doing.contradiction(at, from))];
  if (!said && !remarked) return null;
  return el("li", { class: `${claim.support} ${isOnly ? "only" : ""}` },
    sign({ support: claim.support, kind: "decision" }), el("span", { class: "unseen" }, `${claim.support}: `),
    el("div", {},
      said && el("p", { class: "claim", dir: "auto" }, said, " ", [...marks].map(([mark, passage]) => markButton(mark, passage && !isListed ? nameOf(passage) : "", `claim-${at}`, doing)),
        isOnly && [" ", el("span", { class: "only-here" }, "only here")]),
      remarked));
}

// A claim that is the whole answer again is told in the words of its passage.
function words(run, claim) {
  const { short } = run.record.answer;
  const isOfQuestion = oneLine(claim.query) === oneLine(run.record.question.text);
  if (isOfQuestion && !oneLine(claim.text)) return null; // said above
  const isAnswer = isOfQuestion && oneLine(claim.text) === oneLine(short);
  if (isAnswer && claim.citations.length) return el("q", {}, oneLine(claim.citations[0].quote));
  if (isAnswer) return null;
  if (isOfWholeCorpus(run.record.answer)) return [el("b", {}, oneLine(claim.text)), " ", claim.citations.length > 0 && el("q", {}, oneLine(claim.citations[0].quote))];
  const asks = oneLine(claim.query) !== oneLine(run.question) && el("span", { class: "query" }, `${oneLine(claim.query)} `);
  return [asks, el("b", {}, oneLine(claim.text) || "not answered")];
}

function remarksOn(claim, found, against) {
  const said = [
    whyNot(claim, found) && el("span", {}, capitalised(whyNot(claim, found))),
    ["corrected", "yours"].includes(claim.origin) && el("span", {}, capitalised(originOf(claim))),
    claim.contradicted_by && el("button", { type: "button", class: "link", onclick: (event) => against(event.currentTarget) }, "what says otherwise"),
  ].filter(Boolean);
  return said.length > 0 && el("p", { class: "small claim-says" }, said.map((one, at) => [at > 0 && " · ", one]));
}

function bare(pieces) {
  return oneLine(pieces.join("")).replace(/\s*\.$/, "");
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
  const found = [[passages[0].size - only, "found by both"], [only, "by the first alone"], [onlyOther, "by the second alone"]];
  const standings = [left, right].map((run) => run.summary?.banner?.standing);
  const isSameQuestion = oneLine(left.question) === oneLine(right.question);
  const head = el("div", { class: "run-head" }, el("h2", { dir: "auto" }, isSameQuestion ? oneLine(left.question) : "Two questions"), link);
  const facts = el("dl", {},
    fact("Answers", isSame ? "the same" : el("span", {}, el("b", { dir: "auto" }, shorts[0] || "no answer"), " against ", el("b", { dir: "auto" }, shorts[1] || "no answer")), !isSame),
    fact("Support", standings.map((standing, at) => [at ? " against " : "", supportChip(standing) ?? "no answer"]), standings[0] !== standings[1]),
    fact("Passages", found.filter(([number]) => number > 0).map((one) => one.join(" ")).join(", ") || "none", only + onlyOther > 0),
    fact("Model calls", calls(left, right), false));
  return { shown: [head, facts], isSameQuestion };
}

function calls(left, right) {
  return [left, right].map((run) => run.summary?.totals.llm_calls ?? "?").join(" against ");
}

function fact(name, value, isDifferent) {
  return el("div", { class: isDifferent ? "differs" : "" }, el("dt", {}, name), el("dd", {}, value));
}
