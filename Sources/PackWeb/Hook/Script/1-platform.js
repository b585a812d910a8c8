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

