import Foundation
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

    @Test func `a change in the folder is what the next page gets, and pages are told to reload`() async throws {
        let (server, url) = try await start(reloads: true)
        let (page, _) = try await get(url, ["Accept": "text/html"])
        #expect(page == "<h1>one</h1><script src=\"/-/reload.js\"></script>\n")
        let generation = try await get(url + "-/generation").0
        #expect(try await get(url + "-/generation").0 == generation)
        try tool.write(["dist/index.html": "<h1>two, and longer</h1>"])
        #expect(try await get(url + "-/generation").0 != generation)
        #expect(try await get(url, ["Accept": "text/html"]).0.hasPrefix("<h1>two, and longer</h1>"))
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
}
