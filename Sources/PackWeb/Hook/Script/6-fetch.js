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

