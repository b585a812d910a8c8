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

