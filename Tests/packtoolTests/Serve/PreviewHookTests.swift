import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `packtool preview --hook` as a browser and its pages meet it.
struct PreviewHookTests {
    private let tool: Tool
    private static let element = "<script src=\"/-/hook.js\"></script>"

    /// Pages by name: what stands before the hook's element, and what after it.
    private static let pages: [String: (before: String, after: String)] = [
        "index": ("<!doctype html><html lang=\"en\"><head>", "<title>x</title></head><body>"),
        "bare": ("", "<h1>one</h1>"), "empty": ("", ""), "text": ("", "only text"),
        "mark": ("\u{FEFF}<!DOCTYPE html>", "\n<p>"), "upper": ("<!DOCTYPE HTML>\n<HTML>\r\n<HEAD >", "<p>"),
        "comments": ("<!-- a > b --> <!doctype html><!----><html>", " <body>"),
        "open": ("<!doctype html>", "<!-- never closed <head>"), "header": ("<html>", "<header>not a head</header>"),
        "quoted": ("<html data-a='>' data-b=\">\" c>", "<p>"), "unclosed": ("", "<html lang=\"en"),
        "script": ("<!doctype html>", "<script>let head = '<head>'</script>"), "instruction": ("", "<?xml ?><html>"),
    ]

    init() throws {
        tool = try Tool()
        var files = ["packtool.json": #"{"package": "shop"}"#, "dist/app.js": "let a", "dist/data.json": #"{"a":1}"#]
        for (name, page) in Self.pages { files["dist/\(name).html"] = page.before + page.after }
        try tool.write(files)
    }

    private func start(_ arguments: String...) async throws -> (RunningTool, String) {
        let server = try tool.start(["preview", "dist", "--port", "0"] + arguments)
        let line = try #require(await server.line(holding: "http://localhost:"), "it did not start")
        return (server, try String(#require(line.firstMatch(of: /http:\/\/localhost:[0-9]+\//)).output))
    }

    private func get(_ url: String, _ headers: [String: String] = [:], post body: String? = nil) async throws -> (
        text: String, answer: HTTPURLResponse
    ) {
        var request = URLRequest(url: try #require(URL(string: url)))
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body {
            request.httpMethod = "POST"
            request.httpBody = Data(body.utf8)
        }
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
    }

    private func message(_ fields: String) -> String { #"{"v":1,\#(fields)}"# }

    private func request(_ id: String, _ url: String, _ more: String = "") -> String {
        message(
            #""type":"request","id":"\#(id)","method":"GET","url":"\#(url)","headers":[["accept","*/*"]],"#
                + #""mode":"cors","credentials":"same-origin","redirect":"follow","referrer":""\#(more)"#)
    }

    @Test func `the hook stands before anything of the page and behind its document type`() async throws {
        let (server, url) = try await start("--hook", "off", "--no-reload")
        for (name, page) in Self.pages.sorted(by: { $0.key < $1.key }) {
            let (text, answer) = try await get(url + name, ["Accept": "text/html"])
            let expected = page.before + Self.element + page.after
            #expect(text == expected, "\(name)")
            #expect(answer.value(forHTTPHeaderField: "Content-Length") == "\(expected.utf8.count)", "\(name)")
            #expect(answer.value(forHTTPHeaderField: "Accept-Ranges") == "none")
        }
        // What is no page, what is no whole page, and what a program fetches are the file.
        #expect(try await get(url + "app.js", ["Accept": "text/html"]).text == "let a")
        #expect(try await get(url + "index.html").text == Self.pages["index"].map { $0.before + $0.after })
        #expect(try await get(url + "none", ["Accept": "text/html"]).answer.statusCode == 404)
        let (part, range) = try await get(url + "bare", ["Accept": "text/html", "Range": "bytes=0-3"])
        #expect(range.statusCode == 206)
        #expect(part == "<h1>")
        server.kill(SIGTERM)
        #expect(await server.outcome().exitCode == 0)
    }

    @Test func `a page with the hook has a tag of its own`() async throws {
        let (server, url) = try await start("--hook", "off", "--no-reload")
        let page = try #require(
            await get(url, ["Accept": "text/html"]).answer.value(forHTTPHeaderField: "ETag"))
        let file = try #require(await get(url).answer.value(forHTTPHeaderField: "ETag"))
        #expect(page != file)
        #expect(try await get(url, ["Accept": "text/html"]).answer.value(forHTTPHeaderField: "ETag") == page)
        server.kill(SIGTERM)
        #expect(await server.outcome().exitCode == 0)
    }

    @Test(arguments: ["off", "full"])
    func `the script has the strategy and the load, and its bridge takes a confirmation`(option: String) async throws {
        let (server, url) = try await start("--hook", option)
        let (script, answer) = try await get(url + "-/hook.js")
        #expect(answer.value(forHTTPHeaderField: "Content-Type") == "text/javascript; charset=utf-8")
        #expect(answer.value(forHTTPHeaderField: "Cache-Control") == "no-store")
        let configuration = try #require(script.range(of: ")({", options: .backwards)).upperBound
        let text = "{" + String(script[configuration...].prefix { $0 != ")" })
        let values = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(values["strategy"] as? String == option)
        #expect((values["endpoint"] as? String)?.hasSuffix("/-/bridge") == true)
        #expect(values["forms"] as? Bool == false)
        #expect((values["load"] as? [String: String])?["package"] == "shop")
        let version = try #require((values["load"] as? [String: String])?["version"])

        let confirm = message(#""type":"confirm","package":"shop","version":"\#(version)","token":"preview""#)
        for origin in ["https://evil.test", "null", "http://localhost:1"] {
            #expect(
                try await get(url + "-/bridge", ["Origin": origin], post: confirm).answer.statusCode == 403, "\(origin)"
            )
        }
        #expect(try await get(url + "-/bridge", post: confirm).answer.statusCode == 403)
        #expect(try await get(url + "-/bridge", ["Origin": String(url.dropLast())]).answer.statusCode == 403)
        #expect(try await get(url + "-/bridge", ["Origin": String(url.dropLast())], post: confirm).text == "{}")
        #expect(try await server.line(holding: "confirmed  shop \(version)") != nil)
        server.kill(SIGTERM)
        #expect(await server.outcome().exitCode == 0)
    }

    @Test func `full hand-over performs a page's requests by the rules for other origins`() async throws {
        let (server, url) = try await start("--hook", "full")
        let (other, otherURL) = try await start("--hook", "off")
        let own = ["Origin": String(url.dropLast())]
        let nonce = String(repeating: "a", count: 32)
        func events(_ number: Int, _ address: String) async throws -> String {
            let id = "\(nonce).\(number)"
            #expect(try await get(url + "-/bridge", own, post: request(id, address)).text == "{}")
            var text = ""
            while !text.contains(#""end":true"#), !text.contains(#""error":{"#) {
                text += try await get(url + "-/bridge", own, post: message(#""type":"read","id":"\#(id)""#)).text
            }
            return text
        }
        let found = try await events(1, url + "data.json")
        #expect(found.contains(Data(#"{"a":1}"#.utf8).base64EncodedString()), "\(found)")
        #expect(found.contains(#""type":"basic""#))
        let missing = try await events(2, url + "none.json")
        #expect(missing.contains(#""status":404"#))
        // Another server of this machine has not agreed to be read.
        let foreign = try await events(3, otherURL + "data.json")
        #expect(foreign.contains(#""name":"network""#), "\(foreign)")
        #expect(try await server.line(holding: "online   GET \(otherURL)data.json") != nil)
        for server in [server, other] {
            server.kill(SIGTERM)
            #expect(await server.outcome().exitCode == 0)
        }
    }

    @Test func `without the option there is no hook`() async throws {
        let (server, url) = try await start("--no-reload")
        #expect(try await get(url, ["Accept": "text/html"]).text == Self.pages["index"].map { $0.before + $0.after })
        #expect(try await get(url + "-/hook.js").answer.statusCode == 404)
        #expect(try await get(url + "-/bridge", post: "{}").answer.statusCode == 404)
        server.kill(SIGTERM)
        #expect(await server.outcome().exitCode == 0)
    }
}
