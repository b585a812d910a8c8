"""An HTTP server that says what it got. Prints its port; ends with its standard input.

With two arguments, a certificate's file and its key's, it serves https. With one, a folder, it gives that folder's files,
as a registry's view is given, and says what it got wherever there is none."""
import base64
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import ssl
import sys
import threading
import time
import urllib.parse


poured = threading.Event()
notes = []


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    # Python's five: the system resets what comes at once beyond them.
    request_queue_size = 128


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            parts = []
            while True:
                size = int(self.rfile.readline().split(b";")[0], 16)
                parts.append(self.rfile.read(size))
                self.rfile.readline()
                if size == 0:
                    return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, status, data, fields=()):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Access-Control-Allow-Origin", self.headers.get("Origin", "*"))
        self.send_header("Access-Control-Allow-Headers", "*")
        self.send_header("Access-Control-Allow-Methods", "*")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def sink(self, query):
        """Reads a body of any size without keeping it, at about 100 MB/s if it is to be slow, and says how long it was."""
        size, last, rest = 0, b"", int(self.headers.get("Content-Length", -1))
        while True:
            if rest < 0:
                count = int(self.rfile.readline().split(b";")[0], 16)
                parts = [self.rfile.read(count)]
                self.rfile.readline()
            else:
                count = rest
                parts = (self.rfile.read(min(1 << 20, count - at)) for at in range(0, count, 1 << 20))
            for part in parts:
                size += len(part)
                last = part[-3:] or last
                if "slow" in query:
                    time.sleep(len(part) / 1e8)
            if count == 0 or rest >= 0:
                break
        said = f"{size} {last.decode('latin-1')} {self.headers.get('Cookie')} {self.headers.get('Origin')}"
        fields = [("Location", query["to"])] if "to" in query else []
        self.answer(302 if fields else 200, said.encode(), fields)

    def socket(self):
        """A WebSocket (RFC 6455) that gives short messages back, after one that says which cookies came."""
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        self.close_connection = True
        message = f"cookies {self.headers.get('Cookie', '')}".encode()
        while message is not None:
            self.wfile.write(bytes([0x81, len(message)]) + message)
            head = self.rfile.read(6)
            if len(head) < 6 or head[0] & 15 == 8:
                return
            data = self.rfile.read(head[1] & 127)
            message = bytes(byte ^ head[2 + i % 4] for i, byte in enumerate(data))

    def handle_any(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path.endswith("/socket") and self.headers.get("Upgrade", "").lower() == "websocket":
            self.socket()
            return
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path.endswith("/sink"):
            self.sink(query)
            return
        body = self.body()
        file = len(sys.argv) in (2, 4) and pathlib.Path(sys.argv[1] + url.path)
        # Below a registry's folders too.
        name = "/" + url.path.split("/")[-1]
        if file and file.is_file():
            self.answer(200, file.read_bytes())
        elif file and url.path.startswith(("/metadata/", "/targets/", "/objects/", "/patches/", "/v1/")):
            self.answer(404, b"no such file of the view")
        elif name == "/redirect":
            self.answer(int(query.get("status", 302)), b"moved", [("Location", query["to"].encode().decode("latin-1")), ("Set-Cookie", "hop=1")])
        elif name == "/login":
            # What web apps answer a form with: a cookie, and the way to a page.
            form = dict(urllib.parse.parse_qsl(body.decode()))
            self.answer(303, b"", [("Location", form["next"]), ("Set-Cookie", f"user={form['user']}; Path=/; HttpOnly")])
        elif name == "/welcome":
            page = f"<!doctype html><title>{self.command} {self.headers.get('Cookie', '')}</title>"
            self.answer(200, page.encode(), [("Content-Type", "text/html; charset=utf-8")])
        elif name == "/status":
            fields = [("ETag", '"e"')] if query["code"] == "304" else [("X-Asked", "1")]
            self.answer(int(query["code"]), b"" if query["code"] in ("204", "304") else b"status", fields)
        elif name == "/mirror":
            fields = [("X-Type", self.headers.get("Content-Type", "")), ("X-Method", self.command)]
            self.answer(200, body, fields + [("Access-Control-Expose-Headers", "X-Type, X-Method")])
        elif name == "/text":
            tag = '"%s"' % query.get("tag", "t")
            if self.headers.get("If-None-Match") == tag:
                self.answer(304, b"", [("ETag", tag)])
            else:
                self.answer(200, query["body"].encode(), [("ETag", tag)])
        elif name == "/cookies":
            fields = [("Set-Cookie", line) for line in query.get("set", "").split("|") if line]
            fields.append(("Access-Control-Allow-Credentials", "true"))
            self.answer(200, self.headers.get("Cookie", "").encode(), fields)
        elif name == "/note":
            notes.append(f"{self.command} {query['key']} {body.decode()}")
            self.answer(200, b"noted")
        elif name == "/notes":
            self.answer(200, "\n".join(notes).encode())
        elif name == "/attachment":
            fields = [("Content-Disposition", 'attachment; filename="a.html"'), ("Content-Type", "text/html")]
            if "n" not in query:
                self.answer(200, b"<title>to be kept</title>", fields)
                return
            # So many bytes; of an unknown length, or cut off before.
            count = int(query["n"])
            self.close_connection = True
            self.send_response(200)
            for field in fields:
                self.send_header(*field)
            if "chunked" not in query:
                self.send_header("Content-Length", str(count))
            self.send_header("Connection", "close")
            self.end_headers()
            try:
                self.wfile.write(b"a" * int(query.get("cut", count)))
            except OSError:
                pass
        elif name == "/bytes":
            self.answer(200, bytes(i * 31 % 251 for i in range(int(query["n"]))))
        elif name == "/secret" and self.headers.get("Authorization") == "Basic " + base64.b64encode(b"ann:open").decode():
            self.answer(200, b"come in " + body)
        elif name == "/secret":
            self.answer(401, b"who are you?", [("WWW-Authenticate", 'Basic realm="r"')])
        elif name == "/on":
            self.answer(307, b"", [("Location", query["to"])])
        elif name == "/loop":
            self.answer(307, b"", [("Location", self.path)])
        elif name == "/home":
            # To the package's own address.
            self.answer(302, b"", [("Location", "https://shop.package" + self.path)])
        elif name == "/gzip":
            self.answer(200, gzip.compress(b"g" * 100_000), [("Content-Encoding", "gzip"), ("Content-Type", "text/plain")])
        elif name == "/pour":
            # As much as the other side takes; "/poured" says when it is over.
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Length", query["n"])
            self.end_headers()
            try:
                for _ in range(int(query["n"]) >> 16):
                    self.wfile.write(bytes(1 << 16))
            finally:
                poured.set()
        elif name == "/poured":
            self.answer(200, b"yes" if poured.wait(50) else b"no")
        elif name == "/slow":
            self.send_response(200)
            count = int(query.get("n", 1000))
            self.send_header("Content-Length", str(count))
            self.end_headers()
            for _ in range(count):
                self.wfile.write(b".")
                self.wfile.flush()
                time.sleep(0.01)
        else:
            said = {
                "method": self.command,
                "path": self.path,
                "headers": {name.lower(): value for name, value in self.headers.items()},
                "body": body.hex(),
            }
            self.answer(200, json.dumps(said).encode(), [("Content-Type", "application/json")])

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_HEAD = do_PROPFIND = handle_any


if __name__ == "__main__":
    server = Server(("127.0.0.1", 0), Handler)
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*sys.argv[-2:])
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()
    os._exit(0)
