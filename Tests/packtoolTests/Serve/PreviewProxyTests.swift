import Foundation
import Testing

/// `packtool preview --proxy`, and the package's own `api`, before a service that says what it was asked.
struct PreviewProxyTests {
    private static let service = """
        import http.server, threading
        told, left = threading.Event(), threading.Event()
        class Service(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def events(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(b"data: first\\n\\n")
                told.wait(60)
                self.wfile.write(b"data: second\\n\\n")
                # Nothing more is sent, and at its end the other side has closed.
                try: self.connection.recv(1)
                except OSError: pass
                left.set()
                self.close_connection = True
            def answer(self):
                if self.path == "/api/events": return self.events()
                if self.path == "/api/tell": told.set()
                if self.path == "/api/left" and not left.wait(20): self.command = "LATE"
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                said = "|".join([self.command, self.path, body, self.headers.get("Cookie", ""), self.headers["Host"],
                                 self.headers.get("X-Shop", "")]).encode()
                moved = self.path == "/api/moved"
                self.send_response(303 if moved else 201)
                if moved: self.send_header("Location", "/api/orders")
                self.send_header("Set-Cookie", "seen=1; Path=/; Expires=Wed, 09 Jun 2100 10:18:14 GMT")
                self.send_header("Set-Cookie", "token=a=b; HttpOnly")
                self.send_header("Content-Type", "text/x-said")
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                if self.command != "HEAD": self.wfile.write(said)
            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
        print("port", server.server_port, flush=True)
        server.serve_forever()
        """

    private let tool: Tool
    private let service: RunningTool
    private let preview: RunningTool
    /// The service's authority, and the preview's address without its last `/`.
    private let there: String
    private let here: String

    init() async throws {
        tool = try Tool()
        service = try tool.start(URL(filePath: "/usr/bin/python3"), ["-c", Self.service])
        let port = try #require(await service.line(holding: "port ")?.split(separator: " ").last)
        there = "127.0.0.1:\(port)"
        try tool.write([
            "packtool.json": #"{"package": "shop", "dist": "dist", "api": {"/own/": "http://\#(there)/real/"}}"#,
            "dist/index.html": "<h1>shop</h1>",
        ])
        preview = try tool.start(
            "preview", "--port", "0", "--no-reload", "--proxy", "/api=http://\(there)", "--proxy",
            "/api/deep/=http://\(there)/base/")
        let line = try #require(await preview.line(holding: "http://localhost:"), "it did not start")
        here = try String(#require(line.firstMatch(of: /http:\/\/localhost:[0-9]+/)).output)
    }

    /// What curl gets: the status, the header fields in their order, and the body.
    private func ask(_ path: String, _ options: String = "") async throws -> (
        status: String, fields: [String], body: String
    ) {
        let text = try await tool.shell("curl -s -i \(options) '\(here)\(path)'").standardOutput
            .replacing("\r\n", with: "\n")
        let end = try #require(text.range(of: "\n\n"), "\(text)")
        let lines = text[..<end.lowerBound].split(separator: "\n").map(String.init)
        let status = try #require(lines.first?.split(separator: " ").dropFirst().first)
        return (String(status), Array(lines.dropFirst()), String(text[end.upperBound...]))
    }

    @Test func `a request goes to the server and its answer to the browser, with cookies both ways`() async throws {
        let (status, fields, body) = try await ask(
            "/api/a%20b/x?q=1&q=%C3%A9", "-X PATCH -d 'a=1&b=é' -H 'Cookie: sid=17; theme=dark' -H 'X-Shop: 3'")
        #expect(status == "201")
        #expect(body == "PATCH|/api/a%20b/x?q=1&q=%C3%A9|a=1&b=é|sid=17; theme=dark|\(there)|3")
        #expect(fields.contains("Content-Type: text/x-said"), "\(fields)")
        #expect(
            fields.filter { $0.hasPrefix("Set-Cookie: ") } == [
                "Set-Cookie: seen=1; Path=/; Expires=Wed, 09 Jun 2100 10:18:14 GMT",
                "Set-Cookie: token=a=b; HttpOnly",
            ], "\(fields)")
        #expect(
            try await preview.line(holding: "proxy    PATCH http://\(there)/api/a%20b/x?q=1&q=%C3%A9: 201") != nil)
        // The cookies are the browser's: a request without them has none.
        #expect(try await ask("/api/orders/1", "-X DELETE").body == "DELETE|/api/orders/1|||\(there)|")
    }

    @Test func `events come as the server sends them, and the server sees that the page left`() async throws {
        let page = try tool.start(URL(filePath: "/usr/bin/curl"), ["-sN", "\(here)/api/events"])
        // The server sends no more before it is told to.
        #expect(try await page.line(holding: "data: first") != nil)
        #expect(try await ask("/api/tell").status == "201")
        #expect(try await page.line(holding: "data: second") != nil)
        page.kill(SIGKILL)
        #expect(try await ask("/api/left").body.hasPrefix("GET|/api/left"))
    }

    @Test func `a WebSocket is refused, and the preview says that it forwards none`() async throws {
        let (status, _, body) = try await ask(
            "/api/socket", "--http1.1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13'")
        #expect(status == "501")
        #expect(body == "packtool preview forwards no WebSockets\n")
        #expect(try await preview.line(holding: "missed   WebSocket http://\(there)/api/socket: the preview") != nil)
    }

    @Test func `a body that is too large is refused with its limit`() async throws {
        try await tool.shell("truncate -s 68000000 large").expectSuccess()
        let (status, _, body) = try await ask("/api/upload", "--http1.1 -H 'Expect:' -T large -X POST")
        #expect(status == "413")
        #expect(body == "the preview forwards bodies of up to 67108864 bytes\n")
    }

    @Test(arguments: [
        ("/api", "GET|/api|||"), ("/api?all", "GET|/api?all|||"), ("/api/deep/z?y", "GET|/base/z?y|||"),
        ("/own/orders?open=1", "GET|/real/orders?open=1|||"),
    ])
    func `the path below a prefix is kept, and replaced where the URL has a path of its own`(
        path: String, said: String
    ) async throws {
        let (status, _, body) = try await ask(path)
        #expect(status == "201")
        #expect(body == said + "\(there)|")
    }

    @Test func `the package's own api gets method, body and cookies too`() async throws {
        let (status, fields, body) = try await ask("/own/orders", "-X PUT -d new -H 'Cookie: sid=17'")
        #expect(status == "201")
        #expect(body == "PUT|/real/orders|new|sid=17|\(there)|")
        #expect(try await preview.line(holding: "api      /own/ leads to this machine: a device answers 403") != nil)
        #expect(fields.contains("Set-Cookie: token=a=b; HttpOnly"), "\(fields)")
    }

    @Test func `a redirect is left to the browser`() async throws {
        let (status, fields, _) = try await ask("/api/moved")
        #expect(status == "303")
        #expect(fields.contains("Location: /api/orders"), "\(fields)")
    }

    @Test(arguments: ["/apis", "/own", "/own/../api/x", "/deep/z"])
    func `what is not below a prefix is the package's to answer`(path: String) async throws {
        let (status, fields, _) = try await ask(path, "--path-as-is")
        #expect(status == "404")
        #expect(!fields.contains { $0.hasPrefix("Set-Cookie") }, "\(fields)")
        #expect(try await ask("/").body == "<h1>shop</h1>")
    }
}
