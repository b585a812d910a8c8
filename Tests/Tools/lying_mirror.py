"""A mirror between a device and its registry that lies about one kind of file in one way, and passes everything else on."""
import http.server
import re
import threading
import time
import urllib.error
import urllib.request
import zlib

LIES = ("bit", "same size", "cut", "longer", "empty", "older", "another", "stranger", "404", "500", "endless", "drip", "bomb")
KINDS = {
    "timestamp": r"metadata/timestamp\.json$",
    "root": r"metadata/\d+\.root\.json$",
    "recent metadata": r"metadata/\d+\.recent\.zst$",
    "snapshot": r"metadata/\d+\.snapshot\.json$",
    "targets": r"metadata/\d+\.targets\.json$",
    "roles": r"metadata/\d+\.(package\.shop|channels)\.json$",
    "channel": r"targets/channels/",
    "manifest": r"targets/manifests/shop/",
    "manifest patch": r"patches/\w+/\w+\.manifest\.zst$",
    "update file": r"patches/\w+/\w+\.update$",
    "object": r"objects/",
    "content patch": r"patches/\w+/(?!full)\w+\.zst$",
    "full download": r"patches/\w+/full\.zst$",
    "bundle": r"v1/bundle/",
    "zip": r"packages/shop-",
    "site": r"site/",
}


def kind_of(path):
    return next((kind for kind, pattern in KINDS.items() if re.search(pattern, path)), None)


def files_of(view, kind, package="shop"):
    """The files of a kind in a view, the newest last."""
    found = [path for path in sorted(view.rglob("*")) if path.is_file()
             and kind_of(str(path.relative_to(view)).replace(f"/{package}", "/shop").replace(f".{package}", ".shop")) == kind]
    return sorted(found, key=lambda path: (int(path.name.split(".")[0]) if path.parent.name == "metadata" and path.name[0].isdigit() else 0,
                                           package in str(path), path.stat().st_mtime))


class Mirror(http.server.ThreadingHTTPServer):
    """Passes everything on to the registry but what it lies about."""
    daemon_threads = True
    kind = lie = None
    told, sites, withheld = 0, 0, ()

    def __init__(self, port, views, draw):
        super().__init__(("127.0.0.1", 0), Handler)
        self.registry, self.views, self.draw = f"http://127.0.0.1:{port}", views, draw
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def tell(self, kind, lie, withheld=()):
        self.kind, self.lie, self.told, self.withheld = kind, lie, 0, withheld

    def handle_error(self, request, address):
        pass

    def instead(self, path, body):
        """What is sent instead of a body."""
        older, current, stranger = self.views
        if self.lie in ("older", "stranger"):
            view = older if self.lie == "older" else stranger
            if self.kind == "bundle":
                return (view / "bundle").read_bytes()
            others = files_of(view, self.kind) or files_of(view, "full download") or files_of(view, "manifest")
            return next((found for file in reversed(others) if (found := file.read_bytes()) != body), b"none")
        if self.lie == "another":
            others = [] if self.kind in ("timestamp", "snapshot", "targets", "root", "channel") else files_of(current, self.kind, "other")
            others = others or files_of(current, "snapshot" if self.kind != "snapshot" else "targets")
            return next((found for file in reversed(others) if (found := file.read_bytes()) != body), b"none")
        return damaged(body, self.lie, self.draw)


def damaged(body, lie, draw):
    if lie == "bit" and body:
        at = draw.randrange(len(body))
        return body[:at] + bytes([body[at] ^ 1 << draw.randrange(8)]) + body[at + 1:]
    if lie == "cut":
        return body[:draw.randrange(max(1, len(body)))]
    return {"same size": bytes(draw.choices(b"evil {}\":,", k=len(body))), "longer": body + b"evil" * draw.randint(1, 9), "empty": b""}.get(lie, body)


def bomb():
    """1 GiB, as one member of gzip."""
    deflate, zeros = zlib.compressobj(1, wbits=31), bytes(1 << 24)
    return b"".join([deflate.compress(zeros) for _ in range(64)] + [deflate.flush()])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bomb = []

    def do_GET(self):
        server, kind = self.server, kind_of(self.path)
        if kind == "site":
            server.sites += 1
        if kind in server.withheld or kind == "site":
            return self.answer(404, {}, b"not here")
        lies = kind is not None and kind == server.kind
        fields = {name: self.headers[name] for name in ("Range", "If-Range", "If-None-Match", "Accept") if self.headers[name] and not lies}
        try:
            with urllib.request.urlopen(urllib.request.Request(server.registry + self.path, headers=fields), timeout=60) as upstream:
                status, headers, body = upstream.status, upstream.headers, upstream.read()
        except urllib.error.HTTPError as error:
            status, headers, body = error.code, error.headers, error.read()
        headers = {name: headers[name] for name in ("ETag", "Content-Type", "Content-Range", "Cache-Control") if headers[name]}
        if not lies or status != 200:
            return self.answer(status, headers, body)
        server.told += 1
        if server.lie in ("404", "500"):
            self.answer(int(server.lie), {}, b"<html>no</html>")
        elif server.lie == "endless":
            self.without_end(headers, body + b"evil" * 16384, 0)
        elif server.lie == "drip":
            self.without_end(headers | {"Content-Length": str(len(body))}, body, 0.2)
        elif server.lie == "bomb":
            self.bomb or self.bomb.append(bomb())
            self.answer(200, headers | {"Content-Encoding": "gzip"}, self.bomb[0])
        else:
            self.answer(200, headers, server.instead(self.path, body))

    do_HEAD = do_GET

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        if status != 304 and self.command != "HEAD":
            self.wfile.write(body)

    def without_end(self, headers, body, pause):
        """Bounded all the same: 256 MiB, or a minute."""
        self.close_connection = True
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        end = time.monotonic() + 60
        pieces = [body[i:i + 1] for i in range(len(body))] if pause else [body] * ((256 << 20) // len(body))
        for piece in pieces:
            if time.monotonic() > end:
                return
            self.wfile.write(piece)
            time.sleep(pause)

    def log_message(self, *_):
        pass
