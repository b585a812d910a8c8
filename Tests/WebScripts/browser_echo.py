"""The server of the browser suites: says what it got, answers as it is told, and has the page of the plain run."""
import hashlib
import http.server
import json
import pathlib
import re
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
SEEN = re.compile(r"^(content-type|content-length|origin|referer|accept|authorization|range|x-[a-z0-9-]+|access-control-request-.*)$")
OWN = {"x-test-host"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    # By key of the query: requests that came, for the scenarios that get no answer.
    noted: dict[str, list] = {}
    folder = HERE

    def log_message(self, *arguments):
        pass

    @property
    def host(self):
        return self.headers.get("X-Test-Host") or self.headers.get("Host", "")

    def read_body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            parts = []
            while True:
                size = int(self.rfile.readline().split(b";")[0], 16)
                parts.append(self.rfile.read(size))
                self.rfile.readline()
                if size == 0:
                    return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, status, data, fields=(), reason=None):
        # RFC 9110 section 15.3.6: no content in a 205 either. Chromium reads none there; where it came after the head,
        # it was the beginning of the next answer on that connection, which was then HTTP/0.9 and had no end.
        if status == 205:
            data = b""
        self.send_response_only(status, reason)
        for name, value in fields:
            self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD" and status not in (204, 304):
            self.wfile.write(data)

    def said(self, body):
        fields = {name.lower(): value for name, value in self.headers.items()}
        kind = fields.get("content-type", "")
        boundary = re.search(r'boundary="?([^";]+)', kind)
        if boundary:
            # The boundary is random; its length is the rest of what the content's length says.
            mark = boundary.group(1).encode()
            fields["content-type"] = kind.replace(boundary.group(1), "BOUNDARY")
            fields.pop("content-length", None)
            body = body.replace(mark, b"BOUNDARY")
        else:
            # That there is no body can be said or left out.
            if "transfer-encoding" in fields or not body:
                fields.pop("content-length", None)
        seen = {name: value for name, value in fields.items() if SEEN.match(name) and name not in OWN}
        # An app cannot keep its transport from sending the name; without a value it says as much.
        seen = {name: value for name, value in sorted(seen.items()) if value or name != "content-type"}
        said = {"method": self.command, "path": self.path, "host": self.host, "headers": seen}
        if "cookies" in self.path and self.headers.get("Cookie"):
            said["cookie"] = "; ".join(sorted(self.headers["Cookie"].split("; ")))
        said["body"] = body.decode("latin-1") if len(body) < 2000 else hashlib.sha256(body).hexdigest() + f" of {len(body)}"
        return said

    def cors(self, query):
        origin = self.headers.get("Origin")
        fields = []
        if query.get("cors") == "none" or origin is None:
            return fields
        if query.get("cors") == "star":
            fields.append(("Access-Control-Allow-Origin", "*"))
        else:
            fields.append(("Access-Control-Allow-Origin", origin))
            fields.append(("Access-Control-Allow-Credentials", "true"))
        if "expose" in query:
            fields.append(("Access-Control-Expose-Headers", query["expose"]))
        return fields

    def handle_any(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        body = self.read_body()
        fields = self.cors(query)
        route = url.path.rsplit("/", 1)[-1]
        if self.command == "OPTIONS" and self.headers.get("Access-Control-Request-Method"):
            if query.get("preflight") == "slow":
                time.sleep(0.5)
            if query.get("preflight") == "refuse":
                return self.answer(403, b"", fields)
            names = self.headers.get("Access-Control-Request-Headers", "")
            fields += [("Access-Control-Allow-Headers", names), ("Access-Control-Allow-Methods", "GET, PUT, PATCH, DELETE, PROPFIND")]
            if "key" in query:
                Handler.noted.setdefault(query["key"], []).append(self.said(body))
            return self.answer(200, b"", fields)
        if url.path.startswith("/app/"):
            return self.page(url.path)
        if "key" in query and route != "noted":
            Handler.noted.setdefault(query["key"], []).append(self.said(body))
        if route == "noted":
            return self.answer(200, json.dumps(Handler.noted.get(query["key"], [])).encode(), fields + [("Content-Type", "application/json")])
        if route == "redirect":
            to = query["to"]
            if to.startswith("/"):
                to = f"https://{self.host}{to}"
            return self.answer(int(query.get("status", 302)), b"moved", fields + [("Location", to), ("Set-Cookie", "hop=1; Path=/")])
        if route == "loop":
            left = int(query["n"])
            to = f"https://{self.host}" + (f"{url.path}?n={left - 1}" if left > 1 else url.path.replace("loop", "echo"))
            return self.answer(307, b"moved", fields + [("Location", to)])
        if route == "status":
            return self.answer(int(query["code"]), query.get("text", "status").encode(), fields + [("X-Asked", "1"), ("Content-Type", "text/plain")])
        if route == "type":
            data = bytes.fromhex(query["hex"]) if "hex" in query else query.get("text", "").encode()
            kind = [("Content-Type", query["type"])] if "type" in query else []
            return self.answer(200, data, fields + kind)
        if route == "bytes":
            size = int(query["n"])
            return self.answer(200, (bytes(i * 31 % 251 for i in range(251)) * (size // 251 + 1))[:size], fields + [("Content-Type", "application/octet-stream")])
        if route == "many":
            many = [("X-One", "1"), ("X-Two", "a"), ("X-Two", "b"), ("X-Empty", ""), ("Set-Cookie", "seen=1; Path=/"), ("Content-Type", "text/plain")]
            return self.answer(200, b"many", fields + many)
        if route == "cookie":
            return self.answer(200, b"set", fields + [("Set-Cookie", query["set"])])
        if "digest" in query:
            data = json.dumps({"digest": hashlib.sha256(body).hexdigest(), "size": len(body)}).encode()
            return self.answer(200, data, fields + [("Content-Type", "application/json")])
        if "parts" in query:
            mark = b"--" + re.search(r'boundary="?([^";]+)', self.headers["Content-Type"]).group(1).encode()
            parts = [part.split(b"\r\n\r\n", 1)[1][:-2] for part in body.split(mark)[1:-1]]
            data = json.dumps({"parts": [hashlib.sha256(part).hexdigest() for part in parts]}).encode()
            return self.answer(200, data, fields + [("Content-Type", "application/json")])
        if route == "slow":
            time.sleep(float(query.get("s", 3)))
            return self.answer(200, b"slow", fields)
        if route == "drip":
            self.send_response_only(200)
            for name, value in fields + [("Content-Type", "text/plain"), ("Content-Length", "40")]:
                self.send_header(name, value)
            self.end_headers()
            for _ in range(4):
                self.wfile.write(b"0123456789")
                self.wfile.flush()
                time.sleep(0.15)
            return None
        if route == "cut":
            self.send_response_only(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"only this")
            self.close_connection = True
            return None
        if route == "drop":
            self.close_connection = True
            return None
        return self.answer(200, json.dumps(self.said(body)).encode(), fields + [("Content-Type", "application/json")])

    def page(self, path):
        file = (self.folder / path.removeprefix("/app/")).resolve()
        # A script may lie there in parts, in a folder of its name.
        parts = [file] if file.is_file() else sorted(file.with_suffix("").glob("*.js")) if file.suffix == ".js" else []
        if not file.is_relative_to(self.folder) or not parts:
            return self.answer(404, b"no")
        kind = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8"}.get(file.suffix, "text/plain")
        return self.answer(200, b"".join(part.read_bytes() for part in parts), [("Content-Type", kind), ("Cache-Control", "no-store")])

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.handle_any
        raise AttributeError(name)
