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

