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

