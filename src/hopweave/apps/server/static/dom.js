// Elements out of plain data. Text only ever goes in as text, so that nothing in a question or a passage can become markup.

const SVG = "http://www.w3.org/2000/svg";

export function el(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

export function svg(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

function filled(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false && child !== "") node.append(child);
  }
  return node;
}

export function byId(id) {
  return document.getElementById(id);
}

export function button(text, onclick, properties = {}) {
  return el("button", { type: "button", class: "quiet-button", onclick, ...properties }, text);
}

export function seconds(value) {
  if (value === null || value === undefined) return "";
  return value < 0.0095 ? `${(value * 1000).toFixed(0)} ms` : value < 10 ? `${value.toFixed(2)} s` : `${value.toFixed(0)} s`;
}

export function counted(number, noun, plural = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

export function oneLine(text) {
  return String(text ?? "").split(/\s+/).join(" ").trim();
}

export function cut(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}
