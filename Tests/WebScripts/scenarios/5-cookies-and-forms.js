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
