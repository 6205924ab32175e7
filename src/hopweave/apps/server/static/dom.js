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

// A time as it passes, in whole seconds.
export function elapsed(value) {
  const whole = Math.max(0, Math.round(value));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

export function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

export function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function counted(number, noun, plural = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

// A short fact that stays on one line.
export function unbroken(text) {
  return text.replaceAll(" ", "\u00a0");
}

export function oneLine(text) {
  return String(text ?? "").split(/\s+/).join(" ").trim();
}

export function cut(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}
