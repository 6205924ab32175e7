// The answer of a run: how it stands, its text with marks that lead to their words, and its claims.

import { el, oneLine } from "./dom.js";
import { originChip, supportChip, whyNot } from "./signs.js";

// `jump(mark, element)` goes to the step and the words behind a mark.
export function answerOf(run, jump) {
  if (run.error) return el("p", { class: "failure" }, el("strong", {}, "No answer. "), run.error.message);
  const answer = run.record?.answer;
  if (!answer) return null;
  const banner = run.summary?.banner;
  const tone = banner?.tone ?? { supported: "good", contradicted: "bad", unsupported: "warn" }[answer.verdict.support];
  const remarks = [];
  if (answer.stopped_because !== "finished") remarks.push(`Stopped early: ${answer.stopped_because}`);
  if (answer.num_marks_removed) remarks.push(`Invented marks removed: ${answer.num_marks_removed}`);
  return el("div", { class: `answer tone-${tone}` },
    el("p", { class: "short", dir: "auto" }, oneLine(answer.short) || "(none)"),
    banner && el("p", { class: "support" }, el("strong", {}, `${banner.sign} ${banner.headline}`), `: ${banner.counts}.`),
    oneLine(answer.text) !== oneLine(answer.short) && el("p", { class: "long", dir: "auto" }, marked(answer.text, run.summary?.marks ?? [], jump)),
    remarks.map((remark) => el("p", { class: "remark" }, remark)));
}

// Positions are code points, not the units of a string here.
function marked(text, marks, jump) {
  const letters = Array.from(text);
  const pieces = [];
  let done = 0;
  for (const { number, start, end } of marks) {
    pieces.push(letters.slice(done, start).join(""), markButton(number, jump));
    done = end;
  }
  return [...pieces, letters.slice(done).join("")];
}

function markButton(mark, jump) {
  return el("button", { type: "button", class: "mark", "data-mark": mark, "aria-label": `Citation ${mark}`, onclick: (event) => jump(mark, event.currentTarget) }, `[${mark}]`);
}

// The claims, of which those that the other run does not make are marked.
export function claimsOf(run, jump, against, others) {
  const claims = run.record?.answer?.claims ?? [];
  if (!claims.length) return null;
  return el("section", { class: "claims" }, el("h3", {}, "Claims"),
    el("ol", {}, claims.map((claim, at) => {
      const isOnly = others !== null && !others.has(claimKey(claim));
      return el("li", { class: `${claim.support} ${isOnly ? "only" : ""}` },
        el("p", { class: "claim", dir: "auto" }, oneLine(claim.query) !== oneLine(run.question) && el("span", { class: "query" }, `${oneLine(claim.query)} → `), oneLine(claim.text) || "(open)", " ",
          [...new Set(claim.citations.map((one) => one.mark))].map((mark) => markButton(mark, jump))),
        el("p", { class: "chips" }, supportChip(claim.support), " ", originChip(claim.origin), whyNot(claim) && [" ", el("span", { class: "small" }, whyNot(claim))], isOnly && [" ", el("span", { class: "only-here" }, "only here")],
          claim.contradicted_by && [" ", el("button", { type: "button", class: "link", onclick: (event) => against(at, event.currentTarget) }, "what says otherwise")]));
    })));
}

export function claimKey(claim) {
  return `${oneLine(claim.query)} ${oneLine(claim.text)} ${claim.support}`.toLowerCase();
}

// What differs between two runs, in a few words each.
export function differences(left, right) {
  const [one, other] = [left, right].map((run) => run.record?.answer);
  if (!left.record || !right.record) return null;
  const shorts = [one, other].map((answer) => oneLine(answer?.short));
  const isSame = shorts[0].toLowerCase() === shorts[1].toLowerCase();
  const passages = [left, right].map((run) => new Set(run.record.passages.map((passage) => passage.id)));
  const only = [...passages[0]].filter((id) => !passages[1].has(id)).length;
  const onlyOther = [...passages[1]].filter((id) => !passages[0].has(id)).length;
  const shared = passages[0].size - only;
  const standings = [left, right].map((run) => run.summary?.banner?.standing ?? run.record.answer?.verdict.support);
  return el("dl", {},
    fact("Answers", isSame ? "the same" : el("span", {}, el("b", { dir: "auto" }, shorts[0] || "(none)"), " against ", el("b", { dir: "auto" }, shorts[1] || "(none)")), !isSame),
    fact("Support", standings.map((standing, at) => [at ? " against " : "", supportChip(standing) ?? "no answer"]), standings[0] !== standings[1]),
    fact("Passages", `${shared} found by both, ${only} by the first alone, ${onlyOther} by the second alone`, only + onlyOther > 0),
    fact("Model calls", calls(left, right), false));
}

function calls(left, right) {
  return [left, right].map((run) => run.summary?.totals.llm_calls ?? "?").join(" against ");
}

function fact(name, value, isDifferent) {
  return el("div", { class: isDifferent ? "differs" : "" }, el("dt", {}, name), el("dd", {}, value));
}
