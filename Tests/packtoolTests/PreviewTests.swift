import Foundation
import PackJSON
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `packtool preview` as a browser meets it.
struct PreviewTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.write([
            "packtool.json": #"{"package": "shop", "headers": {"content-security-policy": "default-src 'self'"}}"#,
            "dist/index.html": "<h1>one</h1>", "dist/orders/index.html": "<h1>orders</h1>", "dist/app.js": "let a",
            "dist/app.js.map": "{}",
        ])
    }

    private func start(reloads: Bool) async throws -> (RunningTool, String) {
        let server =
            try reloads
            ? tool.start("preview", "dist", "--port", "0")
            : tool.start("preview", "dist", "--port", "0", "--no-reload")
        let line = try #require(await server.line(holding: "http://localhost:"), "it did not start")
        return (server, try String(#require(line.firstMatch(of: /http:\/\/localhost:[0-9]+\//)).output))
    }

    private func get(_ url: String, _ headers: [String: String] = [:]) async throws -> (String, HTTPURLResponse) {
        var request = URLRequest(url: try #require(URL(string: url)))
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
    }

    @Test func `a folder is served as the installed package`() async throws {
        let (server, url) = try await start(reloads: false)
        let (page, answer) = try await get(url)
        #expect(page == "<h1>one</h1>")
        #expect(answer.value(forHTTPHeaderField: "Content-Type") == "text/html; charset=utf-8")
        #expect(answer.value(forHTTPHeaderField: "Content-Security-Policy") == "default-src 'self'")
        #expect(try await get(url + "orders").0 == "<h1>orders</h1>")
        let (part, range) = try await get(url + "app.js", ["Range": "bytes=-1"])
        #expect(part == "a")
        #expect(range.statusCode == 206)
        let tag = try #require(range.value(forHTTPHeaderField: "ETag"))
        #expect(try await get(url + "app.js", ["If-None-Match": tag]).1.statusCode == 304)
        #expect(try await get(url + "app.js.map").1.statusCode == 404)
        #expect(try await server.line(holding: "missed   GET https://shop.package/app.js.map") != nil)
        #expect(try await get(url + "%2e%2e/packtool.json").1.statusCode == 404)
        #expect(try await get(url, ["Host": "attacker.example"]).1.statusCode == 421)
        server.kill(SIGTERM)
        #expect(await server.outcome().exitCode == 0)
    }

    @Test func `a package with a service worker is told an origin of its own`() async throws {
        try tool.write(["packtool.json": #"{"package": "shop", "serviceWorker": true}"#])
        let (server, url) = try await start(reloads: false)
        let line = try #require(await server.line(holding: "An origin of its own has http://shop.package.localhost:"))
        let own = try String(#require(line.firstMatch(of: /shop\.package\.localhost:[0-9]+/)).output)
        #expect(try await get(url, ["Host": own]).0 == "<h1>one</h1>")
        server.kill(SIGTERM)
        #expect(await server.outcome().exitCode == 0)
    }

    @Test func `a change in the folder is what the next page gets, and pages are told to reload`() async throws {
        let (server, url) = try await start(reloads: true)
        let (page, _) = try await get(url, ["Accept": "text/html"])
        #expect(page == "<script src=\"/-/reload.js\"></script><script src=\"/-/hook.js\"></script><h1>one</h1>")
        let generation = try await get(url + "-/generation").0
        #expect(try await get(url + "-/generation").0 == generation)
        try tool.write(["dist/index.html": "<h1>two, and longer</h1>"])
        #expect(try await get(url + "-/generation").0 != generation)
        #expect(try await get(url, ["Accept": "text/html"]).0.hasSuffix("<h1>two, and longer</h1>"))
        #expect(
            try await get(url + "-/reload.js").1.value(forHTTPHeaderField: "Content-Type")
                == "text/javascript; charset=utf-8")
        server.kill(SIGTERM)
        #expect(await server.outcome().exitCode == 0)
    }

    @Test func `a folder that is no site is refused with the reason`() async throws {
        try tool.write(["empty/readme.txt": "x"])
        let outcome = try await tool.run("preview", "empty", "--port", "0")
        #expect(outcome.exitCode == 1)
        #expect(outcome.standardError.contains("index.html"))
    }

    @Test func `the overlay tells where requests were answered, and switches the network off`() async throws {
        let service = try await LoopbackServer { request in .answer(200, body: Array("answer to \(request.path)".utf8))
        }
        let server = try tool.start(
            "preview", "dist", "--port", "0", "--no-reload", "--overlay", "--proxy", "/api=\(service.endpoint)")
        defer { server.kill(SIGKILL) }
        let line = try #require(await server.line(holding: "http://localhost:"))
        let url = try String(#require(line.firstMatch(of: /http:\/\/localhost:[0-9]+\//)).output)
        let page = try await get(url, ["Accept": "text/html"]).0
        let key = try #require(page.firstMatch(of: /overlay\.js\?page=([0-9A-F-]{36})"/)).output.1
        #expect(page == "<script src=\"/-/overlay.js?page=\(key)\"></script><h1>one</h1>")
        #expect(try await get(url + "-/overlay.js").0.contains("packtool-preview"))
        #expect(try await get(url + "api/x?y=1").0 == "answer to /api/x")
        _ = try await get(url + "lost.js")
        func told(after number: Int = 0) async throws -> (String, [String]) {
            let answer = try await JSONValue(parsing: Array(get(url + "-/requests?after=\(number)").0.utf8)).object()
            let entries = try answer.array("requests").map { try $0.object() }
            return try (
                answer.string("network"),
                entries.map {
                    try "\($0.string("by")) \($0.string("method")) \($0.string("path")) \($0.integer("status"))"
                }
            )
        }
        #expect(
            try await told() == (
                "normal", ["package GET / 200", "proxy GET /api/x?y=1 200", "missed GET /lost.js 404"]
            ))
        func set(_ mode: String, origin: String?) async throws -> Int {
            let header = origin.map { "-H 'Origin: \($0)'" } ?? ""
            let answer = try await tool.shell(
                "curl -s -o /dev/null -w '%{http_code}' \(header) -d \(mode) \(url)-/network")
            return Int(answer.standardOutput) ?? 0
        }
        #expect(try await set("offline", origin: nil) == 403)
        #expect(try await set("offline", origin: "http://attacker.example") == 403)
        #expect(try await set("sometimes", origin: String(url.dropLast())) == 400)
        #expect(try await set("offline", origin: String(url.dropLast())) == 200)
        // The request fails as it would without a network; the package's own files are there.
        await #expect(throws: URLError.self) { try await get(url + "api/z") }
        #expect(try await get(url + "app.js").0 == "let a")
        #expect(try await told(after: 3) == ("offline", ["offline GET /api/z 0", "package GET /app.js 200"]))
        #expect(try await set("slow", origin: String(url.dropLast())) == 200)
        let begun = ContinuousClock.now
        #expect(try await get(url + "api/w").0 == "answer to /api/w")
        #expect(ContinuousClock.now - begun >= .milliseconds(500))
    }

    @Test(arguments: [false, true])
    func `a browser shows the overlay under the page's own policy, and switches the network on again`(
        withHook: Bool
    ) async throws {
        let seen = Mutex<[String]>([])
        let service = try await LoopbackServer { request in
            if request.path == "/api/seen" {
                seen.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
            }
            // Another origin has to allow it, as without the hook.
            return .answer(200, fields: [("Access-Control-Allow-Origin", "*")], body: Array("thanks".utf8))
        }
        // The hook asks the service itself; without it the preview's proxy does.
        let api = withHook ? "\(service.endpoint)/api" : "/api"
        // The page presses the button as a person would, and says what the overlay shows.
        try tool.write([
            "dist/index.html": "<!doctype html><title>x</title><script src=\"probe.js\"></script>",
            "dist/probe.js": """
            const shown = () => document.querySelector("packtool-preview").shadowRoot;
            const tell = (text) => fetch("\(api)/seen", { method: "POST", body: text });
            setTimeout(async () => {
              await tell(shown().querySelector("summary").textContent);
              shown().querySelector("button[value=offline]").click();
              setTimeout(() => fetch("\(api)/lost").catch(() => shown().querySelector("button[value=normal]").click()), 500);
              setTimeout(() => tell(shown().textContent), 2500);
            }, 1500);
            """,
        ])
        let server = try tool.start(
            ["preview", "dist", "--port", "0", "--no-reload", "--overlay", "--proxy", "/api=\(service.endpoint)"]
                + (withHook ? ["--hook", "full"] : []))
        defer { server.kill(SIGKILL) }
        let line = try #require(await server.line(holding: "http://localhost:"))
        let url = try String(#require(line.firstMatch(of: /http:\/\/localhost:[0-9]+\//)).output)
        let browser = try tool.start(
            URL(fileURLWithPath: "/usr/bin/chromium"),
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=profile", "--remote-debugging-port=0",
                url,
            ])
        defer { browser.kill(SIGKILL) }
        for _ in 0..<300 where seen.withLock({ $0.count }) < 2 { try await Task.sleep(for: .milliseconds(100)) }
        let texts = seen.withLock { $0 }
        try #require(texts.count == 2, "\(texts)")
        #expect(texts[0].hasPrefix("shop 0.0.0") && texts[0].contains(" package"), "\(texts[0])")
        #expect(texts[1].contains("1 offline") && texts[1].contains("/api/lost"), "\(texts[1])")
        #expect(!texts[1].contains("/api/lost200"))
        // What the overlay asks for is none of the page's requests.
        #expect(!texts[1].contains("/-/"), "\(texts[1])")
    }

    @Test func `in a browser of its own the package has its address of a device`() async throws {
        let seen = Mutex<[String]>([])
        let service = try await LoopbackServer { request in
            seen.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
            return .answer(200, body: Array("thanks".utf8))
        }
        try tool.write([
            "dist/index.html": "<!doctype html><title>x</title><script src=\"probe.js\"></script>",
            "dist/probe.js": """
            addEventListener("load", async () => {
              document.cookie = "basket=3; Secure";
              const other = await fetch("/app.js").then((answer) => answer.text());
              const words = [location.href, isSecureContext, document.cookie, other];
              await fetch("/api/seen", { method: "POST", body: words.join(" ") });
              packtool.confirm();
            });
            """,
        ])
        // Root has to say so, and there is no screen.
        try tool.write([
            "browser.sh":
                "#!/bin/sh\necho $$ >browser.pid\nTMPDIR=/tmp exec /usr/bin/chromium --headless --no-sandbox --disable-gpu --remote-debugging-port=0 \"$@\"\n"
        ])
        try await tool.shell("chmod +x browser.sh && mkdir temporary").expectSuccess()
        let profile = "ls -d temporary/packtool-*/*/packtool-browser.log"
        let server = try tool.start(
            ["preview", "dist", "--port", "0", "--browser", "--hook", "off", "--proxy", "/api=\(service.endpoint)"],
            environment: [
                "PACKTOOL_BROWSER": "\(tool.folder.path)/browser.sh", "TMPDIR": "\(tool.folder.path)/temporary",
            ])
        defer {
            server.kill(SIGKILL)
            if let text = try? String(contentsOf: tool.folder.appendingPathComponent("browser.pid"), encoding: .utf8),
                let browser = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
            {
                kill(browser, SIGKILL)
            }
        }
        #expect(try await server.line(holding: "in a browser of its own: https://shop.package/") != nil)
        #expect(try await server.line(holding: "confirmed  shop 0.0.0") != nil)
        #expect(seen.withLock { $0 } == ["https://shop.package/ true basket=3 let a"])
        try await tool.shell(profile).expectSuccess()
        server.kill(SIGTERM)
        #expect(await server.outcome().exitCode == 0)
        #expect(try await tool.shell("kill -0 $(cat browser.pid)").exitCode != 0)
        #expect(try await tool.shell(profile).exitCode != 0)
    }

    @Test func `a browser that ends is said with its own words, and the preview goes on`() async throws {
        try tool.write(["broken.sh": "#!/bin/sh\necho no screen here >&2\nexit 3\n"])
        try await tool.shell("chmod +x broken.sh").expectSuccess()
        let server = try tool.start(
            ["preview", "dist", "--port", "0", "--browser"],
            environment: ["PACKTOOL_BROWSER": "\(tool.folder.path)/broken.sh"])
        defer { server.kill(SIGKILL) }
        #expect(try await server.line(holding: "broken.sh ended with status 3") != nil)
        #expect(server.log.contains("no screen here"), "\(server.log)")
        let line = try #require(await server.line(holding: "http://localhost:"))
        let url = try String(#require(line.firstMatch(of: /http:\/\/localhost:[0-9]+\//)).output)
        #expect(try await get(url).0.contains("<h1>one</h1>"))
        server.kill(SIGHUP)
        #expect(await server.outcome().exitCode == 0)
    }

    @Test func `a browser that is not there is said before anything is served`() async throws {
        let outcome = try await tool.run(
            "preview", "dist", "--port", "0", "--browser", environment: ["PACKTOOL_BROWSER": "no-such-browser"])
        expectClearError(outcome, naming: ["PACKTOOL_BROWSER", "no-such-browser"])
    }

    @Test func `a phone comes in by the code that a scanner reads, and nobody else of the network`() async throws {
        let server = try tool.start("preview", "dist", "--port", "0", "--no-reload", "--phone", "--hook", "off")
        defer { server.kill(SIGKILL) }
        let line = try #require(await server.line(holding: "on a phone: http://"), "it did not start")
        let invitation = String(try #require(line.firstMatch(of: /http:[^ ]+/)).output)
        let base = String(try #require(invitation.firstMatch(of: /http:\/\/[0-9.:]+/)).output)
        // The picture of the terminal as pixels, eight for each module, for zbar.
        let rows = server.lines.filter { $0.contains { "█▀▄".contains($0) } }
        try tool.write(["code.txt": rows.joined(separator: "\n")])
        try tool.write([
            "pixels.py": """
            rows = open("code.txt").read().split("\\n")
            lines = []
            for row in rows:
                for upper in (True, False):
                    light = {"█": (1, 1), "▀": (1, 0), "▄": (0, 1), " ": (0, 0)}
                    cells = [light[c][0 if upper else 1] for c in row]
                    lines += [" ".join("0" if cell else "1" for cell in cells for _ in range(8))] * 8
            print("P1", len(lines[0].split()), len(lines))
            print("\\n".join(lines))
            """
        ])
        let read = try await tool.shell("python3 pixels.py > code.pbm; zbarimg --quiet --raw code.pbm").expectSuccess()
        #expect(read.standardOutput == invitation + "\n")

        func status(_ url: String, _ flags: String = "") async throws -> String {
            try await tool.shell("curl -s -o answer -w '%{http_code}' \(flags) '\(url)'").standardOutput
        }
        #expect(try await status(base + "/") == "403")
        #expect(try await status(base + "/-/phone/" + String(repeating: "0", count: 64)) == "403")
        #expect(try await status(base + "/", "-H 'Cookie: packtool-preview=0'") == "403")
        // Whoever says a local name from elsewhere is not local.
        for name in ["localhost", "127.0.0.1", "shop.package"] {
            #expect(try await status(base + "/", "-H 'Host: \(name)'") == "403")
            #expect(
                try await status(base + "/-/bridge", "-d '{}' -H 'Host: \(name)' -H 'Origin: http://\(name)'") == "403")
        }
        #expect(try await status(invitation, "-c jar") == "303")
        #expect(try await status(base + "/", "-b jar") == "200")
        #expect(try String(decoding: tool.read("answer"), as: UTF8.self) == "<h1>one</h1>")
        // By another name, as a page of somebody else would: with the cookie too it is refused.
        #expect(try await status(base + "/", "-b jar -H 'Host: attacker.example'") == "403")
    }
}
