import Foundation
import PackJSON
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What `packtool preview --overlay` tells each page, and what its switches touch.
struct PreviewOverlayTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.write([
            "packtool.json": #"{"package": "shop"}"#, "dist/index.html": "<h1>one</h1>",
            "dist/orders/index.html": "<h1>orders</h1>", "dist/app.js": "let a",
        ])
    }

    private func start(_ arguments: String...) async throws -> (RunningTool, String) {
        let server = try tool.start(["preview", "dist", "--port", "0", "--no-reload", "--overlay"] + arguments)
        let line = try #require(await server.line(holding: "http://localhost:"), "it did not start")
        return (server, try String(#require(line.firstMatch(of: /http:\/\/localhost:[0-9]+/)).output))
    }

    private func ask(_ url: String, _ headers: [String: String] = [:], post body: String? = nil) async throws -> String
    {
        var request = URLRequest(url: try #require(URL(string: url)))
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body {
            request.httpMethod = "POST"
            request.httpBody = Data(body.utf8)
        }
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        return String(decoding: try await session.data(for: request).0, as: UTF8.self)
    }

    /// Opens a page as a tab does.
    /// - Returns: the key by which its overlay asks.
    private func open(_ url: String) async throws -> String {
        let page = try await ask(url, ["Accept": "text/html", "Sec-Fetch-Dest": "document"])
        return try String(#require(page.firstMatch(of: /overlay\.js\?page=([0-9A-F-]{36})"/), "\(page)").output.1)
    }

    /// What the overlay of a page is told: who answered, method, path, status.
    private func told(_ here: String, _ page: String) async throws -> [String] {
        let text = try await ask("\(here)/-/requests?after=0&page=\(page)")
        return try JSONValue(parsing: text).object().array("requests").map { entry in
            let entry = try entry.object()
            return try [entry.string("by"), entry.string("method"), entry.string("path"), "\(entry.integer("status"))"]
                .joined(separator: " ")
        }
    }

    private func set(_ network: String, _ here: String) async throws {
        #expect(try await ask("\(here)/-/network", ["Origin": here], post: network) == network + "\n")
    }

    /// One request of a page's script through the hook.
    private func bridged(_ here: String, _ number: Int, _ url: String) async throws -> String {
        let (own, id) = (["Origin": here, "Referer": here + "/"], String(repeating: "a", count: 32) + ".\(number)")
        let message =
            #"{"v":1,"type":"request","id":"\#(id)","method":"GET","url":"\#(url)","headers":[["accept","*/*"]],"#
            + #""mode":"cors","credentials":"same-origin","redirect":"follow","referrer":"\#(here)/"}"#
        #expect(try await ask("\(here)/-/bridge", own, post: message) == "{}")
        var text = ""
        while !text.contains(#""end":true"#), !text.contains(#""error":{"#) {
            text += try await ask("\(here)/-/bridge", own, post: #"{"v":1,"type":"read","id":"\#(id)"}"#)
        }
        return text
    }

    /// A service whose answers other origins may read.
    private func service(_ size: Int = 6) async throws -> LoopbackServer {
        try await LoopbackServer { _ in
            .answer(200, fields: [("Access-Control-Allow-Origin", "*")], body: Array(repeating: 0x61, count: size))
        }
    }

    @Test func `each page is told its own requests, and a page that is loaded anew begins anew`() async throws {
        let service = try await service()
        defer { service.stop() }
        let (server, here) = try await start("--proxy", "/api=\(service.endpoint)")
        defer { server.kill(SIGKILL) }
        let first = try await open("\(here)/")
        let second = try await open("\(here)/orders")
        let script = ["Sec-Fetch-Dest": "script"]
        _ = try await ask("\(here)/app.js", script.merging(["Referer": "\(here)/"]) { $1 })
        _ = try await ask("\(here)/lost.js", script.merging(["Referer": "\(here)/orders"]) { $1 })
        _ = try await ask("\(here)/api/x", ["Referer": "\(here)/orders", "Sec-Fetch-Dest": "empty"])
        #expect(try await told(here, first) == ["package GET / 200", "package GET /app.js 200"])
        #expect(
            try await told(here, second) == [
                "package GET /orders 200", "missed GET /lost.js 404", "proxy GET /api/x 200",
            ]
        )
        let again = try await open("\(here)/")
        #expect(again != first)
        #expect(try await told(here, again) == ["package GET / 200"])
    }

    @Test func `a request through the hook is told once, by whoever answered it`() async throws {
        let service = try await service()
        defer { service.stop() }
        let (server, here) = try await start("--hook", "full", "--proxy", "/api=\(service.endpoint)")
        defer { server.kill(SIGKILL) }
        let page = try await open("\(here)/")
        _ = try await bridged(here, 1, "\(here)/app.js")
        _ = try await bridged(here, 2, "\(here)/api/x")
        _ = try await bridged(here, 3, "\(service.endpoint)/far")
        #expect(
            try await told(here, page) == [
                "package GET / 200", "package GET /app.js 200", "proxy GET /api/x 200",
                "online GET \(service.endpoint)/far 200",
            ])
        try await set("offline", here)
        #expect(try await bridged(here, 4, "\(service.endpoint)/far").contains(#""name":"network""#))
        #expect(try await bridged(here, 5, "\(here)/api/y").contains(#""name":"network""#))
        #expect(try await bridged(here, 6, "\(here)/app.js").contains(#""status":200"#))
        #expect(
            try await told(here, page).dropFirst(4) == [
                "offline GET \(service.endpoint)/far 0", "offline GET /api/y 0", "package GET /app.js 200",
            ])
    }

    @Test func `a slow network slows what goes online, by its size, and no file of the package`() async throws {
        let service = try await service(25_000)
        defer { service.stop() }
        // It does not say how long its answer is.
        let unsized = try tool.start(
            URL(filePath: "/usr/bin/python3"),
            [
                "-c",
                """
                import http.server
                class Service(http.server.BaseHTTPRequestHandler):
                    def do_GET(self):
                        self.send_response(200)
                        self.end_headers()
                        self.wfile.write(b"a" * 25000)
                    def log_message(self, *_): pass
                server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
                print("port", server.server_port, flush=True)
                server.serve_forever()
                """,
            ])
        defer { unsized.kill(SIGKILL) }
        let port = try #require(await unsized.line(holding: "port ")?.split(separator: " ").last)
        let (server, here) = try await start("--hook", "full", "--proxy", "/api=http://127.0.0.1:\(port)")
        defer { server.kill(SIGKILL) }
        try await set("slow", here)
        // Half a second, and 50 kB a second: only what is too fast is wrong.
        let clock = ContinuousClock()
        let online = try await clock.measure { _ = try await bridged(here, 1, "\(service.endpoint)/far") }
        #expect(online >= .milliseconds(1000))
        var body = ""
        let proxied = try await clock.measure { body = try await ask("\(here)/api/x") }
        #expect(body.utf8.count == 25_000)
        #expect(proxied >= .milliseconds(1000))
    }

    @Test func `what the browser requests elsewhere by itself is shown, without the hook too`() async throws {
        let told = Mutex<[String]>([])
        let service = try await LoopbackServer { request in
            if request.path == "/api/seen" {
                told.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
            }
            return .answer(200, body: Array("thanks".utf8))
        }
        defer { service.stop() }
        try tool.write([
            "dist/index.html":
                "<!doctype html><title>x</title><img src=\"\(service.endpoint)/far.png\"><script src=\"probe.js\"></script>",
            "dist/probe.js": """
            addEventListener("load", () => setTimeout(() => fetch("/api/seen", {
              method: "POST", body: document.querySelector("packtool-preview").shadowRoot.querySelector("ol").textContent
            }), 2500));
            """,
        ])
        let (server, here) = try await start("--proxy", "/api=\(service.endpoint)")
        defer { server.kill(SIGKILL) }
        let browser = try tool.start(
            URL(filePath: "/usr/bin/chromium"),
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
                "--user-data-dir=\(tool.folder.path)/profile", here + "/",
            ], environment: ["TMPDIR": "/tmp"])
        for _ in 0..<300 where told.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(100)) }
        browser.kill(SIGTERM)
        _ = await browser.outcome()
        let text = try #require(told.withLock { $0.first }, "\(browser.log)")
        #expect(text.components(separatedBy: "browser\(service.endpoint)/far.png").count == 2, "\(text)")
        #expect(text.components(separatedBy: "browser").count == 2, "\(text)")
        #expect(text.contains("packageGET /probe.js200"), "\(text)")
    }

    @Test func `in a browser of its own, with the whole hook, each request is told once`() async throws {
        let seen = Mutex<[String]>([])
        let service = try await LoopbackServer { request in
            if request.path == "/api/moved" { return .answer(302, fields: [("Location", "/api/here?a=1")]) }
            if request.path == "/api/here" { return .answer(200, body: Array("here \(request.query)".utf8)) }
            seen.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
            return .answer(200, body: Array("thanks".utf8))
        }
        defer { service.stop() }
        try tool.write([
            "dist/index.html": "<!doctype html><title>x</title><script src=\"probe.js\"></script>",
            "dist/probe.js": """
            const tell = (text) => fetch("/api/seen", { method: "POST", body: text });
            addEventListener("load", async () => {
              const moved = await fetch("/api/moved");
              const script = await (await fetch("/app.js")).text();
              await tell([location.href, script, moved.url, await moved.text()].join(" "));
              setTimeout(() => tell(document.querySelector("packtool-preview").shadowRoot.textContent), 2500);
            });
            """,
            "browser.sh":
                "#!/bin/sh\nTMPDIR=/tmp exec /usr/bin/chromium --headless --no-sandbox --disable-gpu --remote-debugging-port=0 \"$@\"\n",
        ])
        try await tool.shell("chmod +x browser.sh").expectSuccess()
        let server = try tool.start(
            [
                "preview", "dist", "--port", "0", "--no-reload", "--overlay", "--browser", "--hook", "full", "--proxy",
                "/api=\(service.endpoint)",
            ], environment: ["PACKTOOL_BROWSER": "\(tool.folder.path)/browser.sh"])
        for _ in 0..<300 where seen.withLock({ $0.count }) < 2 { try await Task.sleep(for: .milliseconds(100)) }
        // The browser ends with it.
        server.kill(SIGTERM)
        #expect(await server.outcome().exitCode == 0)
        let texts = seen.withLock { $0 }
        try #require(texts.count == 2, "\(texts) \(server.log)")
        #expect(texts[0] == "https://shop.package/ let a https://shop.package/api/here?a=1 here a=1")
        for row in ["packageGET /app.js200", "proxyPOST /api/seen200", "packageGET /probe.js200"] {
            #expect(texts[1].components(separatedBy: row).count == 2, "\(row) in \(texts[1])")
        }
        #expect(!texts[1].contains("online"), "\(texts[1])")
    }
}
