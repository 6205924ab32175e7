// The sub-questions as a graph, where steps had to wait for others: layers from left to right, drawn as plain shapes.

import { cut, svg } from "./dom.js";

const WIDTH = 210;
const HEIGHT = 62;
const GAP_X = 46;
const GAP_Y = 18;
const LETTERS = 27;

const SHAPES = {
  supported: (x, y) => svg("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 12 }),
  contradicted: (x, y) => svg("path", { d: `M${x + 12} ${y}H${x + WIDTH - 12}L${x + WIDTH} ${y + HEIGHT / 2}L${x + WIDTH - 12} ${y + HEIGHT}H${x + 12}L${x} ${y + HEIGHT / 2}Z` }),
  other: (x, y) => svg("rect", { x, y, width: WIDTH, height: HEIGHT }),
};

// The graph, or nothing where no step waited for another. `choose(id)` is called when a node is clicked.
export function graph(outline, choose) {
  const inside = [...outline.nodes.values()].filter((node) => node.label === "node" && node.kind === "decision");
  const ids = new Set(inside.map((node) => node.id));
  const edges = inside.flatMap((node) => node.after.filter((id) => ids.has(id)).map((id) => [id, node.id]));
  if (!edges.length) return null;
  const places = placed(inside, edges);
  const width = Math.max(...[...places.values()].map((place) => place.x)) + WIDTH + 2;
  const height = Math.max(...[...places.values()].map((place) => place.y)) + HEIGHT + 2;
  const arrow = svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8Z" }));
  return svg("svg", { class: "graph", viewBox: `-2 -2 ${width + 4} ${height + 4}`, width: width + 4, height: height + 4, role: "group", "aria-label": "Graph of the sub-questions" },
    svg("defs", {}, arrow),
    edges.map(([from, to]) => edge(places.get(from), places.get(to))),
    inside.map((node) => box(node, places.get(node.id), choose)));
}

function placed(nodes, edges) {
  const layer = new Map(nodes.map((node) => [node.id, 0]));
  for (let round = 0; round < nodes.length; round += 1) {
    for (const [from, to] of edges) layer.set(to, Math.max(layer.get(to), Math.min(layer.get(from) + 1, nodes.length)));
  }
  const rows = new Map();
  return new Map(nodes.map((node) => {
    const column = layer.get(node.id);
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    return [node.id, { x: column * (WIDTH + GAP_X), y: row * (HEIGHT + GAP_Y) }];
  }));
}

function edge(from, to) {
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x - 2, to.y + HEIGHT / 2];
  const bend = Math.max(20, (x2 - x1) / 2);
  return svg("path", { class: "edge", d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`, "marker-end": "url(#arrow)" });
}

function box(node, { x, y }, choose) {
  const lines = wrapped(node.text);
  const answer = node.became || node.answer;
  const shape = (SHAPES[node.support] ?? SHAPES.other)(x, y);
  const said = `${node.text}${answer ? `: ${answer}` : ""}${node.support ? `, ${node.support}` : ""}`;
  const group = svg("g", { class: `box ${node.support || "plain"}`, tabindex: "0", role: "button", "aria-label": said, "data-focus": `box-${node.id}` }, shape,
    lines.map((line, at) => svg("text", { x: x + 12, y: y + 20 + at * 15 }, line)),
    svg("text", { class: "found", x: x + 12, y: y + 20 + lines.length * 15 + 2 }, answer ? cut(`→ ${answer}`, LETTERS) : ""));
  group.addEventListener("click", () => choose(node.id));
  group.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(node.id);
    }
  });
  return group;
}

function wrapped(text) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.length - 1;
    if (`${lines[last]} ${word}`.trim().length <= LETTERS) lines[last] = `${lines[last]} ${word}`.trim();
    else lines.push(word);
  }
  return lines.length > 2 ? [lines[0], cut(`${lines.slice(1).join(" ")}`, LETTERS)] : lines.map((line) => cut(line, LETTERS));
}
