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

