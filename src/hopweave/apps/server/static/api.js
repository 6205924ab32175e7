// What the server is asked. Errors come in one shape, {"error": {"message", "code"}}, and are thrown as `Refused`.

const KEY = "hopweave-key";
const SENDABLE = /^[\x20-\x7e\xa0-\xff]+$/; // what a header can hold

export class Refused extends Error {
  constructor(status, error) {
    super(error?.message ?? `the server replied with ${status}`);
    this.status = status;
    this.code = error?.code ?? "";
  }
}

// Keeps a key for this tab. The result tells whether it can be one.
export function keepKey(given) {
  const key = given.trim();
  const isSendable = SENDABLE.test(key);
  if (isSendable) sessionStorage.setItem(KEY, key);
  return isSendable;
}

export function hasKey() {
  return sessionStorage.getItem(KEY) !== null;
}

function headers(more = {}) {
  const key = sessionStorage.getItem(KEY);
  return key ? { ...more, Authorization: `Bearer ${key}` } : more;
}

async function sent(path, options = {}) {
  let reply;
  try {
    reply = await fetch(path, { ...options, headers: headers(options.headers) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, { message: "The server cannot be reached. Check that it is running, then try again." });
  }
  if (reply.ok) return reply;
  let error = null;
  try {
    error = (await reply.json()).error;
  } catch {
    // It is no JSON: a proxy may have replied.
  }
  throw new Refused(reply.status, error);
}

export async function got(path) {
  return (await sent(path)).json();
}

// Where the server has something of a passage: `passages`, `pages` or `page-images`.
export function ofPassage(what, corpus, passage) {
  return `v1/corpora/${encodeURIComponent(corpus)}/${what}/${passage.id.split("/").map(encodeURIComponent).join("/")}`;
}

export async function deleted(id) {
  await sent(`v1/answers/${encodeURIComponent(id)}`, { method: "DELETE" });
}

export async function exported(id, view) {
  const reply = await sent(`v1/answers/${encodeURIComponent(id)}/export?as=${view}`);
  const named = /filename="([^"]+)"/.exec(reply.headers.get("Content-Disposition") ?? "");
  return { blob: await reply.blob(), name: named ? named[1] : `hopweave-${id}` };
}

export async function picture(path) {
  return (await sent(path)).blob();
}

// Asks, and calls `on[event]` with the data of each server-sent event.
export async function asked(body, on, signal) {
  const reply = await sent("v1/answers", {
    method: "POST",
    signal,
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify({ ...body, stream: true, drawing: true }),
  });
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (waiting + value).split("\n\n");
    waiting = blocks.pop();
    for (const block of blocks) told(block, on);
  }
}

function told(block, on) {
  const lines = block.split("\n");
  const name = lines.find((line) => line.startsWith("event: "))?.slice(7);
  const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
  if (name && on[name]) on[name](JSON.parse(data.join("\n")));
}
