/* Large loads that are stopped on their way, in each manner that a page has; what came until then must be right. */
const query = new URLSearchParams(location.search);
const size = Number(query.get("size"));
const sources = [["GET", "/large.bin"]];
if (query.has("online")) sources.push(["POST", `https://echo.test/bytes?cors=1&n=${size}`]);
const wrong = [];
let bytesSeen = 0;

const check = (what, piece, at, read = (place) => piece[place]) => {
  bytesSeen += piece.length;
  for (let place = 0; place < piece.length; place++) {
    if (read(place) !== ((at + place) * 31) % 251) {
      wrong.push(`${what}: byte ${at + place}`);
      return;
    }
  }
};

/** Reads until there are so many bytes, and returns the reader: its answer is still under way. */
const readSome = async (what, response, limit) => {
  const reader = response.body.getReader();
  for (let at = 0; at < limit;) {
    const { done, value } = await reader.read();
    if (done) {
      wrong.push(`${what}: it was over after ${at} bytes`);
      break;
    }
    check(what, value, at);
    at += value.length;
  }
  return reader;
};
const told = async (what, work) => {
  try {
    await work();
    wrong.push(`${what}: no error`);
  } catch (error) {
    if (error.name !== "AbortError") wrong.push(`${what}: ${error}`);
  }
};

const ways = {
  "fetch, aborted": async ([method, address], limit, what) => {
    const controller = new AbortController();
    const response = await fetch(address, { method, body: method === "POST" ? "b" : undefined, signal: controller.signal });
    const reader = await readSome(what, response, limit);
    controller.abort();
    await told(what, async () => {
      for (;;) if ((await reader.read()).done) return;
    });
  },
  "fetch, cancelled": async ([method, address], limit, what) => {
    const response = await fetch(address, { method, body: method === "POST" ? "b" : undefined });
    await (await readSome(what, response, limit)).cancel();
  },
  "XMLHttpRequest, aborted": ([method, address], limit, what) => new Promise((resolve) => {
    const xhr = new XMLHttpRequest();
    xhr.open(method, address);
    xhr.overrideMimeType("text/plain; charset=x-user-defined");
    xhr.onprogress = ({ loaded }) => {
      if (loaded < limit) return;
      const text = xhr.responseText.slice(0, 300_000);
      check(what, text, 0, (place) => text.charCodeAt(place) & 255);
      xhr.onprogress = null;
      xhr.abort();
      // At the last piece there is no event any more.
      resolve();
    };
    xhr.onerror = () => wrong.push(`${what}: an error`);
    xhr.onloadend = resolve;
    xhr.send(method === "POST" ? "b" : null);
  }),
  "a frame that is removed": ([method, address], limit, what) => new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.src = `stop-frame.html?${new URLSearchParams({ method, address, limit })}`;
    addEventListener("message", ({ data }) => {
      if (data !== "far enough") wrong.push(`${what}: ${data}`);
      frame.remove();
      resolve();
    }, { once: true });
    document.body.append(frame);
  }),
  "a page that goes on": ([method, address], limit, what) => new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.src = `stop-frame.html?${new URLSearchParams({ method, address, limit })}`;
    addEventListener("message", ({ data }) => {
      if (data !== "far enough") wrong.push(`${what}: ${data}`);
      frame.onload = () => {
        frame.remove();
        resolve();
      };
      frame.src = "stop-frame.html";
    }, { once: true });
    document.body.append(frame);
  }),
};

const run = async () => {
  const turns = Number(query.get("turns"));
  for (let turn = 0; turn < turns; turn++) {
    const names = Object.keys(ways);
    const name = names[turn % names.length];
    const source = sources[Math.floor(turn / names.length) % sources.length];
    const limit = 1 + Math.floor(Math.random() ** 2 * size * 0.8);
    const what = `${name}, ${source[0]}, ${limit} bytes`;
    globalThis.benchStep(`${turn}: ${what}`);
    await ways[name](source, limit, what);
  }
  for (const [method, address] of sources) {
    const whole = new Uint8Array(await (await fetch(address, { method, body: method === "POST" ? "b" : undefined })).arrayBuffer());
    if (whole.length !== size) wrong.push(`${address}: ${whole.length} bytes`);
    check(`${address}, whole`, whole, 0);
  }
  return { wrong, turns, bytesSeen };
};
run().catch((error) => ({ wrong: [String(error.stack)], turns: 0, bytesSeen })).then((result) => benchReport(JSON.stringify(result)));
