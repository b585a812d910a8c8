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
