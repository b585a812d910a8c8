"""A registry as devices knew it before there were update files and recent metadata: passes on what such a device asks for, and
has nothing else.

older_protocol.py PORT    prints its own port, then a line for each request: "STATUS PATH" or "unknown PATH", digests as D
"""

import http.server
import re
import sys
import urllib.error
import urllib.request

D = "[0-9a-f]{64}"
# Written out, not taken from the program: devices with these addresses are outside.
KNOWN = [
    r"/v1/bundle/1/beta",
    r"/metadata/timestamp\.json",
    r"/metadata/[0-9]+\.(root|snapshot|targets|channels|package\.shop)\.json",
    rf"/targets/channels/{D}\.beta\.json",
    rf"/targets/manifests/shop/{D}\.[0-9.]+\.json",
    rf"/patches/{D}/({D}|full)\.zst",
    rf"/patches/{D}/{D}\.manifest\.zst",
    rf"/objects/[0-9a-f]{{2}}/{D}",
]


class Older(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        is_known = any(re.fullmatch(known, self.path) for known in KNOWN)
        status, headers, body = self.answer() if is_known else (404, {}, b"")
        print(status if is_known else "unknown", re.sub(D, "D", self.path), flush=True)
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() in ("etag", "content-type", "cache-control", "content-range"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 304:
            self.wfile.write(body)

    def answer(self):
        sent = {name: self.headers[name] for name in ("If-None-Match", "Range") if name in self.headers}
        request = urllib.request.Request(f"http://127.0.0.1:{sys.argv[1]}{self.path}", headers=sent)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Older)
print(server.server_address[1], flush=True)
server.serve_forever()
