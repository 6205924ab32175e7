// The outline of a run, which the server computes (hopweave.show.browser): a list of nodes, each with its parent. Here it becomes a
// tree, and each node gets the step that it draws.

import { oneLine } from "./dom.js";

export function outline(rows, steps) {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const nodes = new Map();
  for (const row of [...rows].sort((one, other) => one.id - other.id)) nodes.set(row.id, { ...row, step: byId.get(row.id) ?? {}, children: [] });
  const top = [];
  for (const node of nodes.values()) (nodes.get(node.parent)?.children ?? top).push(node);
  return { nodes, top };
}

// What can be changed at a node: its own words, or those of the calls that it came from.
export function editable(node, steps) {
  const { step } = node;
  if (step.kind === "search") return step.queries.map((was) => ({ change: "query", step: step.id, was }));
  if (step.kind === "model_call") return step.text ? [{ change: "reply", step: step.id, was: step.text }] : [];
  if (step.kind !== "decision") return [];
  const found = [];
  const query = step.data?.query ?? parted(node)[0];
  const search = query && steps.find((one) => one.kind === "search" && (one.was ?? one.queries).includes(query));
  if (search) found.push({ change: "query", step: search.id, was: search.queries[(search.was ?? search.queries).indexOf(query)] });
  const reply = replyBehind(node, steps);
  if (reply) found.push({ change: "reply", step: reply.id, was: reply.text });
  return found;
}

// The reply in which the answer of a step stands, or its query, or all its words; the last one before it.
function replyBehind(node, steps) {
  const { step } = node;
  const calls = steps.filter((one) => one.kind === "model_call" && one.id < step.id && one.text && one.purpose !== "reader").reverse();
  const wanted = [step.data?.answer, parted(node)[1], step.data?.query, step.text].map(oneLine).filter((words) => words && words !== "?");
  for (const words of wanted) {
    const found = calls.find((one) => oneLine(one.text).includes(words));
    if (found) return found;
  }
  return null;
}

// The query and the answer of a step that is written as one line.
function parted(node) {
  const [query, answer] = node.words.split(" → ");
  return answer === undefined ? [] : [query, answer];
}

export function passageIdsOf(step) {
  if (step.kind === "search") return [...new Set(step.hits.flat().map((hit) => hit.passage_id))];
  return step.kind === "read" ? [step.passage_id] : [];
}
