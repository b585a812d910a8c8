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

// ------------------------------------------------------------------------------------------- XMLHttpRequest

for (const method of ["get", "Post", "PUT", "delete", "patch", "PATCH", "PROPFIND", "OPTIONS", "head"]) {
  xhrScenario(`§3.5.1 open(): method ${method}`, { method });
}
for (const method of ["TRACE", "CONNECT", "track", "A B", "", "PÖST"]) {
  scenario(`xhr §3.5.1 open(): method "${method}" is refused`, () => attempt(() => new XMLHttpRequest().open(method, "/api/echo")));
}
scenario("xhr §3.5.1 open(): an address that cannot be read", () => attempt(() => new XMLHttpRequest().open("GET", "https://a b/")));
scenario("xhr §3.5.1 open(): too few arguments", () => attempt(() => new XMLHttpRequest().open("GET")));
for (const to of ["../api/echo/x", "../api/?q=1", "//{api}/echo?cors=1", "/api/echo?q=1#part", "/api/a%20b/é?ü=ö&c=%2F", "echo"]) {
  xhrScenario(`§3.5.1 open(): address ${to}`, { to: to.replace("{api}", `${mode}-api.test`), method: "GET", watch: false });
}
scenario("xhr §3.5.1 open(): its event, once", () => {
  const log = [];
  const xhr = new XMLHttpRequest();
  xhr.onreadystatechange = () => log.push(xhr.readyState);
  xhr.open("GET", "/api/echo");
  xhr.open("POST", "/api/echo");
  return log;
});
xhrScenario("§3.5.1 open(): send from its event", {
  method: "POST",
  before: (xhr, say) => {
    let isFirst = true;
    xhr.abort();
    xhr.onreadystatechange = () => {
      say(`state ${xhr.readyState}`);
      if (isFirst) {
        isFirst = false;
        xhr.send("early");
      }
    };
    attempt(() => xhr.open("POST", "/api/echo/early"));
  },
});
xhrScenario("§3.5.1 open(): again after the end", {
  method: "POST", body: "one",
  during: (xhr, say) => new Promise((resolve) => {
    xhr.addEventListener("loadend", () => {
      say("again");
      xhr.open("PUT", "/api/echo/two");
      say(`state ${xhr.readyState} ${xhr.status} ${xhr.responseText.length} ${xhr.getAllResponseHeaders()}`);
      xhr.addEventListener("loadend", resolve, { once: true });
      xhr.send("two");
    }, { once: true });
  }),
});
xhrScenario("§3.5.1 open(): again while loading", {
  method: "POST", to: "/api/slow?s=0.3", body: "one",
  during: (xhr) => {
    xhr.open("POST", "/api/echo/second");
    xhr.send("second");
  },
});
xhrScenario("§3.5.2 setRequestHeader(): combined and trimmed", {
  before: (xhr) => {
    xhr.setRequestHeader("X-A", "1");
    xhr.setRequestHeader("x-a", " 2\t");
    xhr.setRequestHeader("X-Empty", "");
    xhr.setRequestHeader("Accept", "text/x");
  },
});
xhrScenario("§3.5.2 setRequestHeader(): kept with a body", { method: "POST", body: "b", headers: { "X-A": "1", "X-B": "ü".normalize("NFC").slice(0, 0) + "v", "Content-Type": "a/b" } });
xhrScenario("§3.5.2 setRequestHeader(): forbidden ones are ignored", {
  method: "POST", body: "b",
  headers: { Cookie: "a=b", Host: "evil.test", Referer: "https://evil.test/", Origin: "https://evil.test", "Sec-X": "1", "Proxy-X": "1", "Accept-Charset": "x", "X-Kept": "1" },
});
for (const [name, value] of [["a b", "1"], ["X", "a\nb"], ["", "x"], ["X-Ö", "1"], ["X", "\u0100"]]) {
  scenario(`xhr §3.5.2 setRequestHeader(): ${JSON.stringify(name)} ${JSON.stringify(value)} is refused`, () => {
    const xhr = new XMLHttpRequest();
    xhr.open("POST", "/api/echo");
    return attempt(() => xhr.setRequestHeader(name, value));
  });
}
scenario("xhr §3.5.2 setRequestHeader(): before open, after send, after the end", async () => {
  const xhr = new XMLHttpRequest();
  const first = attempt(() => xhr.setRequestHeader("X-A", "1"));
  xhr.open("POST", "/api/echo");
  xhr.send("x");
  const second = attempt(() => xhr.setRequestHeader("X-A", "1"));
  await new Promise((resolve) => { xhr.onload = resolve; });
  return [first, second, attempt(() => xhr.setRequestHeader("X-A", "1"))];
});
// Long enough for a busy machine to have sent the body, and what is told of that.
xhrScenario("§3.5.3 timeout: it comes first", { method: "POST", to: "/api/slow?s=8", body: "b", settings: { timeout: 2000 } });
xhrScenario("§3.5.3 timeout: set while under way", { method: "POST", to: "/api/slow?s=8", body: "b", during: async (xhr) => { await wait(50); xhr.timeout = 2000; } });
xhrScenario("§3.5.3 timeout: it comes too late", { method: "POST", body: "b", settings: { timeout: 60_000 } });
xhrScenario("§3.5.3 timeout: of a GET", { to: "/api/slow?s=8", settings: { timeout: 2000 } });
scenario("xhr §3.5.3 timeout: not in a synchronous request", () => {
  const xhr = new XMLHttpRequest();
  xhr.timeout = 5;
  const first = attempt(() => xhr.open("GET", "/api/echo", false));
  const other = new XMLHttpRequest();
  other.open("GET", "/api/echo", false);
  return [first, attempt(() => { other.timeout = 5; })];
});
scenario("xhr §3.5.4 withCredentials: when it may be set", async () => {
  const xhr = new XMLHttpRequest();
  const results = [attempt(() => (xhr.withCredentials = true))];
  xhr.open("POST", "/api/echo");
  results.push(attempt(() => (xhr.withCredentials = false)));
  xhr.send("b");
  results.push(attempt(() => { xhr.withCredentials = true; }));
  await new Promise((resolve) => { xhr.onloadend = resolve; });
  results.push(attempt(() => { xhr.withCredentials = true; }), xhr.withCredentials);
  return results;
});
xhrScenario("§3.5.4 withCredentials: another origin that allows them", { method: "POST", to: `${api}/echo?cors=1`, body: "b", settings: { withCredentials: true } });
xhrScenario("§3.5.4 withCredentials: another origin that says *", { method: "POST", to: `${api}/echo?cors=star`, body: "b", settings: { withCredentials: true } });
scenario("xhr §3.5.5 upload: the same object, its class", () => {
  const xhr = new XMLHttpRequest();
  return [xhr.upload === xhr.upload, xhr.upload instanceof XMLHttpRequestUpload, String(xhr.upload), xhr.upload.onprogress];
});

const form = (entries) => {
  const data = new FormData();
  for (const entry of entries) data.append(...entry);
  return data;
};
const xml = () => new DOMParser().parseFromString("<a b=\"ü\"><c/>text &amp; more</a>", "application/xml");
const html = () => new DOMParser().parseFromString("<!doctype html><p>ü & <br>more</p>", "text/html");
const bodies = {
  "a string": () => "text ü 漢 😀",
  "an empty string": () => "",
  "a lone surrogate": () => "a\ud800b",
  "null": () => null,
  "undefined": () => undefined,
  "a number": () => 42,
  "an object": () => ({ a: 1 }),
  "ArrayBuffer": () => bytes(1000).buffer,
  "an empty ArrayBuffer": () => new ArrayBuffer(0),
  "Uint8Array": () => bytes(256),
  "a part of a buffer": () => new Uint8Array(bytes(100).buffer, 10, 20),
  "Uint16Array": () => new Uint16Array([1, 2, 65535]),
  "Float64Array": () => new Float64Array([1.5, NaN, -0]),
  "BigUint64Array": () => new BigUint64Array([1n, 2n ** 63n]),
  "DataView": () => new DataView(bytes(64).buffer, 8, 16),
  "Blob with a type": () => new Blob([bytes(300), "text"], { type: "image/x-thing" }),
  "Blob without a type": () => new Blob([bytes(30)]),
  "an empty Blob": () => new Blob([]),
  "File": () => new File([bytes(40)], "ü.bin", { type: "application/x-file" }),
  "URLSearchParams": () => new URLSearchParams([["a", "1"], ["a", "ü &=+"], ["", ""]]),
  "FormData": () => form([["a", "1"], ["b", "ü 漢"]]),
  "FormData with repeated names": () => form([["a", "1"], ["a", "2"], ["", "no name"], ["a", ""]]),
  "FormData with files": () => form([["f", new File([bytes(500)], "a \"b\".bin", { type: "image/png" })], ["f", new File([], "empty.txt")], ["b", new Blob([bytes(5)]), "named"], ["c", new Blob(["x"])]]),
  "FormData with line ends": () => form([["a\nb", "1\n2\r3\r\n4"], ["q\"q", "\"\""], ["f", new File(["a\nb"], "x\ny.txt", { type: "text/plain" })]]),
  "an empty FormData": () => new FormData(),
};
for (const [name, make] of Object.entries(bodies)) {
  xhrScenario(`§3.5.6 send(): ${name}`, { method: "POST", body: make, headers: { "X-Kind": encodeURIComponent(name) } });
}
xhrScenario("§3.5.6 send(): an XML document", { method: "POST", body: xml });
xhrScenario("§3.5.6 send(): an HTML document", { method: "POST", body: html });
xhrScenario("§3.5.6 send(): a large body in many chunks", { method: "PUT", body: () => bytes(700_001, 3) });
xhrScenario("§3.5.6 send(): a large Blob", { method: "PUT", body: () => new Blob([bytes(500_000, 5), bytes(300_000, 9)], { type: "a/b" }) });
for (const method of ["GET", "HEAD"]) xhrScenario(`§3.5.6 send(): ${method} has no body`, { method, body: "ignored" });
for (const method of ["DELETE", "OPTIONS", "PATCH", "REPORT"]) xhrScenario(`§3.5.6 send(): ${method} has one`, { method, body: "kept" });
for (const type of ["text/x;charset=ISO-8859-1", "text/x; charset=utf-8", "text/x", "a/b;charset=\"latin1\";c=d", "not a type"]) {
  xhrScenario(`§3.5.6 send(): a string as ${type}`, { method: "POST", body: "ü", headers: { "Content-Type": type } });
}
xhrScenario("§3.5.6 send(): bytes as text with a charset", { method: "POST", body: () => bytes(3), headers: { "Content-Type": "text/x;charset=latin1" } });
scenario("xhr §3.5.6 send(): before open, and twice", async () => {
  const xhr = new XMLHttpRequest();
  const first = attempt(() => xhr.send("x"));
  xhr.open("POST", "/api/echo");
  xhr.send("one");
  const second = attempt(() => xhr.send("two"));
  await new Promise((resolve) => { xhr.onload = resolve; });
  return [first, second, JSON.parse(xhr.responseText).body, attempt(() => xhr.send("three"))];
});
scenario("xhr §3.5.6 send(): what is changed after it is not sent", async () => {
  const xhr = new XMLHttpRequest();
  const data = bytes(10);
  xhr.open("POST", "/api/echo");
  xhr.send(data);
  data.fill(0);
  await new Promise((resolve) => { xhr.onload = resolve; });
  return JSON.parse(xhr.responseText).body;
});
xhrScenario("§3.5.6 send(): no listener on upload", { method: "POST", body: "b", upload: false });
xhrScenario("§3.5.6 send(): a connection that breaks", { method: "POST", to: "/api/drop", body: "b" });
xhrScenario("§3.5.6 send(): an answer that is cut short", { method: "POST", to: "/api/cut", body: "b", upload: false });
xhrScenario("§3.5.6 send(): another origin that does not agree", { method: "POST", to: `${api}/echo?cors=none`, body: "b" });
xhrScenario("§3.5.6 send(): another origin that agrees", { method: "POST", to: `${api}/echo?cors=star&expose=X-Asked`, body: "b", upload: false });
xhrScenario("§3.5.6 send(): another origin that must be asked first", { method: "PUT", to: `${api}/echo?cors=1`, body: "b", headers: { "X-A": "1" } });
xhrScenario("§3.5.6 send(): another origin that refuses when asked", { method: "PUT", to: `${api}/echo?cors=1&preflight=refuse`, body: "b", upload: false });
for (const isBlob of [false, true]) {
  xhrScenario(`§3.5.6 send(): synchronous, ${isBlob ? "Blob" : "text"}`, { method: "POST", body: () => (isBlob ? new Blob([bytes(50)], { type: "a/b" }) : "sync ü"), isSync: true });
}
xhrScenario("§3.5.6 send(): synchronous, FormData with a file", { method: "POST", body: bodies["FormData with files"], isSync: true });
xhrScenario("§3.5.6 send(): synchronous, bytes", { method: "PUT", body: () => bytes(300_000), isSync: true });
xhrScenario("§3.5.6 send(): synchronous, a Blob of 3 MB", { method: "PUT", body: () => new Blob([bytes(3_000_001, 6)]), isSync: true });
xhrScenario("§3.5.6 send(): synchronous, a long address", { method: "POST", to: `/api/echo?long=${"x".repeat(30_000)}`, body: "b", isSync: true });
xhrScenario("§3.5.6 send(): synchronous, an answer of 3 MB", { method: "POST", to: "/api/bytes?n=3000000", body: "b", isSync: true });
for (const status of [302, 307]) xhrScenario(`§3.5.6 send(): synchronous and ${status}`, { method: "POST", to: `/api/redirect?status=${status}&to=/api/echo/moved`, body: "b", isSync: true });
xhrScenario("§3.5.6 send(): synchronous, without a body", { isSync: true });
xhrScenario("§3.5.6 send(): synchronous, an error status", { method: "POST", to: "/api/status?code=404", body: "b", isSync: true });
xhrScenario("§3.5.6 send(): synchronous, a connection that breaks", { method: "POST", to: "/api/drop", body: "b", isSync: true });
scenario("xhr §3.5.6 send(): order with timers", async () => {
  const log = [];
  const xhr = new XMLHttpRequest();
  xhr.open("POST", "/api/echo");
  xhr.onloadstart = () => log.push("loadstart");
  xhr.onload = () => log.push("load");
  const end = new Promise((resolve) => { xhr.onloadend = resolve; });
  log.push("before");
  xhr.send("b");
  log.push("after");
  await Promise.resolve().then(() => log.push("microtask"));
  await end;
  return log;
});
scenario("xhr §3.5.6 send(): many at once, each its own answer", async () => {
  const results = await Promise.all(Array.from({ length: 24 }, (_, at) => new Promise((resolve) => {
    const xhr = new XMLHttpRequest();
    xhr.open("POST", `/api/echo?n=${at}`);
    xhr.onloadend = () => resolve([at, parsed(xhr.responseText).body]);
    xhr.send(`body ${at}`);
  })));
  return results;
});

for (const when of ["at once", "while it waits"]) {
  xhrScenario(`§3.5.7 abort(): ${when}`, {
    method: "POST", to: "/api/slow?s=4", body: "b",
    during: async (xhr, say) => {
      if (when !== "at once") await new Promise((resolve) => xhr.upload.addEventListener("loadend", resolve));
      xhr.abort();
      say(`aborted ${xhr.readyState} ${xhr.status} ${xhr.responseText}`);
    },
  });
}
xhrScenario("§3.5.7 abort(): while loading", {
  method: "POST", to: "/api/drip", body: "b",
  during: (xhr, say) => new Promise((resolve) => {
    xhr.addEventListener("readystatechange", () => {
      if (xhr.readyState !== 3) return;
      xhr.abort();
      say(`aborted ${xhr.readyState}`);
      resolve();
    });
  }),
});
xhrScenario("§3.5.7 abort(): in loadstart", { method: "POST", body: "b", before: (xhr) => xhr.addEventListener("loadstart", () => xhr.abort()) });
scenario("xhr §3.5.7 abort(): opened and not sent, and after the end", async () => {
  const log = [];
  const xhr = new XMLHttpRequest();
  for (const name of [...EVENTS, "readystatechange"]) xhr.addEventListener(name, () => log.push(`${name} ${xhr.readyState}`));
  xhr.open("POST", "/api/echo");
  xhr.abort();
  log.push(`now ${xhr.readyState}`);
  xhr.open("POST", "/api/echo");
  const end = new Promise((resolve) => { xhr.onloadend = resolve; });
  xhr.send();
  await end;
  xhr.abort();
  log.push(`now ${xhr.readyState} ${xhr.status}`);
  return settled(log);
});
scenario("xhr §3.5.7 abort(): the server is not asked again", async () => {
  const key = newKey();
  const xhr = new XMLHttpRequest();
  xhr.open("POST", `/api/echo?key=${key}`);
  xhr.send("b");
  await new Promise((resolve) => { xhr.onload = resolve; });
  xhr.abort();
  return (await (await fetch(`/api/noted?key=${key}`)).json()).length;
});

for (const code of [200, 201, 204, 206, 304, 400, 404, 500, 503, 299]) {
  xhrScenario(`§3.6.2 status: ${code}`, { method: "POST", to: `/api/status?code=${code}`, body: "b" });
}
xhrScenario("§3.6.1 responseURL: after redirects", { to: "/api/redirect?to=/api/echo/moved%23x&status=302" });
for (const status of [301, 302, 303, 307, 308]) {
  xhrScenario(`§3.6.1 responseURL: POST and ${status}`, { method: "POST", body: "b", to: `/api/redirect?status=${status}&to=/api/echo/moved`, upload: false });
}
scenario("xhr §3.6.4 getResponseHeader(): names, absence, several values, cookies", async () => {
  const xhr = new XMLHttpRequest();
  xhr.open("POST", "/api/many");
  const early = [xhr.getResponseHeader("x-one"), xhr.getAllResponseHeaders()];
  xhr.send("b");
  await new Promise((resolve) => { xhr.onload = resolve; });
  return [early, ["X-One", "x-one", "X-TWO", "x-empty", "set-cookie", "Set-Cookie2", "none", "content-type"].map((name) => xhr.getResponseHeader(name)),
    headersOf(xhr.getAllResponseHeaders())];
});
scenario("xhr §3.6.4 getAllResponseHeaders(): of another origin", async () => {
  const results = [];
  for (const expose of ["", "X-One", "*"]) {
    const xhr = new XMLHttpRequest();
    xhr.open("POST", `${api}/many?cors=star&expose=${expose}`);
    xhr.send("b");
    await new Promise((resolve) => { xhr.onload = resolve; });
    results.push(headersOf(xhr.getAllResponseHeaders()));
  }
  return results;
});
xhrScenario("§3.6.6 overrideMimeType(): another charset", { method: "POST", body: "b", to: "/api/type?type=text/plain&hex=e4f6fc", before: (xhr) => xhr.overrideMimeType("text/plain;charset=iso-8859-1") });
xhrScenario("§3.6.6 overrideMimeType(): binary text", { to: "/api/type?type=text/plain&hex=80ff00e9", before: (xhr) => xhr.overrideMimeType("text/plain; charset=x-user-defined") });
xhrScenario("§3.6.6 overrideMimeType(): XML", { to: "/api/type?type=text/plain&text=<a/>", type: "document", before: (xhr) => xhr.overrideMimeType("application/xml") });
for (const type of ["", "text", "arraybuffer", "blob", "json", "document"]) {
  xhrScenario(`§3.6.7 responseType: "${type}"`, { method: "POST", to: "/api/type?type=application/json&text={\"a\":[1,\"ü\"]}", body: "b", type });
}
xhrScenario("§3.6.7 responseType: an unknown one", { before: (xhr) => { xhr.responseType = "nothing"; } });
scenario("xhr §3.6.7 responseType: when it may be set", async () => {
  const xhr = new XMLHttpRequest();
  const results = [];
  xhr.open("POST", "/api/drip");
  const loading = new Promise((resolve) => {
    xhr.onreadystatechange = () => {
      if (xhr.readyState === 3) resolve();
    };
  });
  const end = new Promise((resolve) => { xhr.onloadend = resolve; });
  xhr.send("b");
  results.push(attempt(() => (xhr.responseType = "text")));
  await loading;
  results.push(attempt(() => { xhr.responseType = "json"; }), attempt(() => xhr.overrideMimeType("a/b")));
  await end;
  results.push(attempt(() => { xhr.responseType = "json"; }), xhr.responseType, attempt(() => xhr.responseXML));
  return results;
});
xhrScenario("§3.6.8 response: JSON that is none", { to: "/api/type?type=application/json&text={", type: "json" });
xhrScenario("§3.6.8 response: an empty answer", { method: "POST", to: "/api/type?type=text/plain", body: "b" });
for (const type of ["arraybuffer", "blob", "json", "document"]) xhrScenario(`§3.6.8 response: an empty answer as ${type}`, { to: "/api/type?type=text/html", type });
scenario("xhr §3.6.8 response: the same object each time", async () => {
  const xhr = new XMLHttpRequest();
  xhr.open("POST", "/api/bytes?n=20");
  xhr.responseType = "arraybuffer";
  const early = xhr.response;
  xhr.send("b");
  await new Promise((resolve) => { xhr.onload = resolve; });
  return [early, xhr.response === xhr.response, xhr.response.byteLength, attempt(() => xhr.responseText), attempt(() => xhr.responseXML)];
});
xhrScenario("§3.6.8 response: 3 MB of bytes", { to: "/api/bytes?n=3000000", type: "arraybuffer" });
for (const [name, hex, type] of [
  ["UTF-8", "c3bc", "text/plain"], ["a charset", "fc", "text/plain;charset=latin1"], ["a quoted charset", "fc", "text/plain; charset=\"ISO-8859-1\""],
  ["a byte order mark", "efbbbfc3bc", "text/plain;charset=latin1"], ["UTF-16", "fffefc00", "text/plain"], ["a broken byte", "61ff62", "text/plain"],
  ["an unknown charset", "c3bc", "text/plain;charset=nothing"], ["no type", "c3bc", ""],
]) {
  xhrScenario(`§3.6.9 responseText: ${name}`, { method: "POST", body: "b", to: `/api/type?hex=${hex}${type && `&type=${encodeURIComponent(type)}`}` });
}
for (const [name, type, text] of [
  ["XML", "application/xml", "<a>ü</a>"], ["text/xml", "text/xml", "<a/>"], ["SVG", "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>"],
  ["broken XML", "application/xml", "<a>"], ["HTML", "text/html", "<p>x"], ["plain text", "text/plain", "<a/>"],
]) {
  scenario(`xhr §3.6.10 responseXML: ${name}`, async () => {
    const results = [];
    for (const wanted of ["", "document"]) {
      const xhr = new XMLHttpRequest();
      xhr.open("POST", `/api/type?type=${encodeURIComponent(type)}&text=${encodeURIComponent(text)}`);
      xhr.responseType = wanted;
      xhr.send("b");
      await new Promise((resolve) => { xhr.onload = resolve; });
      const found = xhr.responseXML;
      results.push([found && found.contentType, found && found.documentElement.outerHTML, found === xhr.responseXML]);
    }
    return results;
  });
}
scenario("xhr §3.6.9 responseText: grows while loading", async () => {
  const xhr = new XMLHttpRequest();
  const lengths = new Set();
  xhr.open("POST", "/api/drip");
  xhr.onprogress = (event) => lengths.add(xhr.responseText.length === event.loaded && event.total === 40);
  xhr.send("b");
  await new Promise((resolve) => { xhr.onloadend = resolve; });
  return [[...lengths], xhr.responseText];
});
scenario("xhr §3 the class: constants, names, descriptors, subclasses", () => {
  const results = [];
  for (const name of ["UNSENT", "OPENED", "HEADERS_RECEIVED", "LOADING", "DONE"]) results.push(XMLHttpRequest[name], new XMLHttpRequest()[name]);
  const prototype = XMLHttpRequest.prototype;
  for (const name of Object.getOwnPropertyNames(prototype).sort()) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
    results.push([name, descriptor.enumerable, descriptor.configurable, descriptor.writable, typeof descriptor.value, descriptor.value?.length, descriptor.value?.name, typeof descriptor.get, typeof descriptor.set, descriptor.get?.name]);
  }
  class Own extends XMLHttpRequest {
    open(...values) {
      super.open(...values);
      this.wasOpened = true;
    }
  }
  const own = new Own();
  own.open("GET", "/api/echo");
  results.push(own.wasOpened, own instanceof XMLHttpRequest, own instanceof EventTarget, String(own), Object.keys(own), XMLHttpRequest.name, XMLHttpRequest.length,
    /\[native code\]/.test(prototype.open.toString()), /\[native code\]/.test(Function.prototype.toString.call(window.fetch)), attempt(() => XMLHttpRequest()),
    attempt(() => prototype.open.call({}, "GET", "/")), attempt(() => prototype.status), prototype.constructor === XMLHttpRequest);
  return results;
});
scenario("xhr §2 events: handlers as attributes and listeners, in order of registration", async () => {
  const log = [];
  const xhr = new XMLHttpRequest();
  xhr.addEventListener("load", () => log.push("first"));
  xhr.onload = function () { log.push(this === xhr ? "second" : "wrong"); };
  xhr.addEventListener("load", { handleEvent: (event) => log.push(`third ${event.target === xhr} ${event.currentTarget === xhr} ${event.type} ${event.constructor.name} ${event.bubbles} ${event.cancelable}`) });
  xhr.addEventListener("readystatechange", (event) => log.push(`${event.constructor.name} ${xhr.readyState}`), { once: true });
  xhr.open("POST", "/api/echo");
  xhr.send("b");
  await new Promise((resolve) => { xhr.onloadend = resolve; });
  return log;
});
scenario("xhr §3.5.6 send(): a handler that throws does not stop the rest", async () => {
  const log = [];
  const swallow = (event) => event.preventDefault();
  addEventListener("error", swallow);
  const xhr = new XMLHttpRequest();
  xhr.open("POST", "/api/echo");
  xhr.onreadystatechange = () => {
    if (xhr.readyState === 4) throw new Error("on purpose");
  };
  xhr.onload = () => log.push("load");
  const end = new Promise((resolve) => { xhr.onloadend = resolve; });
  xhr.send("b");
  await end;
  removeEventListener("error", swallow);
  return log;
});

// ------------------------------------------------------------------------------------------- fetch

const told = async (response) => ({
  status: response.status, statusText: response.statusText, ok: response.ok, url: response.url, type: response.type, redirected: response.redirected,
  headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).filter((line) => !VOLATILE.test(line)), bodyUsed: response.bodyUsed,
  hasBody: response.body !== null, text: parsed(await response.text()), bodyUsedAfter: response.bodyUsed,
});
const fetched = async (...values) => {
  try {
    return await told(await fetch(...values));
  } catch (error) {
    return `rejects ${named(error)}`;
  }
};
const fetchScenario = (name, ...values) => scenario(`fetch ${name}`, () => fetched(...values.map((value) => (typeof value === "function" ? value() : value))));

fetchScenario("§5.6 GET", "/api/echo");
fetchScenario("§5.6 an address object", () => new URL("/api/echo?u", location));
fetchScenario("§5.6 a relative address", "../api/echo/rel");
fetchScenario("§5.6 an address that cannot be read", "https://a b/");
fetchScenario("§5.6 an address with a password", () => `https://a:b@${location.host}/api/echo`);
fetchScenario("§5.6 data:", "data:text/plain,hello");
fetchScenario("§5.6 blob:", () => URL.createObjectURL(new Blob(["in memory"], { type: "text/x" })));
fetchScenario("§5.6 no argument");
for (const [name, make] of Object.entries(bodies)) {
  fetchScenario(`§5.2 body: ${name}`, "/api/echo", () => ({ method: "POST", body: make(), headers: { "X-Kind": encodeURIComponent(name) } }));
}
for (const [name, make] of Object.entries(bodies).filter(([name]) => /Blob with|FormData with files|Uint8Array|a string|Params/.test(name))) {
  fetchScenario(`§5.4 a Request with ${name}`, () => new Request("/api/echo", { method: "PUT", body: make() }));
}
fetchScenario("§5.2 body: with a type of its own", "/api/echo", () => ({ method: "POST", body: "ü", headers: { "content-type": "text/x;charset=latin1" } }));
fetchScenario("§5.2 body: a large one", "/api/echo", () => ({ method: "POST", body: bytes(600_000) }));
fetchScenario("§5.2 body: GET must not have one", "/api/echo", { method: "GET", body: "b" });
fetchScenario("§5.2 body: a stream without duplex", "/api/echo", () => ({ method: "POST", body: new Blob(["x"]).stream() }));
for (const method of ["post", "patch", "PATCH", "DELETE", "PROPFIND", "TRACE", "B AD"]) fetchScenario(`§5.4 method ${method}`, "/api/echo", { method, body: "b" });
scenario("fetch §5.4 Request: clone, used once, read twice", async () => {
  const request = new Request("/api/echo", { method: "POST", body: "cloned" });
  const clone = request.clone();
  const first = fetch(request);
  const used = request.bodyUsed;
  const again = await fetched(request);
  return [used, again, parsed(await (await first).text()), clone.bodyUsed, await fetched(clone), request.url, request instanceof Request];
});
scenario("fetch §5.4 Request: changed by init", async () => {
  const request = new Request("/api/echo/a", { method: "POST", body: "one", headers: { "X-A": "1" } });
  return [await fetched(request, { method: "PUT", body: "two", headers: { "X-B": "2" } }), request.bodyUsed];
});
scenario("fetch §5.4 Request: with a signal of its own", async () => {
  const controller = new AbortController();
  const request = new Request("/api/slow?s=1", { method: "POST", body: "b", signal: controller.signal });
  setTimeout(() => controller.abort(), 100);
  return fetched(request);
});
scenario("fetch §5.6 abort: before, during, with a reason, while reading", async () => {
  const results = [];
  const gone = new AbortController();
  gone.abort();
  results.push(await fetched("/api/echo", { method: "POST", body: "b", signal: gone.signal }));
  const late = new AbortController();
  setTimeout(() => late.abort(new RangeError("mine")), 100);
  results.push(await fetched("/api/slow?s=1", { method: "POST", body: "b", signal: late.signal }));
  const reading = new AbortController();
  const response = await fetch("/api/drip", { method: "POST", body: "b", signal: reading.signal });
  reading.abort();
  results.push(response.status, await response.text().catch(named));
  results.push(await fetched("/api/slow?s=1", { method: "POST", body: "b", signal: AbortSignal.timeout(100) }));
  return results;
});
for (const redirect of ["follow", "error", "manual"]) fetchScenario(`§4.4 redirect ${redirect}`, "/api/redirect?to=/api/echo/moved&status=302", { redirect });
for (const status of [301, 302, 303, 307, 308]) {
  fetchScenario(`§4.4 POST and ${status}`, `/api/redirect?status=${status}&to=/api/echo/moved`, { method: "POST", body: "b", headers: { "X-A": "1" } });
}
fetchScenario("§4.4 a redirect to another origin", `/api/redirect?to=${encodeURIComponent(`${api}/echo?cors=star`)}`);
/* Redirects of a request with a body, hop by hop: what the page is told, and what each server got. */
const www = `https://${mode}-www.test`;
const hop = (to, status = 307, more = "") => `/api/redirect?status=${status}&to=${encodeURIComponent(to)}${more}`;
/** The answer without its headers: a device's own files have others than a server's. */
const seenByFetch = async (...values) => {
  try {
    const { status, url, redirected, type, ok, body } = await fetch(...values).then(async (response) => ({
      status: response.status, url: response.url, redirected: response.redirected, type: response.type, ok: response.ok, body: parsed(await response.text()),
    }));
    return { status, url, redirected, type, ok, body: typeof body === "string" ? body.length : body };
  } catch (error) {
    return `rejects ${named(error)}`;
  }
};
const seenByXHR = async (options) => {
  const { headers, text, ...rest } = await story({ upload: false, ...options });
  return { ...rest, text: typeof text === "string" ? text.length : text };
};
const hops = (name, to, { body = () => "b", method = "POST", headers = {}, credentials } = {}) => {
  scenario(`fetch §4.4 hops: ${name}`, () => seenByFetch(to(), { method, body: body(), headers, ...(credentials ? { credentials } : {}) }));
  scenario(`xhr §4.4 hops: ${name}`, () => seenByXHR({ method, to: to(), body, headers, settings: credentials === "include" ? { withCredentials: true } : {} }));
};
for (const status of [301, 302, 303, 307, 308]) {
  hops(`${status} into the package`, () => hop("/app/scenarios.html", status));
  hops(`${status} of a PUT`, () => hop("/api/echo/put", status), { method: "PUT" });
  hops(`${status} to another origin that agrees`, () => hop(`${api}/echo?cors=1`, status));
  hops(`${status} to another origin that does not`, () => hop(`${api}/echo?cors=none`, status));
}
for (const [name, body] of Object.entries(bodies).filter(([name]) => /^(Blob with a type|FormData with files|URLSearchParams|an empty string|DataView)$/.test(name))) {
  hops(`307 with ${name}`, () => hop("/api/echo/again"), { body });
}
hops("308 with 700 KB", () => hop("/api/echo/large", 308), { body: () => bytes(700_001, 4) });
hops("three times 307, then 303", () => hop(hop(hop(hop("/api/echo/end", 303)))));
hops("a header that another origin must be asked for", () => hop(`${api}/echo?cors=1`), { headers: { "X-A": "1" } });
hops("a header that another origin refuses", () => hop(`${api}/echo?cors=1&preflight=refuse`), { headers: { "X-A": "1" } });
hops("another origin and credentials", () => hop(`${api}/echo?cors=1`), { credentials: "include" });
hops("another origin that says * and credentials", () => hop(`${api}/echo?cors=star`), { credentials: "include" });
hops("to another origin and back", () => hop(`${api}/redirect?cors=1&status=307&to=${encodeURIComponent(`${www}/api/echo/back?cors=1`)}`));
hops("to another origin and back, where the own origin says nothing", () => hop(`${api}/redirect?cors=1&status=307&to=${encodeURIComponent(`${www}/api/echo/back?cors=none`)}`));
hops("from another origin", () => `${api}/redirect?cors=1&status=307&to=${encodeURIComponent(`${api}/echo/there?cors=1`)}`);
hops("from another origin that says nothing", () => `${api}/redirect?cors=none&status=307&to=${encodeURIComponent(`${api}/echo/there?cors=1`)}`);
hops("an Authorization header and another origin", () => hop(`${api}/echo?cors=1`), { headers: { Authorization: "Bearer 1" } });
hops("a fragment in the new address", () => hop("/api/echo/part#there"));
hops("a fragment in the old address", () => `${hop("/api/echo/part")}#here`);
hops("a query in the new address", () => hop("/api/echo?a=1&b=%2F"));
hops("another scheme", () => hop("data:text/plain,x"));
hops("300 is no redirect", () => hop("/api/echo", 300));
hops("304 is none either", () => hop("/api/echo", 304));
hops("20 hops", () => "/api/loop?n=20");
hops("21 hops", () => "/api/loop?n=21");
for (const redirect of ["error", "manual"]) {
  for (const to of ["/api/echo/moved", `${api}/echo?cors=1`]) {
    scenario(`fetch §4.4 hops: redirect ${redirect} to ${to.startsWith("/") ? "the own origin" : "another origin"}`, () => seenByFetch(hop(to), { method: "POST", body: "b", redirect }));
  }
}
scenario("fetch §4.4 hops: what each server got", async () => {
  const key = newKey();
  await fetched(hop(hop(`/api/echo?key=${key}`, 308, `&key=${key}`), 307, `&key=${key}`), { method: "POST", body: new Blob(["kept"], { type: "a/b" }), headers: { "X-A": "1" } });
  return (await (await fetch(`/api/noted?key=${key}`)).json()).map(({ method, headers, body }) => [method, body, headers["content-type"], headers["x-a"], headers.origin, headers.referer]);
});
scenario("fetch §4.4 hops: abort between them", async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 300);
  return seenByFetch(hop("/api/slow?s=2"), { method: "POST", body: "b", signal: controller.signal });
});
scenario("xhr §4.4 hops: a timeout between them", () => seenByXHR({ method: "POST", to: hop("/api/slow?s=8"), body: "b", settings: { timeout: 2000 } }));

for (const credentials of ["omit", "same-origin", "include"]) {
  fetchScenario(`§4.5 credentials ${credentials}, own origin`, "/api/echo", { method: "POST", body: "b", credentials });
  fetchScenario(`§4.5 credentials ${credentials}, another origin`, `${api}/echo?cors=1`, { method: "POST", body: "b", credentials });
}
for (const requestMode of ["cors", "same-origin", "no-cors"]) {
  fetchScenario(`§4.1 mode ${requestMode}, own origin`, "/api/echo", { method: "POST", body: "b", mode: requestMode });
  fetchScenario(`§4.1 mode ${requestMode}, another origin`, `${api}/echo?cors=none`, { method: "POST", body: "b", mode: requestMode });
}
scenario("fetch §4.1 mode no-cors: the server gets the body", async () => {
  const key = newKey();
  await fetch(`${api}/echo?cors=none&key=${key}`, { method: "POST", body: "opaque", mode: "no-cors" });
  return (await (await fetch(`${api}/noted?cors=star&key=${key}`)).json()).map(({ body, headers, method }) => [method, body, headers["content-type"]]);
});
fetchScenario("§3.2.3 another origin must agree", `${api}/echo?cors=none`, { method: "POST", body: "b" });
fetchScenario("§3.2.3 another origin and its headers", `${api}/many?cors=star&expose=X-One`, { method: "POST", body: "b" });
fetchScenario("§3.2.3 another origin and credentials with *", `${api}/echo?cors=star`, { method: "POST", body: "b", credentials: "include" });
fetchScenario("§3.2.2 another origin is asked first", `${api}/echo?cors=1`, { method: "POST", body: "{}", headers: { "content-type": "application/json", "x-b": "2", "x-a": "1" } });
fetchScenario("§3.2.2 another origin refuses when asked", `${api}/echo?cors=1&preflight=refuse`, { method: "DELETE" });
scenario("fetch §3.2.2 what another origin is asked", async () => {
  const key = newKey();
  await fetched(`${api}/echo?cors=1&key=${key}`, { method: "PUT", body: "{}", headers: { "content-type": "application/json", "x-b": "2", "x-a": "1" } });
  return (await (await fetch(`${api}/noted?cors=star&key=${key}`)).json()).map(({ method, headers, body }) => [method, body, headers.origin, headers["access-control-request-method"], headers["access-control-request-headers"]]);
});
for (const code of [200, 204, 205, 304, 404, 500]) fetchScenario(`§5.5 status ${code}`, `/api/status?code=${code}`, { method: "POST", body: "b" });
fetchScenario("§5.5 HEAD", "/api/echo", { method: "HEAD" });
fetchScenario("§5.5 several values of a header", "/api/many", { method: "POST", body: "b" });
fetchScenario("§5.5 a connection that breaks", "/api/drop", { method: "POST", body: "b" });
scenario("fetch §5.5 Response: read in each way", async () => {
  const get = () => fetch("/api/type?type=application/json&text=[1,2]", { method: "POST", body: "b" });
  return [await (await get()).json(), (await (await get()).arrayBuffer()).byteLength, (await (await get()).blob()).type, await (await get()).text(),
    [...(await (await fetch("/api/type?type=application/x-www-form-urlencoded&text=a%3D1", { method: "POST", body: "b" })).formData())],
    await (await get()).formData().catch(named)];
});
scenario("fetch §5.5 Response: a stream of pieces, and its clone", async () => {
  const response = await fetch("/api/drip", { method: "POST", body: "b" });
  const clone = response.clone();
  const reader = response.body.getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  return [text, await clone.text(), clone.url === response.url, clone.type, clone.status, response instanceof Response, String(response), attempt(() => response.clone())];
});
scenario("fetch §5.5 Response: cut short", async () => {
  const response = await fetch("/api/cut", { method: "POST", body: "b" });
  return [response.status, await response.text().catch(named)];
});
scenario("fetch §5.5 Response: the reader cancels", async () => {
  const response = await fetch("/api/drip", { method: "POST", body: "b" });
  const reader = response.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return [value.length > 0, (await reader.read()).done];
});
scenario("fetch §5.6 keepalive", () => fetched("/api/echo", { method: "POST", body: "kept", keepalive: true }));
scenario("fetch §5.6 cache no-store, referrer, referrerPolicy", async () => [
  await fetched("/api/echo", { method: "POST", body: "b", cache: "no-store" }),
  await fetched("/api/echo", { method: "POST", body: "b", referrerPolicy: "strict-origin-when-cross-origin" }),
]);
scenario("fetch §5.6 integrity", async () => {
  const right = `sha256-${btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("abc")))))}`;
  return [await fetched("/api/type?type=text/plain&text=abc", { integrity: right }), await fetched("/api/type?type=text/plain&text=abd", { integrity: right })];
});
scenario("fetch §5.6 the function", () => [fetch.name, fetch.length, typeof fetch, Object.keys(Object.getOwnPropertyDescriptor(window, "fetch")).sort().join(), attempt(() => new fetch("/"))]);
scenario("fetch §5.6 many at once, each its own answer", async () =>
  Promise.all(Array.from({ length: 24 }, async (_, at) => (await (await fetch(`/api/echo?n=${at}`, { method: "POST", body: new Blob([`body ${at}`]) })).json()).body)));
scenario("fetch §5.3 Headers: combined, of forbidden names", () => fetched("/api/echo", {
  method: "POST", body: "b", headers: [["X-A", "1"], ["x-a", "2"], ["Cookie", "no=1"], ["Host", "evil.test"], ["X-C", " trimmed "]],
}));

// ------------------------------------------------------------------------------------------- cookies, beacons

scenario("fetch §3.1 Set-Cookie: never shown, stored, sent back, HttpOnly unseen", async () => {
  const name = `c${++keys}`;
  const response = await fetch(`/api/cookie?set=${encodeURIComponent(`${name}=1; Path=/`)}`, { method: "POST", body: "b" });
  await fetch(`/api/cookie?set=${encodeURIComponent(`${name}h=1; Path=/; HttpOnly`)}`, { method: "POST", body: "b" });
  const sent = (await (await fetch("/api/echo?cookies", { method: "POST", body: "b" })).json()).cookie.split("; ").filter((pair) => pair.startsWith(name));
  return [response.headers.get("set-cookie"), [...response.headers.keys()].includes("set-cookie"), sent.map((pair) => pair.slice(name.length)), isFull || document.cookie.includes(`${name}=1`), document.cookie.includes(`${name}h=`)];
});
scenario("beacon §3.1 sendBeacon(): redirected", async () => {
  const key = newKey();
  navigator.sendBeacon(hop(`/api/echo?key=${key}`), new Blob(["kept"], { type: "text/plain" }));
  for (let turn = 0; turn < 600; turn++) {
    const noted = await (await fetch(`/api/noted?key=${key}`)).json();
    if (noted.length) return noted.map(({ method, body, headers }) => [method, body, headers["content-type"]]);
    await wait(30);
  }
  return "never came";
});
for (const [name, make] of Object.entries(bodies).filter(([name]) => /^(a string|Uint8Array|Blob with a type|FormData|URLSearchParams|null)$/.test(name))) {
  scenario(`beacon §3.1 sendBeacon(): ${name}`, async () => {
    const key = newKey();
    const queued = navigator.sendBeacon(`/api/echo?key=${key}`, make());
    for (let turn = 0; turn < 600; turn++) {
      const noted = await (await fetch(`/api/noted?key=${key}`)).json();
      if (noted.length) return [queued, noted.map(({ method, body, headers, cookie }) => [method, body, headers["content-type"], headers.origin, headers.referer])];
      await wait(30);
    }
    return [queued, "never came"];
  });
}
scenario("beacon §3.1 sendBeacon(): too large, no address, a wrong one", () => [
  navigator.sendBeacon("/api/echo", bytes(70_000)), attempt(() => navigator.sendBeacon()), attempt(() => navigator.sendBeacon("https://a b/", "x")), navigator.sendBeacon.length,
]);

// ------------------------------------------------------------------------------------------- forms

/** Submits a form into a frame and reads what the server got. */
const submitted = (markup, act) => new Promise((resolve) => {
  const place = document.createElement("div");
  const name = `frame${++keys}`;
  place.innerHTML = `<iframe name="${name}"></iframe>${markup.replaceAll("TARGET", name)}`;
  document.body.append(place);
  const frame = place.querySelector("iframe");
  const element = place.querySelector("form");
  const log = [];
  for (const event of ["submit", "formdata"]) element.addEventListener(event, (each) => log.push(`${event} ${each.submitter?.name ?? ""} ${element.getAttribute("action")}`));
  const end = (result) => {
    place.remove();
    resolve([log, result, element.getAttribute("action")]);
  };
  frame.addEventListener("load", () => {
    const said = frame.contentDocument?.body?.innerText;
    if (!said) return;
    const seen = parsed(said);
    setTimeout(() => end([seen, String(frame.contentWindow.location.href)]), 20);
  });
  setTimeout(() => end("nothing came"), 30_000);
  act(element, place, end);
});
const formScenario = (name, markup, act) => scenario(`form ${name}`, () => submitted(markup, act));
const file = (element, name, contents, type) => {
  const list = new DataTransfer();
  for (const [content, filename] of contents) list.items.add(new File([content], filename, { type }));
  element.elements[name].files = list.files;
};
const fields = `<input name=a value=1><input name=a value="ü 2"><textarea name=t>one\ntwo</textarea><input type=checkbox name=no><input type=hidden name=h value="">`;
for (const enctype of ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"]) {
  for (const [way, act] of [
    ["submit()", (element) => element.submit()], ["requestSubmit()", (element) => element.requestSubmit()],
    ["a click", (element) => element.querySelector("button").click()],
  ]) {
    formScenario(`§4.10.22 ${way}, ${enctype}`, `<form method=post action="/api/echo" target=TARGET enctype="${enctype}">${fields}<button name=go value=now>Go</button></form>`, act);
  }
}
formScenario("§4.10.22.7 files", "<form method=post action=\"/api/echo\" target=TARGET enctype=multipart/form-data><input type=file name=f multiple><input type=file name=none></form>", (element) => {
  file(element, "f", [[bytes(300), "a.bin"], ["", "empty"], [bytes(400_000), "large"]], "image/png");
  element.submit();
});
formScenario("§4.10.19.6 formaction, formenctype, formmethod", "<form method=get action=\"/api/wrong\" target=TARGET><input name=a value=1><button name=b value=2 formaction=\"/api/echo/right\" formmethod=post formenctype=multipart/form-data>x</button></form>", (element) => element.querySelector("button").click());
formScenario("§4.10.19.6 formtarget", "<form method=post action=\"/api/echo\" target=_blank><input name=a value=1><button formtarget=TARGET>x</button></form>", (element) => element.querySelector("button").click());
formScenario("§4.10.22.3 requestSubmit(button)", "<form method=post action=\"/api/echo\" target=TARGET><button name=b value=1>x</button><button name=c value=2>x</button></form>", (element) => element.requestSubmit(element.querySelectorAll("button")[1]));
formScenario("§4.10.22.3 a GET form", `<form action="/api/echo?old=1" target=TARGET>${fields}<button name=go>x</button></form>`, (element) => element.querySelector("button").click());
formScenario("§4.10.22.3 a query and a fragment in the action", `<form method=post action="/api/echo?q=1#x" target=TARGET>${fields}</form>`, (element) => element.submit());
formScenario("§4.10.22.3 no action", "<form method=post target=TARGET><input name=a value=1></form>", (element, place) => {
  element.setAttribute("action", "/api/echo/set-late");
  element.requestSubmit();
});
formScenario("§4.10.22.3 prevented", `<form method=post action="/api/echo" target=TARGET>${fields}</form>`, (element, place, end) => {
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    const data = new FormData(element);
    end([element.action, (await fetched(element.action, { method: element.method, body: data })).text]);
  });
  element.requestSubmit();
});
formScenario("§4.10.22.3 prevented at the window", `<form method=post action="/api/echo" target=TARGET>${fields}</form>`, (element, place, end) => {
  addEventListener("submit", (event) => {
    event.preventDefault();
    setTimeout(() => end([...new FormData(element)]), 50);
  }, { once: true });
  element.requestSubmit();
});
formScenario("§4.10.22.3 the event is stopped on its way", `<form method=post action="/api/echo" target=TARGET>${fields}</form>`, (element) => {
  element.addEventListener("submit", (event) => event.stopPropagation());
  element.requestSubmit();
});
formScenario("§4.10.22.3 the event is stopped, then prevented", `<form method=post action="/api/echo" target=TARGET>${fields}</form>`, (element, place, end) => {
  element.addEventListener("submit", (event) => {
    event.stopImmediatePropagation();
    event.preventDefault();
    setTimeout(() => end([element.action]), 50);
  });
  element.requestSubmit();
});
formScenario("§4.10.22.4 formdata adds an entry", `<form method=post action="/api/echo" target=TARGET enctype=multipart/form-data>${fields}</form>`, (element) => {
  element.addEventListener("formdata", (event) => event.formData.append("added", new Blob([bytes(10)]), "late.bin"));
  element.submit();
});
formScenario("§4.10.22.3 a control named action and submit", "<form method=post action=\"/api/echo\" target=TARGET><input name=action value=1><input name=submit value=2></form>", (element) => HTMLFormElement.prototype.submit.call(element));
formScenario("§4.10.22.3 to another origin", `<form method=post action="${api}/echo" target=TARGET>${fields}</form>`, async (element, place, end) => {
  const key = newKey();
  element.action = `${api}/echo?key=${key}`;
  element.submit();
  for (let turn = 0; turn < 600; turn++) {
    const noted = await (await fetch(`${api}/noted?cors=star&key=${key}`)).json();
    if (noted.length) return end(noted.map(({ method, body, headers }) => [method, body, headers["content-type"], headers.origin, headers.referer]));
    await wait(30);
  }
});

for (const status of [301, 302, 303, 307, 308]) {
  formScenario(`§4.10.22.3 an answer of ${status}`, `<form method=post action="${hop("/api/echo/moved", status).replaceAll("&", "&amp;")}" target=TARGET enctype=multipart/form-data>${fields}</form>`, (element) => element.submit());
}
// ------------------------------------------------------------------------------------------- the run

(async () => {
  const only = new URLSearchParams(location.search).get("only");
  const chosen = scenarios.filter(([name]) => !only || name.includes(only));
  const results = {};
  // A synchronous request stops the page, and with it the clock of a timeout, until one of the host's connections is free.
  const isTimed = ([name]) => name.includes("timeout") && !name.includes("synchronous");
  let queue;
  const running = new Set();
  const say = () => globalThis.benchStep?.([...running].join("; "));
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [name, run] = next;
      running.add(name);
      say();
      try {
        results[name] = await Promise.race([run(), wait(60_000).then(() => "took too long")]);
      } catch (error) {
        results[name] = `fails: ${error?.stack ?? error}`;
      }
      running.delete(name);
      say();
    }
  };
  for (const part of [chosen.filter((each) => !isTimed(each)), chosen.filter(isTimed)]) {
    queue = part;
    await Promise.all(Array.from({ length: 4 }, worker));
  }
  if (new Set(scenarios.map(([name]) => name)).size !== scenarios.length) results["names"] = "two scenarios have one name";
  benchReport(JSON.stringify(Object.fromEntries(Object.entries(results).map(([name, value]) => [name, clean(JSON.parse(JSON.stringify(value ?? null)))]))));
})();
