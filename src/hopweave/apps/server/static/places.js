// The address of what the page shows, which can be kept and reloaded: answers by their ids, `#id+id`, or a place in an evaluation,
// `#evaluation=night&dataset=...`.

import { button } from "./dom.js";

const MOST_SHOWN = 2;
const NAMES = ["evaluation", "dataset", "method", "column", "cause", "question"];
let isAhead = false; // whether the address names what is not shown yet

// What the address names, to be shown. Until it is (`arrive`), the address stays as it is.
export function sought() {
  isAhead = true;
  return placeOf(location.hash);
}

export function arrive() {
  isAhead = false;
}

// What an address names: `ids` of answers, or `at`, a place in an evaluation with the methods whose records are shown.
function placeOf(hash) {
  const text = hash.replace(/^#/, "");
  if (!text.startsWith("evaluation=")) return { ids: decoded(text).split("+").filter(Boolean).slice(0, MOST_SHOWN), at: null };
  const named = new URLSearchParams(text);
  const at = Object.fromEntries(NAMES.map((name) => [name, named.get(name) ?? ""]));
  return { ids: [], at: { ...at, records: named.getAll("record").slice(0, MOST_SHOWN) } };
}

export function addressOf({ ids = [], at = null }) {
  if (!at) return ids.length ? `#${ids.join("+")}` : "";
  const named = new URLSearchParams(NAMES.filter((name) => at[name]).map((name) => [name, at[name]]));
  for (const method of at.records ?? []) named.append("record", method);
  return `#${named}`;
}

// From here on the page shows something else; the button Back returns to what it showed.
export function leave() {
  isAhead = false;
  history.pushState(null, "", location.pathname);
}

export function stay(place) {
  if (!isAhead) history.replaceState(null, "", addressOf(place) || location.pathname);
}

// Copies the address of the page, where the browser lets it.
export function linkButton() {
  if (!navigator.clipboard) return null;
  const made = button("Copy link", async () => {
    await navigator.clipboard.writeText(location.href);
    made.textContent = "Copied";
    setTimeout(() => { made.textContent = "Copy link"; }, 2000);
  });
  made.classList.add("copies-link");
  made.dataset.focus = "link";
  return made;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
