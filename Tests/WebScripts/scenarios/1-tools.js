/*
 * What a page sees of its requests, section by section of the XMLHttpRequest and Fetch standards, of HTML's forms and of
 * Beacon. Each scenario returns what it saw; the suite runs them with and without the page hook and compares.
 */
"use strict";

const mode = location.hostname.replace(/-www\.test$/, "");
// Names of one length: a server says them back, and the lengths are compared too.
const isFull = mode === "hook02";
const api = `https://${mode}-api.test`;
const scenarios = [];
const scenario = (name, run) => scenarios.push([name, run]);
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const bytes = (size, seed = 7) => Uint8Array.from({ length: size }, (_, at) => (at * 31 + seed * (at >> 8) + seed) & 255);
let keys = 0;
const newKey = () => `${mode}-${String(Math.random()).padEnd(12, "0").slice(2, 12)}-${String(++keys).padStart(3, "0")}`;

/** What differs from run to run and is nobody's fault. */
const VOLATILE = /^(date|server|connection|keep-alive|transfer-encoding): /;
const clean = (value) => {
  if (typeof value === "string") {
    return value.replaceAll(`${mode}-www.test`, "www.test").replaceAll(`${mode}-api.test`, "api.test").replace(/key=[\w.-]+/g, "key=K").replace(/^blob:.*/, "blob:");
  }
  if (Array.isArray(value)) return value.map(clean);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, clean(each)]));
  return value;
};
const named = (error) => (error instanceof DOMException ? `DOMException ${error.name}` : error instanceof Error ? error.constructor.name : String(error));
const attempt = (work) => {
  try {
    return work();
  } catch (error) {
    return `throws ${named(error)}`;
  }
};
const headersOf = (text) => text === null ? null : text.split("\r\n").filter((line) => line && !VOLATILE.test(line));
const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** A long text by its length and its digest: the report is read by a test. */
const shortened = async (value) => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length < 4000) return value;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(clean(text))));
  return [text.length, digest.join()];
};

/** How many pieces an answer comes in is the network's business, and so is the number of the events that say so. */
const settled = (log) => log.filter((entry, at) => {
  const next = log.slice(at + 1).find((other) => /^(readystatechange 3|progress)/.test(other));
  if (/^readystatechange 3/.test(entry)) return log.indexOf(entry) === at;
  if (/^progress/.test(entry)) return !log.slice(at + 1).some((other) => /^progress/.test(other));
  if (/^upload progress/.test(entry)) return !log.slice(at + 1).some((other) => /^upload progress/.test(other));
  return true || next;
});

const EVENTS = ["loadstart", "progress", "abort", "error", "load", "timeout", "loadend"];

/** An XMLHttpRequest with its whole story. */
const story = async ({ method = "GET", to = "/api/echo", body, headers = {}, before, during, type, isSync = false, watch = true, upload = true, settings = {}, ends = "loadend" }) => {
  const log = [];
  const xhr = new XMLHttpRequest();
  const say = (text) => log.push(text);
  xhr.onreadystatechange = () => say(`readystatechange ${xhr.readyState}`);
  if (watch) {
    for (const name of EVENTS) {
      xhr.addEventListener(name, (event) => say(`${name} ${event.loaded}/${event.total} ${event.lengthComputable}`));
      if (upload) xhr.upload.addEventListener(name, (event) => say(`upload ${name} ${event.loaded}/${event.total} ${event.lengthComputable}`));
    }
  }
  const done = new Promise((resolve) => {
    xhr.addEventListener(ends, resolve);
    setTimeout(resolve, 30_000);
  });
  xhr.open(method, to, !isSync);
  if (type !== undefined) xhr.responseType = type;
  Object.assign(xhr, settings);
  for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
  before?.(xhr, say);
  let thrown;
  try {
    xhr.send(typeof body === "function" ? body() : body);
    say("sent");
  } catch (error) {
    thrown = named(error);
  }
  await during?.(xhr, say);
  if (!isSync && !thrown) await done;
  await wait(0);
  const result = {
    log: settled(log), thrown, readyState: xhr.readyState, status: xhr.status, statusText: xhr.statusText, url: xhr.responseURL,
    headers: headersOf(xhr.getAllResponseHeaders()), type: xhr.responseType,
  };
  if (xhr.responseType === "" || xhr.responseType === "text") result.text = await shortened(parsed(xhr.responseText));
  else if (xhr.response instanceof ArrayBuffer) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", xhr.response));
    result.bytes = [xhr.response.byteLength, [...new Uint8Array(xhr.response)].slice(0, 300).join(), digest.slice(0, 8).join()];
  }
  else if (xhr.response instanceof Blob) result.blob = [xhr.response.size, xhr.response.type, parsed(await xhr.response.text())];
  else if (xhr.response instanceof Document) result.document = [xhr.response.contentType, xhr.response.documentElement?.outerHTML];
  else result.response = xhr.response;
  return result;
};
const xhrScenario = (name, options) => scenario(`xhr ${name}`, () => story(options));

