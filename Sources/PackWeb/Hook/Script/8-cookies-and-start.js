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
