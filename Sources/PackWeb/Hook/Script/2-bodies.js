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

