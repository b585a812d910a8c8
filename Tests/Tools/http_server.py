"""A server of one folder on a free port of the loopback, for tests. Prints the port, then each request.

http_server.py DIR [MODE[:PART]]    MODE: plain (default), chunked, trickle (5 bytes a second), endless, silent,
                                    close-early, error; with PART only for paths that hold it
"""

import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

FOLDER = sys.argv[1]
MODE, _, PART = (sys.argv[2:] + ["plain"])[0].partition(":")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        print(f"GET {self.path}", flush=True)
        path = os.path.normpath(os.path.join(FOLDER, "." + unquote(self.path)))
        self.mode = MODE if PART in self.path else "plain"
        if self.mode == "error":
            return self.answer(500, b"")
        if not path.startswith(FOLDER + os.sep) or not os.path.isfile(path):
            return self.answer(404, b"not here")
        with open(path, "rb") as file:
            body = file.read()
        self.answer(200, body)

    def do_HEAD(self):
        print(f"HEAD {self.path}", flush=True)
        self.mode = "plain"
        self.answer(404, b"")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Connection", "close")
        self.close_connection = True
        if self.mode == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for start in range(0, len(body), 100):
                part = body[start:start + 100]
                self.wfile.write(b"%x;x=y\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")
        elif self.mode == "endless" and status == 200:
            self.end_headers()
            while True:
                self.wfile.write(b" " * 65536)
        elif self.mode == "silent" and status == 200:
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:1])
            time.sleep(3600)
        elif self.mode == "trickle" and status == 200:
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            for byte in body:
                self.wfile.write(bytes([byte]))
                time.sleep(0.2)
        else:
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:len(body) // 2] if self.mode == "close-early" else body)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
