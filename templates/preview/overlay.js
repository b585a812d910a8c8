// The overlay of packtool preview: where each request of this page was answered, and what the network is like.
(() => {
  // The browser's own fetch, kept before the hook replaces it: the overlay's requests are not the page's.
  const fetch = window.fetch.bind(window);
  // The document's key, by which its own requests are told from those of other tabs.
  const page = new URL(document.currentScript.src).search.replace("?", "&");
  const place = document.createElement("packtool-preview");
  const root = place.attachShadow({ mode: "open" });
  // A sheet of this kind is no inline style: the page's own policy (CSP) does not forbid it.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { all: initial; position: fixed; right: 12px; bottom: 12px; z-index: 2147483647; color-scheme: light dark }
    * { font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace; box-sizing: border-box }
    details { background: #0d1117; color: #c9d1d9; border-radius: 8px; box-shadow: 0 2px 12px #0006; max-width: min(46em, 94vw) }
    summary { padding: 6px 12px; cursor: pointer; list-style: none }
    summary:focus-visible, button:focus-visible { outline: 2px solid #58a6ff; outline-offset: 1px }
    ol { list-style: none; margin: 0; padding: 0 12px 8px; max-height: 40vh; overflow: auto }
    li { display: flex; gap: 1em; white-space: nowrap }
    li span:nth-child(2) { flex: 1; overflow: hidden; text-overflow: ellipsis }
    .missed, .offline { color: #ff7b72 } .online, .proxy, .browser { color: #ffa657 } .package { color: #7ee787 }
    p { margin: 0; padding: 0 12px 8px; opacity: .8 }
    nav { display: flex; gap: 6px; padding: 0 12px 10px }
    button { border: 1px solid #30363d; border-radius: 6px; background: none; color: inherit; padding: 2px 8px; cursor: pointer }
    button[aria-pressed=true] { background: #1f6feb; color: #fff; border-color: #1f6feb }`);
  root.adoptedStyleSheets = [sheet];
  const add = (parent, name, text, kind) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return parent.appendChild(element);
  };
  const panel = add(root, "details");
  const title = add(panel, "summary", "packtool");
  const switches = add(panel, "nav");
  const scope = add(panel, "p");
  const list = add(panel, "ol");
  const show = (network) => {
    for (const button of switches.children) button.setAttribute("aria-pressed", String(button.value === network));
  };
  const scopes = {
    full: "Slow and offline are for servers of --proxy and api, and for what scripts fetch. They do not touch images, styles, frames (browser) and WebSockets of other origins.",
    off: "Slow and offline are for servers of --proxy and api. The browser itself requests other origins (browser): with --hook full, requests of scripts come through here too.",
  };
  for (const [value, text] of [["normal", "network"], ["slow", "slow"], ["offline", "offline"]]) {
    const button = add(switches, "button", text);
    button.value = value;
    button.addEventListener("click", async () => {
      await fetch("/-/network", { method: "POST", body: value });
      show(value);
    });
  }
  const counts = {};
  const addRow = (by, request, status) => {
    counts[by] = (counts[by] || 0) + 1;
    const row = add(list, "li");
    add(row, "span", by, by);
    add(row, "span", request);
    add(row, "span", status);
    if (list.children.length > 300) list.firstChild.remove();
    list.scrollTop = list.scrollHeight;
  };
  // What the browser requested elsewhere by itself, past packtool. It says neither the method nor, for most, the status.
  const elsewhere = new PerformanceObserver((seen) => {
    for (const entry of seen.getEntries()) {
      if (/^https?:/.test(entry.name) && new URL(entry.name).origin !== location.origin) {
        addRow("browser", entry.name, String(entry.responseStatus || ""));
      }
    }
  });
  let last = 0;
  const look = async () => {
    try {
      const answer = await (await fetch(`/-/requests?after=${last}${page}`, { cache: "no-store" })).json();
      for (const entry of answer.requests) {
        last = entry.number;
        addRow(entry.by, `${entry.method} ${entry.path}`, String(entry.status));
      }
      show(answer.network);
      scope.textContent = scopes[answer.hook] ?? scopes.off;
      const told = Object.entries(counts).map(([by, count]) => `${count} ${by}`);
      title.textContent = [answer.version, ...told, answer.network === "normal" ? "" : answer.network].filter(Boolean).join(" · ");
    } catch { title.textContent = "packtool preview has ended"; }
    setTimeout(look, 1000);
  };
  const begin = () => {
    document.documentElement.append(place);
    elsewhere.observe({ type: "resource", buffered: true });
    look();
  };
  document.readyState === "loading" ? addEventListener("DOMContentLoaded", begin) : begin();
})();
