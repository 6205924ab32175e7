// The outline of a run: steps as nested nodes, by the same three rules as every other drawing (hopweave.show.outline). A verdict
// is shown on the step that it judges; calls may be left out, and what hangs under them moves up; a step without a known parent
// stands at the top.

import { cut, oneLine } from "./dom.js";

const CALLS = new Set(["model_call", "search", "read"]);

export function outline(steps, withCalls) {
  const plan = planned(steps, withCalls);
  const nodes = new Map();
  for (const step of plan.drawn) nodes.set(step.id, node(step, plan));
  for (const [parent, children] of plan.children) {
    if (parent !== null) nodes.get(parent).children = children.map((id) => nodes.get(id));
  }
  return { nodes, top: (plan.children.get(null) ?? []).map((id) => nodes.get(id)), standsAt: plan.standsAt };
}

function planned(steps, withCalls) {
  const plan = { drawn: [], standsAt: new Map(), children: new Map(), verdicts: new Map(), busy: new Map(), tokens: new Map() };
  const judged = judgedOnce(steps);
  for (const step of steps) {
    const home = plan.standsAt.get(step.parent) ?? null;
    if (CALLS.has(step.kind) && step.timing) {
      add(plan.busy, home, step.timing);
      if (step.usage) plan.tokens.set(home, (plan.tokens.get(home) ?? 0) + step.usage.prompt_tokens + step.usage.completion_tokens);
      if (!withCalls && !step.error && !isChanged(step)) {
        plan.standsAt.set(step.id, home);
        continue;
      }
    }
    if (isVerdict(step) && judged.has(home) && home === step.parent) {
      plan.standsAt.set(step.id, home);
      plan.verdicts.set(home, step);
      continue;
    }
    plan.standsAt.set(step.id, step.id);
    plan.drawn.push(step);
    add(plan.children, home, step.id);
  }
  return plan;
}

function judgedOnce(steps) {
  const counts = new Map();
  for (const step of steps) if (isVerdict(step)) counts.set(step.parent, (counts.get(step.parent) ?? 0) + 1);
  return new Set(steps.filter((s) => s.kind === "decision" && !isVerdict(s) && counts.get(s.id) === 1).map((s) => s.id));
}

function add(map, key, value) {
  if (!map.has(key)) map.set(key, []);
  map.get(key).push(value);
}

function isVerdict(step) {
  return step.kind === "decision" && step.label === "verdict" && typeof step.data?.support === "string";
}

export function isChanged(step) {
  return step.was !== undefined || Boolean(step.pinned?.length) || Boolean(step.forbidden?.length);
}

function node(step, plan) {
  const judgement = plan.verdicts.get(step.id) ?? (typeof step.data?.support === "string" ? step : null);
  const made = {
    id: step.id,
    step,
    kind: step.kind,
    isPending: Boolean(step.isPending),
    label: labelOf(step),
    text: textOf(step),
    support: judgement?.data.support ?? "",
    origin: judgement?.data.origin ?? (isChanged(step) && step.was !== undefined ? "yours" : ""),
    confidence: judgement?.data.confidence ?? step.reading?.confidence ?? null,
    answer: judgement?.data.answer ?? step.data?.answer ?? "",
    seconds: step.timing ? step.timing.seconds : busySeconds(plan.busy.get(step.id)),
    tokens: step.usage ? step.usage.prompt_tokens + step.usage.completion_tokens : plan.tokens.get(step.id) ?? 0,
    isFromStore: Boolean(step.timing?.from_store),
    after: awaited(step, judgement, plan),
    isBad: Boolean(step.error) || step.kind === "parse_failure",
    children: [],
  };
  const changed = judgement && judgement !== step && made.answer && !String(step.text).endsWith(made.answer);
  made.became = changed ? oneLine(made.answer) : "";
  return made;
}

function awaited(step, judgement, plan) {
  const parent = plan.standsAt.get(step.parent);
  const wanted = [...(step.after ?? []), ...((judgement !== step && judgement?.after) || [])].map((id) => plan.standsAt.get(id));
  return [...new Set(wanted)].filter((id) => id !== undefined && id !== null && id !== step.id && id !== parent);
}

function labelOf(step) {
  const named = { search: "search", read: "read", parse_failure: "parse failure" };
  return oneLine(step.label ?? named[step.kind] ?? step.purpose ?? "step");
}

function textOf(step) {
  if (step.error) return `${step.error.kind}: ${oneLine(step.error.message)}`;
  if (step.isPending) return "";
  switch (step.kind) {
    case "model_call": return cut(oneLine(step.text), 160);
    case "search": return step.queries.map(oneLine).join(" | ");
    case "read": return `${oneLine(step.query)} → ${oneLine(step.reading?.text) || "nothing"}`;
    case "parse_failure": return `${oneLine(step.parser)}: ${oneLine(step.reason)}`;
    default: return oneLine(step.text).replaceAll(" -> ", " → ");
  }
}

// For how long at least one of the calls was under way; side by side they count once.
function busySeconds(timings) {
  if (!timings?.length) return null;
  let total = 0;
  let until = -Infinity;
  for (const { started_seconds: start, seconds } of [...timings].sort((a, b) => a.started_seconds - b.started_seconds)) {
    total += Math.max(0, start + seconds - Math.max(start, until));
    until = Math.max(until, start + seconds);
  }
  return total;
}

// What can be changed at a node: its own words, or those of the calls that it came from.
export function editable(node, steps) {
  const { step } = node;
  if (step.kind === "search") return step.queries.map((was) => ({ change: "query", step: step.id, was }));
  if (step.kind === "model_call") return step.text ? [{ change: "reply", step: step.id, was: step.text }] : [];
  if (step.kind !== "decision") return [];
  const found = [];
  const query = step.data?.query ?? parted(step)[0];
  const search = query && steps.find((one) => one.kind === "search" && (one.was ?? one.queries).includes(query));
  if (search) found.push({ change: "query", step: search.id, was: search.queries[(search.was ?? search.queries).indexOf(query)] });
  const reply = replyBehind(step, steps);
  if (reply) found.push({ change: "reply", step: reply.id, was: reply.text });
  return found;
}

// The reply in which the answer of a step stands, or its query, or all its words; the last one before it.
function replyBehind(step, steps) {
  const calls = steps.filter((one) => one.kind === "model_call" && one.id < step.id && one.text && one.purpose !== "reader").reverse();
  const wanted = [step.data?.answer, parted(step)[1], step.data?.query, step.text].map(oneLine).filter((words) => words && words !== "?");
  for (const words of wanted) {
    const found = calls.find((one) => oneLine(one.text).includes(words));
    if (found) return found;
  }
  return null;
}

// The query and the answer of a step that is written as one line.
function parted(step) {
  const [query, answer] = step.text.split(" -> ");
  return answer === undefined ? [] : [query.replace(/^\[\d+\] /, ""), answer];
}

export function passageIdsOf(step) {
  if (step.kind === "search") return [...new Set(step.hits.flat().map((hit) => hit.passage_id))];
  return step.kind === "read" ? [step.passage_id] : [];
}
