/* What a page needs of a device, feature by feature; then over to the second page, back, and forward again. */
import { whole } from "./module.mjs";

const once = (target, type) => new Promise((resolve, reject) => {
  target.addEventListener(type, resolve, { once: true });
  target.addEventListener("error", () => reject(new Error(`no ${type}`)), { once: true });
});
const digest = async (bytes) =>
  Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)), (byte) => byte.toString(16).padStart(2, "0")).join("");

const features = {
  "secure context": () => isSecureContext && location.origin,
  "ES modules": () => whole,
  "a module on demand": async () => (await import("./part.js")).part,
  "style": () => getComputedStyle(document.getElementById("styled")).color,
  "font": async () => (await document.fonts.load("20px Test")).length,
  "wasm": async () => (await WebAssembly.instantiateStreaming(fetch("/sum.wasm"))).instance.exports.sum(40, 2),
  "worker": async () => {
    const worker = new Worker("/js/worker.js");
    worker.postMessage(21);
    return (await once(worker, "message")).data;
  },
  "module worker": async () => (await once(new Worker("/js/module-worker.mjs", { type: "module" }), "message")).data,
  "seeking": async () => {
    const film = document.getElementById("film");
    if (film.readyState < 1) await once(film, "loadedmetadata");
    const places = [];
    for (const time of [25, 3, 28]) {
      film.currentTime = time;
      await once(film, "seeked");
      places.push(Math.round(film.currentTime));
    }
    return [Math.round(film.duration), places];
  },
  "a range": async () => {
    const answer = await fetch("/film.wav", { headers: { Range: "bytes=-4" } });
    return [answer.status, answer.headers.get("content-range"), (await answer.arrayBuffer()).byteLength];
  },
  "a file that is not there": async () => (await fetch("/nothing.json")).status,
  "cookies": () => {
    document.cookie = "site=1; Path=/; Secure";
    return document.cookie;
  },
  "storage": async () => {
    localStorage.setItem("a", "1");
    const request = indexedDB.open("site", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("s");
    await once(request, "success");
    return [localStorage.getItem("a"), request.result.objectStoreNames[0]];
  },
};

/** Random bodies of each type to a server of another origin; the server says what it got by its digest. */
const send = async (count, largest) => {
  const api = "https://echo.test/echo?cors=1";
  const random = (size) => {
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
    return bytes;
  };
  const text = (bytes) => new TextDecoder("latin1").decode(bytes);
  const made = {
    string: (bytes) => [text(bytes), new TextEncoder().encode(text(bytes))],
    ArrayBuffer: (bytes) => [bytes.slice().buffer, bytes],
    "typed array": (bytes) => [bytes.subarray(0), bytes],
    DataView: (bytes) => [new DataView(bytes.buffer), bytes],
    Blob: (bytes) => [new Blob([bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)]), bytes],
    File: (bytes) => [new File([bytes], "f"), bytes],
    URLSearchParams: (bytes) => {
      const parameters = new URLSearchParams({ a: text(bytes.subarray(0, 5000)) });
      return [parameters, new TextEncoder().encode(String(parameters))];
    },
  };
  const wrong = [];
  let total = 0;
  // Of every order of magnitude alike; none and the largest in any case.
  const sizeOf = (turn) => (turn === 0 ? 0 : turn === 1 ? largest : Math.floor(largest ** Math.random()));
  let sent = 0;
  const say = (text) => globalThis.benchStep(`bodies: ${text}`);
  const compare = async (what, said, expected) => {
    sent += 1;
    total += expected.length;
    if (said.digest !== (await digest(expected))) wrong.push(`${what} of ${expected.length} bytes: got ${said.size}`);
  };
  const byXHR = async (body) => {
    const xhr = new XMLHttpRequest();
    xhr.open("PUT", `${api}&digest`);
    xhr.send(body);
    await once(xhr, "load");
    return JSON.parse(xhr.responseText);
  };
  const byFetch = async (body) => (await fetch(`${api}&digest`, { method: "POST", body })).json();
  for (const [name, make] of Object.entries(made)) {
    for (let turn = 0; turn < count; turn++) {
      const [way, send] = turn % 2 ? ["fetch", byFetch] : ["xhr", byXHR];
      const [body, expected] = make(random(sizeOf(turn)));
      say(`${way} ${name} ${turn}, ${expected.length} bytes`);
      await compare(`${way} ${name}`, await send(body), expected);
    }
  }
  // A page waits for these, so there are fewer of them.
  for (let turn = 0; turn < Math.min(count, 20); turn++) {
    const bytes = random(sizeOf(turn));
    say(`synchronous ${turn}, ${bytes.length} bytes`);
    const xhr = new XMLHttpRequest();
    xhr.open("PUT", `${api}&digest`, false);
    xhr.send(turn % 2 ? bytes : new Blob([bytes]));
    await compare("synchronous", JSON.parse(xhr.responseText), bytes);
  }
  for (let turn = 0; turn < count; turn++) {
    const files = Array.from({ length: 1 + (turn % 3) }, (_, at) => random(sizeOf(turn + at) / 3));
    const form = new FormData();
    files.forEach((bytes, at) => form.append("f", new File([bytes], `${at}.bin`)));
    form.append("last", "1");
    const way = turn % 2 ? "fetch" : "xhr";
    say(`${way} FormData ${turn}`);
    sent += 1;
    total += files.reduce((sum, bytes) => sum + bytes.length, 1);
    let said;
    if (way === "fetch") {
      said = await (await fetch(`${api}&parts`, { method: "POST", body: form })).json();
    } else {
      const xhr = new XMLHttpRequest();
      xhr.open("POST", `${api}&parts`);
      xhr.responseType = "json";
      xhr.send(form);
      await once(xhr, "load");
      said = xhr.response;
    }
    const expected = [...(await Promise.all(files.map(digest))), await digest(new TextEncoder().encode("1"))];
    if (JSON.stringify(said.parts) !== JSON.stringify(expected)) wrong.push(`${way} FormData ${turn}`);
  }
  return { wrong, total, count: sent };
};

addEventListener("pageshow", async () => {
  const known = sessionStorage.getItem("site");
  if (known) {
    const state = JSON.parse(known);
    state.visits.push(document.title);
    sessionStorage.setItem("site", JSON.stringify(state));
    setTimeout(() => history.forward(), 50);
    return;
  }
  const found = {};
  for (const [name, work] of Object.entries(features)) {
    globalThis.benchStep(name);
    try {
      found[name] = await Promise.race([work(), new Promise((_, reject) => setTimeout(() => reject(new Error("too long")), 30_000))]);
    } catch (error) {
      found[name] = String(error);
    }
  }
  const query = new URLSearchParams(location.search);
  const bodies = await send(Number(query.get("count")), Number(query.get("largest"))).catch((error) => String(error.stack));
  sessionStorage.setItem("site", JSON.stringify({ found, bodies, visits: [document.title] }));
  location.assign("second");
});
