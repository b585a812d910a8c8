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

