/*
 * packtool-hook.js: what a page's requests need on a device, where a web view loses the bodies of the requests that an
 * app answers. It is run once in every frame, before any script of the page. docs/PAGE-HOOK.md has the strategies, the
 * message schema and the limits; `PageHook` of PackWeb puts the configuration in.
 *
 * The rules of this file:
 * - The platform's own objects stay. Methods and accessors are wrapped on their prototypes by proxies, so `instanceof`,
 *   constants, names, descriptors and `toString` are the platform's; what we do not handle reaches the platform as it came.
 * - The platform's functions are taken once, at the start: a page that replaces one later does not change us.
 * - Nothing is remembered longer than the request that it belongs to.
 */
(config) => {
  "use strict";

  const root = globalThis;
  const installed = Symbol.for("packtool.hook");
  if (root[installed]) return;
  Object.defineProperty(root, installed, { value: true });

  // ---------------------------------------------------------------------------------------------- the platform

  const { apply, construct } = Reflect;
  const describe = Object.getOwnPropertyDescriptor;
  const define = Object.defineProperty;
  const later = root.setTimeout.bind(root);
  const unlater = root.clearTimeout.bind(root);
  const {
    ArrayBuffer, Blob, DOMException, DOMParser, Document, Event, File, FileReader, FormData, Headers, HTMLFormElement, JSON, Map,
    Math, Node, Number, Object: ObjectType, ProgressEvent, Promise, ReadableStream, Request, Response, Set, String, TextDecoder,
    TextEncoder, TypeError, URL, URLSearchParams, Uint8Array, WeakMap, XMLHttpRequest, XMLSerializer,
  } = root;
  const native = {
    fetch: root.fetch,
    prompt: root.prompt,
    open: XMLHttpRequest.prototype.open,
    send: XMLHttpRequest.prototype.send,
    setRequestHeader: XMLHttpRequest.prototype.setRequestHeader,
    overrideMimeType: XMLHttpRequest.prototype.overrideMimeType,
    dispatch: root.EventTarget.prototype.dispatchEvent,
    listen: root.EventTarget.prototype.addEventListener,
    unlisten: root.EventTarget.prototype.removeEventListener,
  };
  const getter = (prototype, name) => describe(prototype, name).get;
  const platform = {
    status: getter(XMLHttpRequest.prototype, "status"),
    readyState: getter(XMLHttpRequest.prototype, "readyState"),
    responseType: getter(XMLHttpRequest.prototype, "responseType"),
    responseText: getter(XMLHttpRequest.prototype, "responseText"),
    timeout: getter(XMLHttpRequest.prototype, "timeout"),
    upload: getter(XMLHttpRequest.prototype, "upload"),
    withCredentials: getter(XMLHttpRequest.prototype, "withCredentials"),
  };

  /** Wraps a method. A proxy of a function prints as native code and keeps its name, its length and its properties. */
  const wrapMethod = (owner, name, around) => {
    const descriptor = owner && describe(owner, name);
    if (typeof descriptor?.value !== "function") return;
    const original = descriptor.value;
    define(owner, name, {
      ...descriptor,
      value: new Proxy(original, { apply: (_, self, values) => around(self, values, original) }),
    });
  };

  /** Wraps an accessor; `get` and `set` may be left out. */
  const wrapAccessor = (owner, name, get, set) => {
    const descriptor = owner && describe(owner, name);
    if (!descriptor?.get) return;
    const wrapped = { ...descriptor };
    if (get) {
      wrapped.get = new Proxy(descriptor.get, {
        apply: (original, self, values) => get(self, () => apply(original, self, values)),
      });
    }
    if (set && descriptor.set) {
      wrapped.set = new Proxy(descriptor.set, {
        apply: (original, self, values) => set(self, values[0], () => apply(original, self, values)),
      });
    }
    define(owner, name, wrapped);
  };

  // ---------------------------------------------------------------------------------------------- messages

  const VERSION = 1;
  const CHUNK = config.chunk ?? 192 << 10;
  const LARGEST = config.largestBody ?? 64 << 20;
  // A browser sends 64 KiB at a time for pages that have left; a message that is larger goes out as any other.
  const LARGEST_KEPT = 60_000;
  const encoder = new TextEncoder();

  // 128 random bits for each frame and page, and a count: no two requests of a device share an id.
  const nonce = Array.from(root.crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  let count = 0;
  const nextID = () => `${nonce}.${++count}`;

  const handler = config.handler && root.webkit?.messageHandlers?.[config.handler];
  const post = handler?.postMessage.bind(handler);
  const endpoint = config.endpoint && new URL(config.endpoint, root.location.href).href;

  // Marks what the app refused, against a message whose answer did not come.
  const refusal = Symbol("refusal");

  const opened = (reply) => {
    const answer = typeof reply === "string" ? JSON.parse(reply) : reply;
    if (answer?.error) throw define(new TypeError(`packtool: ${answer.error.message}`), refusal, { value: true });
    return answer ?? {};
  };

  /** Asks the app. It begins at once, so messages reach it in the order in which they were made. */
  const ask = async (message, isLast = false) => {
    const text = JSON.stringify({ v: VERSION, ...message });
    if (post) return opened(await post(text));
    const answer = await native.fetch.call(root, endpoint, {
      method: "POST", body: text, credentials: "same-origin", keepalive: isLast && text.length < LARGEST_KEPT, headers: { "content-type": "application/json" },
    });
    return opened(await answer.text());
  };

  /** Asks the app and waits. `prompt` is the one call of a web view that a script can wait for; engines cut a long
   * message of one, and leave its default text as it is. */
  const askNow = (message) => {
    const text = JSON.stringify({ v: VERSION, ...message });
    if (post) return opened(apply(native.prompt, root, [config.prompt, config.promptKey + text]));
    const xhr = new XMLHttpRequest();
    apply(native.open, xhr, ["POST", endpoint, false]);
    apply(native.setRequestHeader, xhr, ["content-type", "application/json"]);
    apply(native.send, xhr, [text]);
    return opened(apply(platform.responseText, xhr, []));
  };

  const toBase64 = (bytes) => {
    if (bytes.toBase64) return bytes.toBase64();
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192) text += apply(String.fromCharCode, null, bytes.subarray(at, at + 8192));
    return root.btoa(text);
  };

  const fromBase64 = (text) => {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = root.atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
    return bytes;
  };

  // ---------------------------------------------------------------------------------------------- URLs

  const TAG = "packtool-body";
  const tagPattern = /([?&])packtool-body=[0-9a-f]{32}\.[0-9]{1,15}(?=#|$)/;
  const hosts = config.hosts && new Set(config.hosts);
  const schemes = new Set(["https:", "http:", ...(config.schemes ?? []).map((scheme) => `${scheme}:`)]);

  /** The address as the page means it (never `origin + url`); nothing where it is none of ours. */
  const covered = (address) => {
    let url;
    try {
      url = new URL(address, root.document.baseURI);
    } catch {
      return null;
    }
    if (!schemes.has(url.protocol)) return null;
    if (hosts && !hosts.has(url.host)) return null;
    if (endpoint && url.href.split(/[?#]/)[0] === endpoint) return null;
    return url;
  };

  /** The address with the id of its body as the last part of the query, which the app takes out again. */
  const tagged = (url, id) => {
    const [address, fragment] = url.href.split(/#(.*)/s);
    return `${address}${address.includes("?") ? "&" : "?"}${TAG}=${id}${fragment === undefined ? "" : `#${fragment}`}`;
  };

  const untagged = (address) => address.replace(tagPattern, "");

  // ---------------------------------------------------------------------------------------------- bodies

  const isView = ArrayBuffer.isView;
  const isBuffer = (value) => value instanceof ArrayBuffer || (root.SharedArrayBuffer && value instanceof root.SharedArrayBuffer);
  const snapshot = (value) =>
    isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice() : new Uint8Array(value).slice();

  /** The text of a document as XMLHttpRequest sends it. */
  const serialized = (document) => {
    if (document.contentType !== "text/html") return new XMLSerializer().serializeToString(document);
    let text = "";
    for (const node of document.childNodes) {
      if (node.nodeType === Node.DOCUMENT_TYPE_NODE) text += `<!DOCTYPE ${node.name}>`;
      else if (node.nodeType === Node.COMMENT_NODE) text += `<!--${node.data}-->`;
      else text += node.outerHTML ?? "";
    }
    return text;
  };

  const lines = (text) => text.replace(/\r\n|\r|\n/g, "\r\n");
  const escaped = (text) => text.replace(/\n/g, "%0A").replace(/\r/g, "%0D").replace(/"/g, "%22");
  // The app makes the boundary, of this length, so that both sides know the size of a form before it is sent.
  const BOUNDARY_LENGTH = 38;

  /** A form's entries: their sizes for the message, and their bytes, one after the other. */
  const formSource = (entries) => {
    const parts = [];
    const pieces = [];
    let size = 0;
    for (const [name, value] of entries) {
      const part = { name: lines(name) };
      let head = `Content-Disposition: form-data; name="${escaped(part.name)}"`;
      if (typeof value === "string") {
        const bytes = encoder.encode(lines(value));
        part.size = bytes.length;
        pieces.push(bytes);
      } else {
        part.size = value.size;
        part.filename = value.name;
        part.type = value.type || "application/octet-stream";
        head += `; filename="${escaped(part.filename)}"\r\nContent-Type: ${part.type}`;
        pieces.push(value);
      }
      size += 2 + BOUNDARY_LENGTH + 2 + encoder.encode(head).length + 4 + part.size + 2;
      parts.push(part);
    }
    return { kind: "form", parts, pieces, size: size + 2 + BOUNDARY_LENGTH + 4 };
  };

  const bytesSource = (bytes, type) => ({ kind: "bytes", pieces: [bytes], size: bytes.length ?? bytes.size, type });

  /** What XMLHttpRequest and fetch make of a body: its bytes as they are now, and the media type that it implies. */
  const sourceOf = (body) => {
    if (body instanceof Blob) return bytesSource(body, body.type || undefined);
    if (isBuffer(body) || isView(body)) return bytesSource(snapshot(body));
    if (body instanceof FormData) return formSource(body);
    if (body instanceof URLSearchParams) {
      return bytesSource(encoder.encode(String(body)), "application/x-www-form-urlencoded;charset=UTF-8");
    }
    return { ...bytesSource(encoder.encode(String(body)), "text/plain;charset=UTF-8"), isText: true };
  };

  const sourceOfXHR = (body) => {
    if (!(body instanceof Document)) return sourceOf(body);
    const type = body.contentType === "text/html" ? "text/html;charset=UTF-8" : "application/xml;charset=UTF-8";
    return { ...bytesSource(encoder.encode(serialized(body)), type), isText: true };
  };

  /** A Blob's bytes without waiting, for synchronous requests: FileReaderSync exists in workers only. */
  const bytesNow = (piece) => {
    if (!(piece instanceof Blob)) return piece;
    const address = URL.createObjectURL(piece);
    try {
      const xhr = new XMLHttpRequest();
      apply(native.open, xhr, ["GET", address, false]);
      apply(native.overrideMimeType, xhr, ["text/plain; charset=x-user-defined"]);
      apply(native.send, xhr, []);
      const text = apply(platform.responseText, xhr, []);
      const bytes = new Uint8Array(text.length);
      for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at) & 0xff;
      if (bytes.length !== piece.size) throw new TypeError("packtool: the Blob could not be read");
      return bytes;
    } finally {
      URL.revokeObjectURL(address);
    }
  };

  /** The source's bytes in chunks; a Blob, and so a large file, is read a chunk at a time. */
  const slices = function* (source) {
    for (const piece of source.pieces) {
      const size = piece.size ?? piece.length;
      if (piece instanceof Blob) for (let at = 0; at < size; at += CHUNK) yield piece.slice(at, at + CHUNK);
      else for (let at = 0; at < size; at += CHUNK) yield piece.subarray(at, at + CHUNK);
    }
  };

  const payload = (source) => source.pieces.reduce((sum, piece) => sum + (piece.size ?? piece.length), 0);
  const isAtHand = (source) => payload(source) <= CHUNK && source.pieces.every((piece) => !(piece instanceof Blob));

  const joined = (pieces) => {
    const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  };

  const described = (source, data) => ({
    kind: source.kind, size: payload(source), parts: source.parts, ...(data === undefined ? {} : { data: toBase64(data) }),
  });

  /** A limit is a refusal before anything is sent, and never a cut. */
  const checkSize = (source) => {
    const fault = tooLarge(source);
    if (fault) throw fault;
  };

  const tooLarge = (source) => (payload(source) > LARGEST
    ? new TypeError(`packtool: the body has ${payload(source)} bytes, at most ${LARGEST} can be handed over`) : null);

  const readBytes = async (piece) => (piece instanceof Blob ? new Uint8Array(await piece.arrayBuffer()) : piece);

  /** Sends a message with the source in it, or before its chunks. */
  const ship = async (message, source) => {
    checkSize(source);
    const isLast = message.keepalive || message.unread || message.purpose === "beacon";
    if (isAtHand(source)) return ask({ ...message, body: described(source, joined(source.pieces)) }, isLast);
    await ask({ ...message, body: described(source) });
    let number = 0;
    for (const slice of slices(source)) {
      await ask({ type: "chunk", id: message.id, number: number++, data: toBase64(await readBytes(slice)) });
    }
  };

  const shipNow = (message, source) => {
    checkSize(source);
    askNow({ ...message, body: described(source) });
    let number = 0;
    const pieces = { pieces: source.pieces.map(bytesNow) };
    for (const slice of slices(pieces)) askNow({ type: "chunk", id: message.id, number: number++, data: toBase64(slice) });
  };

  /** For a page that is about to go: WebKit lets it read no file and send no second message once the form is on its way. */
  const shipBeforeLeaving = async (message, source) => {
    if (isAtHand(source)) return ship(message, source);
    let read;
    try {
      read = { ...source, pieces: source.pieces.map(bytesNow) };
    } catch {
      // The page's policy forbids blob: addresses.
      return ship(message, source);
    }
    shipNow(message, read);
  };

  /** A body that outlives its page goes in one message, as no second one may come: so a Blob is read at once. */
  const kept = (source) => {
    if (payload(source) > CHUNK || isAtHand(source)) return source;
    try {
      return { ...source, pieces: source.pieces.map(bytesNow) };
    } catch {
      // The page's policy forbids blob: addresses.
      return source;
    }
  };

  const cancel = (id) => ask({ type: "cancel", id }).catch(() => {});

  /** Hands a body over beside the page's own request: the app waits for it, so the request need not. */
  const handOver = (source, purpose = "request") => {
    const id = nextID();
    ship({ type: "body", id, purpose }, purpose === "beacon" ? kept(source) : source).catch((error) => {
      root.console?.error(String(error));
      // To a page that leaves each question fails, while the body that is to outlive it is there.
      if (purpose !== "beacon" || error?.[refusal]) cancel(id);
    });
    return id;
  };

  const hasBody = (method) => method !== "GET" && method !== "HEAD";

  // ---------------------------------------------------------------------------------------------- native requests

  /** A request that the app performs: messages out, events in. */
  class Call {
    id = nextID();
    isOver = false;

    async begin(head, source) {
      const message = { type: "request", id: this.id, ...head };
      await (source ? ship(message, head.keepalive || head.unread ? kept(source) : source) : ask(message, head.keepalive || head.unread));
    }

    beginNow(head, source) {
      const message = { type: "request", id: this.id, ...head };
      if (source) shipNow(message, source);
      else askNow(message);
    }

    /** The next events; the app answers when it has some. */
    async read() {
      return this.#seen(await ask({ type: "read", id: this.id }));
    }

    readNow() {
      return this.#seen(askNow({ type: "read", id: this.id }));
    }

    #seen(answer) {
      const events = answer.events ?? [];
      if (events.some((event) => event.end || event.error)) this.isOver = true;
      return events;
    }

    cancel() {
      if (this.isOver) return;
      this.isOver = true;
      cancel(this.id);
    }
  }

  /** The headers that a script may set, by the platform's own filter. */
  const permitted = (pairs) => {
    const headers = new Request(root.location.href === "about:blank" ? "https://packtool.invalid/" : root.location.href).headers;
    for (const [name, value] of pairs) headers.append(name, value);
    return headers;
  };

  // What the page sends from here on, nobody reads.
  let hasLeft = false;

  const isFull = config.strategy === "full";
  const isOn = isFull || config.strategy === "bodies";

  /** Under a custom scheme the web view asks the app and no network: it keeps no time for a request there, and drops what goes
   * on when its page leaves. The app performs such requests, whatever the strategy. */
  const isBare = (url) => url.protocol !== "https:" && url.protocol !== "http:";

  // ---------------------------------------------------------------------------------------------- XMLHttpRequest

  /*
   * A request is known from open() on. With body hand-over only send() differs: the request is opened again with the
   * tagged address, which fires no event, and the platform does all the rest. With full hand-over the platform's object
   * stays opened and unsent, and what it would say is said by us.
   */
  const known = new WeakMap();
  const emulated = (xhr) => {
    const state = known.get(xhr);
    return state?.isEmulated ? state : null;
  };
  const invalid = (action) => new DOMException(`Failed to ${action} on 'XMLHttpRequest': The object's state does not allow it.`, "InvalidStateError");

  const fire = (target, type) => apply(native.dispatch, target, [new Event(type)]);
  const progress = (target, type, loaded, total) =>
    apply(native.dispatch, target, [new ProgressEvent(type, { lengthComputable: total > 0, loaded, total })]);
  const uploadOf = (xhr) => apply(platform.upload, xhr, []);
  const setting = (xhr, name) => apply(platform[name], xhr, []);

  const essenceOf = (type) => type.split(";")[0].trim().toLowerCase();
  const charsetOf = (type) => /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(type)?.slice(1).find((text) => text !== undefined);
  const isXML = (essence) => essence === "text/xml" || essence === "application/xml" || essence.endsWith("+xml");

  const wrapXHR = () => {
    const prototype = XMLHttpRequest.prototype;

    wrapMethod(prototype, "open", (xhr, values, original) => {
      if (values.length < 2) return apply(original, xhr, values);
      const [method, address, ...rest] = [String(values[0]), String(values[1]), ...values.slice(2)];
      const previous = known.get(xhr);
      const url = covered(address);
      const upper = method.toUpperCase();
      const normal = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"].includes(upper) ? upper : method;
      if (url) known.set(xhr, { method: normal, url, isAsync: rest.length === 0 || Boolean(rest[0]), rest, headers: [], mimeType: null });
      else known.delete(xhr);
      try {
        apply(original, xhr, [method, address, ...rest]);
      } catch (error) {
        if (previous) known.set(xhr, previous);
        else known.delete(xhr);
        throw error;
      }
      // Opened again while under way: it ends without an event.
      previous?.giveUp?.();
      if (previous?.isEmulated) {
        stop(previous);
        // The platform's object was opened all the time, so it says nothing of the new state.
        if (previous.readyState !== 1) fire(xhr, "readystatechange");
      }
    });

    wrapMethod(prototype, "setRequestHeader", (xhr, values, original) => {
      const state = known.get(xhr);
      if (state?.isEmulated && values.length >= 2) throw invalid("execute 'setRequestHeader'");
      apply(original, xhr, values);
      state?.headers.push([String(values[0]), String(values[1])]);
    });

    wrapMethod(prototype, "overrideMimeType", (xhr, values, original) => {
      const state = known.get(xhr);
      if (state?.isEmulated && state.readyState >= 3) throw invalid("execute 'overrideMimeType'");
      apply(original, xhr, values);
      overridden.set(xhr, String(values[0]));
    });

    wrapMethod(prototype, "send", (xhr, values, original) => {
      const state = known.get(xhr);
      if (!state) return apply(original, xhr, values);
      if (state.isEmulated) throw invalid("execute 'send'");
      if (setting(xhr, "readyState") !== 1 || state.isSent) return apply(original, xhr, values);
      const body = hasBody(state.method) ? values[0] : null;
      if (isFull || (isBare(state.url) && state.isAsync && setting(xhr, "timeout") > 0)) return sendFull(xhr, state, body ?? null);
      if (body === null || body === undefined) {
        state.isSent = true;
        return apply(original, xhr, values);
      }
      return sendTagged(xhr, state, body, original);
    });

    wrapMethod(prototype, "abort", (xhr, values, original) => {
      const state = emulated(xhr);
      if (!state) return apply(original, xhr, values);
      stop(state);
      if ((state.readyState === 1 && state.isSent) || state.readyState === 2 || state.readyState === 3) failed(xhr, state, "abort");
      if (known.get(xhr) === state && state.readyState === 4) {
        state.readyState = 0;
        state.response = null;
      }
    });

    wrapMethod(prototype, "getResponseHeader", (xhr, values, original) => {
      const state = emulated(xhr);
      if (!state || values.length < 1) return apply(original, xhr, values);
      const name = String(values[0]).toLowerCase();
      return state.response?.headers.find(([other]) => other === name)?.[1] ?? null;
    });

    wrapMethod(prototype, "getAllResponseHeaders", (xhr, values, original) => {
      const state = emulated(xhr);
      if (!state) return apply(original, xhr, values);
      return (state.response?.headers ?? []).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    });

    const read = (name, value) => wrapAccessor(prototype, name, (xhr, original) => {
      const state = emulated(xhr);
      return state ? value(state, xhr) : original();
    });
    read("readyState", (state) => state.readyState);
    read("status", (state) => state.response?.status ?? 0);
    read("statusText", (state) => state.response?.statusText ?? "");
    read("responseText", (state, xhr) => {
      if (!["", "text"].includes(setting(xhr, "responseType"))) throw invalid("read the 'responseText' property");
      return textOf(state, xhr);
    });
    read("responseXML", (state, xhr) => {
      if (!["", "document"].includes(setting(xhr, "responseType"))) throw invalid("read the 'responseXML' property");
      return state.readyState === 4 ? documentOf(state, xhr) : null;
    });
    read("response", responseOf);
    wrapAccessor(prototype, "responseURL", (xhr, original) => {
      const state = emulated(xhr);
      return state ? (state.response?.url ?? "") : untagged(original());
    });

    // The platform's object is opened and unsent, so it would allow what the request that it stands for does not.
    const refuse = (name, isForbidden, then) => wrapAccessor(prototype, name, null, (xhr, value, original) => {
      const state = emulated(xhr);
      if (state && isForbidden(state)) throw invalid(`set the '${name}' property`);
      original();
      if (state) then?.(state, xhr);
    });
    refuse("responseType", (state) => state.readyState >= 3);
    refuse("withCredentials", (state) => state.readyState > 1 || state.isSent);
    refuse("timeout", () => false, startClock);
  };

  const overridden = new WeakMap();

  const sendTagged = (xhr, state, body, original) => {
    const source = sourceOfXHR(body);
    state.isSent = true;
    let id;
    if (state.isAsync) {
      id = handOver(source);
    } else {
      id = nextID();
      try {
        shipNow({ type: "body", id, purpose: "request" }, source);
      } catch (error) {
        cancel(id);
        throw new DOMException(String(error), "NetworkError");
      }
    }
    apply(native.open, xhr, [state.method, tagged(state.url, id), ...(state.rest.length ? state.rest : [true])]);
    for (const header of state.headers) apply(native.setRequestHeader, xhr, header);
    // A body that nobody came for: a redirect that was not followed, another origin that does not agree.
    if (state.isAsync) {
      state.giveUp = () => cancel(id);
      apply(native.listen, xhr, ["loadend", () => {
        if (apply(platform.status, xhr, []) === 0) state.giveUp?.();
        state.giveUp = null;
      }, { once: true }]);
    }
    // A view or a buffer may be changed by a handler of loadstart; the platform has its own copy then, and so have we.
    return apply(original, xhr, [body]);
  };

  /** Ends what is under way, without a word. */
  const stop = (state) => {
    state.call?.cancel();
    state.call = null;
    unlater(state.clock);
  };

  const startClock = (state, xhr) => {
    unlater(state.clock);
    const limit = setting(xhr, "timeout");
    if (!limit || !state.call) return;
    state.clock = later(() => {
      if (!state.call) return;
      stop(state);
      failed(xhr, state, "timeout");
    }, Math.max(0, limit - (Date.now() - state.startTime)));
  };

  /** "Request error steps": the events after an abort, a timeout or an error. */
  const failed = (xhr, state, type) => {
    state.readyState = 4;
    state.isSent = false;
    state.response = null;
    state.pieces = [];
    state.made = undefined;
    if (!state.isAsync) {
      throw new DOMException(
        `Failed to execute 'send' on 'XMLHttpRequest': Failed to load '${state.url.href}'.`, type === "timeout" ? "TimeoutError" : "NetworkError");
    }
    fire(xhr, "readystatechange");
    if (known.get(xhr) !== state) return;
    if (!state.isUploaded) {
      state.isUploaded = true;
      progress(uploadOf(xhr), type, 0, 0);
      progress(uploadOf(xhr), "loadend", 0, 0);
    }
    progress(xhr, type, 0, 0);
    progress(xhr, "loadend", 0, 0);
  };

  /** The headers to send: the author's, and what the body implies. */
  const headersFor = (state, source) => {
    const headers = permitted(state.headers);
    if (!source) return headers;
    const author = headers.get("content-type");
    if (author === null) {
      if (source.type) headers.set("content-type", source.type);
    } else if (source.isText) {
      const charset = charsetOf(author);
      if (charset !== undefined && charset.toLowerCase() !== "utf-8") {
        headers.set("content-type", author.replace(/(;\s*charset\s*=\s*)(?:"[^"]*"|[^\s;"]+)/i, "$1UTF-8").replace(/\s*;\s*/g, ";"));
      }
    }
    return headers;
  };

  const sendFull = (xhr, state, body) => {
    const source = body === null ? null : sourceOfXHR(body);
    const headers = headersFor(state, source);
    if (!headers.has("accept")) headers.set("accept", "*/*");
    const call = new Call();
    ObjectType.assign(state, {
      isEmulated: true, isSent: true, readyState: 1, call, source, response: null, pieces: [], received: 0, made: undefined,
      isUploaded: !source, startTime: Date.now(), shownAt: 0,
    });
    const url = new URL(state.url);
    const credentials = setting(xhr, "withCredentials") ? "include" : "same-origin";
    const [user, password] = [state.rest[1], state.rest[2]];
    if (user !== undefined && user !== null) {
      if (!headers.has("authorization")) headers.set("authorization", `Basic ${root.btoa(`${user}:${password ?? ""}`)}`);
    }
    url.hash = "";
    const head = {
      method: state.method, url: url.href, headers: [...headers], mode: "cors", credentials, redirect: "follow",
      referrer: root.location.href.split("#")[0],
    };
    if (!state.isAsync) return sendNow(xhr, state, call, head);
    progress(xhr, "loadstart", 0, 0);
    if (state.call !== call) return;
    if (source) progress(uploadOf(xhr), "loadstart", 0, source.size);
    if (state.call !== call) return;
    startClock(state, xhr);
    follow(xhr, state, call, head);
  };

  const follow = async (xhr, state, call, head) => {
    try {
      await call.begin(head, state.source);
      while (state.call === call) {
        for (const event of await call.read()) {
          if (state.call !== call) return;
          receive(xhr, state, event);
        }
      }
    } catch (error) {
      if (state.call !== call) return;
      root.console?.error(String(error));
      stop(state);
      failed(xhr, state, "error");
    }
  };

  const sendNow = (xhr, state, call, head) => {
    try {
      call.beginNow(head, state.source);
      while (!call.isOver) {
        for (const event of call.readNow()) {
          if (event.response) state.response = event.response;
          else if (event.data !== undefined) keep(state, event);
          else if (event.error) throw new TypeError(event.error.message);
        }
      }
    } catch (error) {
      stop(state);
      failed(xhr, state, "error");
    }
    finish(xhr, state);
  };

  const lengthOf = (response) => {
    const header = (name) => response.headers.find(([other]) => other === name)?.[1];
    return header("content-encoding") ? 0 : Number(header("content-length") ?? 0) || 0;
  };

  const keep = (state, event) => {
    const bytes = fromBase64(event.data);
    state.pieces.push(bytes);
    state.received += bytes.length;
    state.made = undefined;
    return bytes.length;
  };

  const uploaded = (xhr, state) => {
    if (state.isUploaded) return;
    state.isUploaded = true;
    const { call } = state;
    for (const type of ["progress", "load", "loadend"]) {
      if (state.call === call) progress(uploadOf(xhr), type, state.source.size, state.source.size);
    }
  };

  const receive = (xhr, state, event) => {
    if (event.sent !== undefined) {
      if (state.isUploaded) return;
      if (event.sent >= state.source.size) uploaded(xhr, state);
      else progress(uploadOf(xhr), "progress", event.sent, state.source.size);
    } else if (event.response) {
      const { call } = state;
      uploaded(xhr, state);
      if (state.call !== call) return;
      state.response = event.response;
      state.length = lengthOf(event.response);
      state.readyState = 2;
      fire(xhr, "readystatechange");
    } else if (event.data !== undefined) {
      if (keep(state, event) === 0) return;
      const { call } = state;
      state.readyState = 3;
      fire(xhr, "readystatechange");
      if (state.call !== call || Date.now() - state.shownAt < 50) return;
      state.shownAt = Date.now();
      state.shown = state.received;
      progress(xhr, "progress", state.received, state.length);
    } else if (event.end) {
      const { call } = state;
      if (state.shown !== state.received && state.received > 0) progress(xhr, "progress", state.received, state.length);
      if (state.call === call) finish(xhr, state);
    } else if (event.error) {
      stop(state);
      failed(xhr, state, event.error.name === "timeout" ? "timeout" : "error");
    }
  };

  const finish = (xhr, state) => {
    stop(state);
    state.readyState = 4;
    state.isSent = false;
    const total = state.received;
    const length = lengthOf(state.response);
    fire(xhr, "readystatechange");
    if (known.get(xhr) !== state || state.readyState !== 4 || !state.response) return;
    progress(xhr, "load", total, length);
    if (known.get(xhr) !== state || state.readyState !== 4 || !state.response) return;
    progress(xhr, "loadend", total, length);
  };

  // What the page reads of an answer, made when it asks and kept until there are more bytes.

  const typeOf = (state, xhr) =>
    overridden.get(xhr) ?? state.response?.headers.find(([name]) => name === "content-type")?.[1] ?? "text/xml";

  const decoderFor = (label) => {
    try {
      return new TextDecoder(label ?? "utf-8");
    } catch {
      return new TextDecoder();
    }
  };

  const bytesOf = (state) => {
    if (state.pieces.length > 1) state.pieces = [joined(state.pieces)];
    return state.pieces[0] ?? new Uint8Array(0);
  };

  const textOf = (state, xhr) => {
    if (state.readyState < 3 || !state.response) return "";
    const type = typeOf(state, xhr);
    let charset = charsetOf(type);
    const bytes = bytesOf(state);
    if (charset === undefined && setting(xhr, "responseType") === "" && isXML(essenceOf(type))) {
      charset = /^<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)["']/.exec(apply(String.fromCharCode, null, bytes.subarray(0, 200)))?.[1];
    }
    // A byte order mark speaks louder than a label.
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) charset = "utf-8";
    else if (bytes[0] === 0xfe && bytes[1] === 0xff) charset = "utf-16be";
    else if (bytes[0] === 0xff && bytes[1] === 0xfe) charset = "utf-16le";
    return decoderFor(charset).decode(bytes, { stream: state.readyState === 3 });
  };

  const documentOf = (state, xhr) => {
    if (!state.response) return null;
    if (state.document !== undefined) return state.document;
    const type = typeOf(state, xhr);
    const essence = essenceOf(type);
    const wanted = setting(xhr, "responseType");
    const isHTML = essence === "text/html";
    if ((isHTML && wanted === "") || !(isHTML || isXML(essence))) return (state.document = null);
    const text = decoderFor(charsetOf(type)).decode(bytesOf(state));
    const readable = ["text/html", "text/xml", "application/xhtml+xml", "image/svg+xml"].includes(essence) ? essence : "application/xml";
    const parsed = new DOMParser().parseFromString(text, readable);
    const isBroken = !isHTML && parsed.getElementsByTagName("parsererror").length > 0 && !text.includes("parsererror");
    return (state.document = isBroken ? null : parsed);
  };

  const normalType = (type) => {
    const parameters = type.split(";").slice(1).map((text) => text.trim()).filter((text) => text.includes("="));
    const named = parameters.map((text) => {
      const [name, ...rest] = text.split("=");
      return `${name.toLowerCase()}=${rest.join("=")}`;
    });
    return [essenceOf(type), ...named].join(";");
  };

  const responseOf = (state, xhr) => {
    const type = setting(xhr, "responseType");
    if (type === "" || type === "text") return textOf(state, xhr);
    if (state.readyState !== 4 || !state.response) return null;
    if (state.made !== undefined) return state.made;
    switch (type) {
      case "arraybuffer": return (state.made = bytesOf(state).slice().buffer);
      case "blob": return (state.made = new Blob([bytesOf(state)], { type: normalType(typeOf(state, xhr)) }));
      case "document": return (state.made = documentOf(state, xhr));
      case "json":
        try {
          return (state.made = state.received ? JSON.parse(new TextDecoder().decode(bytesOf(state))) : null);
        } catch {
          return (state.made = null);
        }
      default: return null;
    }
  };

  // ---------------------------------------------------------------------------------------------- fetch

  /** What a Response of ours says in place of the platform's defaults, which no constructor can set. */
  const faces = new WeakMap();

  const wrapResponse = () => {
    const prototype = Response?.prototype;
    for (const name of ["url", "redirected", "type", "status", "ok"]) {
      wrapAccessor(prototype, name, (response, original) => {
        const face = faces.get(response);
        if (face && name in face) return face[name];
        return name === "url" ? untagged(original()) : original();
      });
    }
    // A stream of ours that an abort has ended reads as a network error; the page is told the reason that it gave.
    for (const name of ["text", "json", "arrayBuffer", "blob", "formData", "bytes"]) {
      wrapMethod(prototype, name, (response, values, original) => {
        const read = apply(original, response, values);
        const signal = faces.get(response)?.signal;
        if (!signal) return read;
        return read.catch((error) => {
          throw signal.aborted ? signal.reason : error;
        });
      });
    }
    wrapMethod(prototype, "clone", (response, values, original) => {
      const clone = apply(original, response, values);
      if (faces.has(response)) faces.set(clone, faces.get(response));
      return clone;
    });
  };

  const wrapFetch = () => {
    wrapMethod(root, "fetch", (self, values, original) => {
      const [input, init] = values;
      const isRequest = input instanceof Request;
      if (values.length === 0 || !covered(isRequest ? input.url : String(input))) return apply(original, self, values);
      // A scheme's handler is not told of `keepalive` and `credentials`, so the app performs what they change.
      const isOwn = (init?.keepalive ?? (isRequest && input.keepalive)) || (init?.credentials ?? (isRequest && input.credentials)) === "omit";
      if (isFull || (isOwn && isBare(covered(isRequest ? input.url : String(input))))) return fetchFull(values, original);
      if (init?.body !== undefined && init.body !== null) return fetchTagged(isRequest ? input.url : String(input), input, init, original);
      if (isRequest && hasBody(input.method) && !input.bodyUsed && input.body !== null) return fetchRead(values, original);
      return apply(original, self, values);
    });
  };

  // A platform that sends streams reads `duplex` and gives them no media type (Fetch section 5.4, step 39).
  const sendsStreams = (() => {
    let isRead = false;
    try {
      const init = { method: "POST", body: new ReadableStream(), get duplex() {
        isRead = true;
        return "half";
      } };
      return !new Request("https://packtool.invalid/", init).headers.has("content-type") && isRead;
    } catch {
      return false;
    }
  })();

  /** A request with `keepalive` outlives its page, and so must its body. */
  const purposeOf = (keepalive) => (keepalive ? "beacon" : "request");

  /** The body is at hand: it is handed over, and the page's own call goes out with the tagged address. */
  const fetchTagged = (address, input, init, original) => {
    let source;
    let sent = init;
    const { body } = init;
    if (ReadableStream && body instanceof ReadableStream) {
      const [own, other] = body.locked ? [body, null] : body.tee();
      if (!other) return apply(original, root, [input, init]);
      // A platform that cannot send streams sends nothing: the app has what they say.
      sent = ObjectType.create(init, { body: { value: sendsStreams ? own : new Uint8Array(0), enumerable: true } });
      const id = nextID();
      const outcome = {};
      shipStream(id, other, outcome);
      const answered = settle(apply(original, root, [rebuilt(input, tagged(covered(address), id)), sent]), id);
      return answered.catch((error) => {
        throw outcome.fault ?? error;
      });
    }
    source = sourceOf(body);
    if (!hasBody(String(init.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase())) {
      return apply(original, root, [input, init]);
    }
    const fault = tooLarge(source);
    if (fault) return Promise.reject(fault);
    const isKept = init.keepalive ?? input?.keepalive;
    const id = handOver(source, purposeOf(isKept));
    return settle(apply(original, root, [rebuilt(input, tagged(covered(address), id)), sent]), id, isKept);
  };

  /** A Request's settings under another address. */
  const rebuilt = (input, address) => {
    if (!(input instanceof Request)) return address;
    const { method, headers, mode, credentials, cache, redirect, referrer, referrerPolicy, integrity, keepalive, signal } = input;
    return new Request(address, { method, headers, mode, credentials, cache, redirect, referrer, referrerPolicy, integrity, keepalive, signal });
  };

  /** A stream's size is not known before its end, so it is handed over when it has ended. */
  const shipStream = async (id, stream, outcome) => {
    try {
      const source = bytesSource(await new Response(stream).blob());
      outcome.fault = tooLarge(source);
      await ship({ type: "body", id, purpose: "request" }, source);
    } catch {
      cancel(id);
    }
  };

  /** A request that failed, and a redirect that the page did not want followed, leave a body that nobody comes for. To a page
   * that leaves, what goes on without it fails too. */
  const settle = (promise, id, isKept = false) => {
    promise.then((response) => response.type === "opaqueredirect" && cancel(id), (error) => {
      if (!isKept || error?.name === "AbortError") cancel(id);
    });
    return promise;
  };

  /** The body is inside of a Request: the platform serializes it once, for both of us. */
  const fetchRead = async (values, original) => {
    const request = new Request(...values);
    const blob = await request.clone().blob();
    checkSize(bytesSource(blob));
    const id = handOver(bytesSource(blob), purposeOf(request.keepalive));
    const { method, headers, mode, credentials, cache, redirect, referrer, referrerPolicy, integrity, keepalive, signal } = request;
    const sent = new Request(tagged(covered(request.url), id), {
      method, headers, body: await blob.arrayBuffer(), mode, credentials, cache, redirect, referrer, referrerPolicy, integrity, keepalive, signal,
    });
    return settle(apply(original, root, [sent]), id, request.keepalive);
  };

  const fetchFull = async (values, original) => {
    const request = new Request(...values);
    // What only the platform can judge stays with it.
    if (request.integrity || request.mode === "navigate" || request.cache === "only-if-cached" || !covered(request.url)) {
      return apply(original, root, [request]);
    }
    const { signal } = request;
    if (signal?.aborted) throw signal.reason;
    const headers = new Headers(request.headers);
    if (!headers.has("accept")) headers.set("accept", "*/*");
    // WebKit cannot read a Request that holds a form with files, so the form itself is taken where it is at hand.
    // A page that leaves waits for nothing, so what outlives it is taken where it is at hand too.
    const body = values[1]?.body ?? null;
    const isTaken = body instanceof FormData || (request.keepalive && body !== null && !(ReadableStream && body instanceof ReadableStream));
    const source = !hasBody(request.method) || request.body === null ? null
      : isTaken ? sourceOf(body) : bytesSource(await request.blob());
    if (signal?.aborted) throw signal.reason;
    const call = new Call();
    const url = new URL(request.url);
    url.hash = "";
    const head = {
      method: request.method, url: url.href, headers: [...headers], mode: request.mode, credentials: request.credentials,
      redirect: request.redirect, referrer: request.referrer === "about:client" ? root.location.href.split("#")[0] : request.referrer,
      ...(request.keepalive ? { [hasLeft ? "unread" : "keepalive"]: true } : {}),
    };
    let stopWaiting;
    const aborted = new Promise((_, reject) => {
      stopWaiting = () => {
        call.cancel();
        reject(signal.reason);
      };
    });
    if (signal) apply(native.listen, signal, ["abort", stopWaiting]);
    const forget = () => signal && apply(native.unlisten, signal, ["abort", stopWaiting]);
    const answered = (async () => {
      await call.begin(head, source);
      for (;;) {
        const events = await call.read();
        const first = events.findIndex((event) => event.response || event.error);
        if (first >= 0) return events.slice(first);
      }
    })();
    answered.catch(() => {});
    try {
      const events = await Promise.race([answered, aborted]);
      if (events[0].error) throw new TypeError("Failed to fetch");
      return responseFrom(request, call, events, forget);
    } catch (error) {
      forget();
      // To a page that leaves, its questions fail.
      if (!request.keepalive || signal?.aborted) call.cancel();
      throw error;
    }
  };

  const responseFrom = (request, call, [{ response }, ...events], forget) => {
    const { status } = response;
    const headers = new Headers(response.headers.filter(([name]) => name !== "set-cookie"));
    if (response.type === "opaque" || response.type === "opaqueredirect") {
      forget();
      call.cancel();
      const answer = new Response(null);
      const url = response.type === "opaqueredirect" ? response.url : "";
      faces.set(answer, { url, redirected: false, type: response.type, status: 0, ok: false });
      return answer;
    }
    let body = null;
    if ([101, 103, 204, 205, 304].includes(status) || request.method === "HEAD") {
      forget();
      if (!call.isOver) call.cancel();
    } else {
      body = streamOf(request, call, events, forget);
    }
    const answer = new Response(body, { status, statusText: response.statusText, headers });
    faces.set(answer, { url: response.url, redirected: response.redirected, type: response.type, signal: body && request.signal });
    return answer;
  };

  // WebKitGTK has no byte streams.
  const kindOfStream = (() => {
    try {
      new ReadableStream({ type: "bytes" });
      return { type: "bytes" };
    } catch {
      return {};
    }
  })();

  /** The answer's bytes, asked for when the page wants more of them. */
  const streamOf = (request, call, waiting, forget) => {
    const { signal } = request;
    const queue = [...waiting];
    let controller;
    const abort = () => {
      call.cancel();
      controller.error(signal.reason);
      done();
    };
    const done = () => {
      forget();
      if (signal) apply(native.unlisten, signal, ["abort", abort]);
    };
    return new ReadableStream({
      ...kindOfStream,
      start(given) {
        controller = given;
        if (signal) apply(native.listen, signal, ["abort", abort]);
      },
      async pull() {
        try {
          for (;;) {
            while (queue.length === 0) queue.push(...(await call.read()));
            const event = queue.shift();
            if (event.data) return controller.enqueue(fromBase64(event.data));
            if (event.end) {
              done();
              controller.close();
              return controller.byobRequest?.respond(0);
            }
            if (event.error) throw new TypeError("network error");
          }
        } catch (error) {
          done();
          if (!signal?.aborted) controller.error(error instanceof TypeError ? error : new TypeError("network error"));
        }
      },
      cancel() {
        done();
        call.cancel();
      },
    });
  };

  // ---------------------------------------------------------------------------------------------- beacons

  const LARGEST_BEACON = 64 << 10;

  const wrapBeacon = () => {
    wrapMethod(root.Navigator?.prototype, "sendBeacon", (navigator, values, original) => {
      const [address, body] = values;
      const url = values.length > 0 && covered(String(address));
      const isOurs = url && (isFull || isBare(url));
      if (!url || (!isOurs && (body === undefined || body === null))) return apply(original, navigator, values);
      if (ReadableStream && body instanceof ReadableStream) return apply(original, navigator, values);
      const source = body === undefined || body === null ? null : sourceOf(body);
      if (!isOurs) {
        const id = handOver(source, "beacon");
        const isQueued = apply(original, navigator, [tagged(url, id), body]);
        if (!isQueued) cancel(id);
        return isQueued;
      }
      if (source && source.size > LARGEST_BEACON) return false;
      const headers = source?.type ? [["content-type", source.type]] : [];
      new Call().begin({
        method: "POST", url: url.href, headers: [["accept", "*/*"], ...headers], mode: "no-cors", credentials: "include", redirect: "follow",
        referrer: root.location.href.split("#")[0], unread: true,
      }, source).catch(() => {});
      return true;
    });
  };

  // ---------------------------------------------------------------------------------------------- forms

  /*
   * A form's action is read right after its submit event, and its entries are made after that. So the address is tagged
   * at the end of the submit event and put back at the formdata event, and the entries are taken from that.
   */
  const wrapForms = () => {
    const pending = new Map();
    const formHosts = config.formHosts && new Set(config.formHosts);

    const begin = (form, submitter) => {
      pending.get(form)?.end();
      const owner = submitter?.hasAttribute?.("formaction") ? submitter : form;
      const attribute = owner === form ? "action" : "formaction";
      const method = (submitter?.getAttribute?.("formmethod") ?? form.getAttribute("method") ?? "").toLowerCase();
      const url = method === "post" && covered(owner.getAttribute(attribute) || root.document.URL);
      if (!url || (formHosts && !formHosts.has(url.host))) return;
      const id = nextID();
      const before = owner.getAttribute(attribute);
      const enctype = (submitter?.hasAttribute?.("formenctype") ? submitter.formEnctype : form.enctype) || "";
      let isTagged = true;
      const untag = () => {
        if (!isTagged) return;
        isTagged = false;
        if (before === null) owner.removeAttribute(attribute);
        else owner.setAttribute(attribute, before);
      };
      const end = () => {
        untag();
        if (pending.get(form)?.id === id) pending.delete(form);
      };
      pending.set(form, { id, enctype, untag, end });
      owner.setAttribute(attribute, tagged(url, id));
      later(end, 0);
    };

    const submitted = (event) => {
      if (!event.defaultPrevented && event.target instanceof HTMLFormElement) begin(event.target, event.submitter);
    };

    // Ours is the last listener, whatever the page adds; and if the page stops the event, its stop is our end of it.
    apply(native.listen, root, ["submit", (event) => {
      apply(native.unlisten, root, ["submit", submitted]);
      apply(native.listen, root, ["submit", submitted]);
      const form = event.target;
      for (const name of ["stopPropagation", "stopImmediatePropagation"]) {
        const original = event[name];
        define(event, name, { configurable: true, writable: true, value() {
          submitted(event);
          return apply(original, event, []);
        } });
      }
      const { preventDefault } = event;
      define(event, "preventDefault", { configurable: true, writable: true, value() {
        pending.get(form)?.end();
        return apply(preventDefault, event, []);
      } });
    }, true]);

    wrapMethod(HTMLFormElement.prototype, "submit", (form, values, original) => {
      begin(form, null);
      try {
        return apply(original, form, values);
      } finally {
        pending.get(form)?.end();
      }
    });

    // The address has been read when the entries are made: the page's listeners see the form as they know it.
    apply(native.listen, root, ["formdata", (event) => pending.get(event.target)?.untag(), true]);

    apply(native.listen, root, ["formdata", (event) => {
      const submission = pending.get(event.target);
      if (!submission || submission.isTaken) return;
      submission.isTaken = true;
      // After the page's own listeners: they may still add entries.
      const take = () => {
        const { id, enctype } = submission;
        const entries = [...event.formData];
        const plain = entries.map(([name, value]) => [lines(name), lines(typeof value === "string" ? value : value.name)]);
        let source;
        if (enctype === "multipart/form-data") source = formSource(entries);
        else if (enctype === "text/plain") source = bytesSource(encoder.encode(plain.map(([name, value]) => `${name}=${value}\r\n`).join("")));
        else source = bytesSource(encoder.encode(String(new URLSearchParams(plain))));
        shipBeforeLeaving({ type: "body", id, purpose: "navigation" }, source).catch((error) => {
          root.console?.error(String(error));
          cancel(id);
        });
      };
      root.queueMicrotask(take);
    }]);
  };

  // ---------------------------------------------------------------------------------------------- cookies

  const wrapCookies = () => {
    wrapAccessor(Document?.prototype, "cookie",
      (document, original) => {
        if (document !== root.document) return original();
        try {
          return String(askNow({ type: "cookies" }).cookies ?? "");
        } catch {
          return original();
        }
      },
      (document, value, original) => {
        if (document !== root.document) return original();
        try {
          askNow({ type: "setCookie", cookie: String(value) });
        } catch {
          original();
        }
      });
  };

  // ---------------------------------------------------------------------------------------------- the start

  // The page that a tagged form has led to: its address is the one that the form named.
  if (tagPattern.test(root.location?.href ?? "")) {
    try {
      root.history.replaceState(root.history.state, "", untagged(root.location.href));
    } catch { /* a sandboxed document keeps its address */ }
  }

  if (isOn) {
    wrapXHR();
    if (native.fetch) {
      wrapResponse();
      wrapFetch();
    }
    wrapBeacon();
  }
  if (isOn && config.forms !== false && HTMLFormElement) wrapForms();
  if (config.cookies) wrapCookies();
  if (isOn) {
    apply(native.listen, root, ["pagehide", (event) => {
      hasLeft = !event.persisted;
      if (hasLeft && count > 0) ask({ type: "leave", nonce }, true).catch(() => {});
    }]);
  }

  const existing = root.packtool;
  define(root, "packtool", {
    configurable: true, enumerable: false, writable: true,
    value: ObjectType.freeze({
      ...existing,
      version: VERSION,
      strategy: isOn ? config.strategy : "off",
      /** Tells the device that this version works: call it when the page shows what the user came for. */
      confirm: async () => {
        if (!config.load) return false;
        await ask({ type: "confirm", ...config.load }, true);
        return true;
      },
    }),
  });
}
