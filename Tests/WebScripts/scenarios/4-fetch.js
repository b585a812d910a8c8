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

