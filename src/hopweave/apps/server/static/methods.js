// The choice of a method, and of one to compare it with: groups of methods, with a sentence on each group and each method.

import { button, byId, capitalised, el } from "./dom.js";

const NONE = "no other method";
const TITLES = { method: "Method", "compare-with": "Compare with" };

let known = { default: "", groups: {}, methods: [] };

export function offer(methods) {
  known = methods;
  for (const which of Object.keys(TITLES)) {
    byId(which).onclick = () => ask(which);
    choose(which, which === "method" ? known.default : "");
  }
}

// The name of the chosen method; empty if there is none to compare with.
export function chosen(which) {
  return byId(which).dataset.chosen;
}

// Chooses a method that is offered, unless it answers already: then the choice to compare it with another stays.
export function prefer(name) {
  const isChosen = Object.keys(TITLES).some((which) => chosen(which) === name);
  if (!isChosen && known.methods.some((one) => one.name === name)) choose("method", name);
}

function choose(which, name) {
  const place = byId(which);
  place.dataset.chosen = name;
  place.title = known.methods.find((one) => one.name === name)?.summary ?? "";
  place.replaceChildren(el("span", {}, TITLES[which]), " ", el("b", {}, name || NONE));
}

function ask(which) {
  const dialog = el("dialog", { class: "picker", "aria-labelledby": "picker-title" });
  const take = (name) => {
    choose(which, name);
    dialog.close();
  };
  const groups = [...Object.entries(known.groups), ["", ""]]
    .map(([name, says]) => group(name, says, known.methods.filter((one) => one.group === name), which, take));
  dialog.append(
    el("div", { class: "passage-head" }, el("h2", { id: "picker-title" }, TITLES[which]), button("Close", () => dialog.close(), { "aria-label": "Close the choice of methods" })),
    el("div", { class: "picker-groups" }, which === "method" ? null : option("", NONE, "", which, take), groups));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  const current = dialog.querySelector("[aria-pressed=true]");
  current?.focus();
  current?.scrollIntoView({ block: "center" });
}

function group(name, says, methods, which, take) {
  if (!methods.length) return null;
  return el("section", {}, el("h3", {}, capitalised(name || "other methods")), says && el("p", { class: "small" }, says),
    methods.map((one) => option(one.name, one.name, one.summary, which, take)));
}

function option(value, name, says, which, take) {
  const isDefault = which === "method" && value === known.default;
  return el("button", { type: "button", class: "option", "data-method": value, "aria-pressed": String(chosen(which) === value), onclick: () => take(value) },
    el("b", {}, name), isDefault && el("span", { class: "small" }, " default"), says && el("span", { class: "says" }, `${says}.`));
}
