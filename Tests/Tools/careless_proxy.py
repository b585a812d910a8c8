"""A proxy that does to a registry what careless ones do: prints its port, and forwards to the URL in its argument.

It keeps metadata/timestamp.json, drops ETag, Range and other fields, compresses, and its clock is an hour ahead.
"""
import email.utils
import gzip
import http.server
import sys
import time
import urllib.error
import urllib.request

UPSTREAM = sys.argv[1]
KEPT: dict[str, bytes] = {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path
        is_kept = path in KEPT
        status = 200
        if is_kept:
            body = KEPT[path]
        else:
            try:
                with urllib.request.urlopen(UPSTREAM + path) as answer:
                    body = answer.read()
            except urllib.error.HTTPError as error:
                status, body = error.code, error.read()
            if path.endswith("timestamp.json"):
                KEPT[path] = body
        self.send_response_only(status)
        self.send_header("Date", email.utils.formatdate(time.time() + 3600, usegmt=True))
        self.send_header("Cache-Control", "public, max-age=600")
        if is_kept:
            self.send_header("Age", "42")
        if "gzip" in self.headers.get("Accept-Encoding", "") and path.endswith("root.json"):
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
