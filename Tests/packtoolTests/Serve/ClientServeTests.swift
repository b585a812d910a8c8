import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `packtool client serve` as a browser meets it.
struct ClientServeTests {
    private func get(_ url: String, _ headers: [String: String] = [:], post body: String? = nil) async throws -> (
        String, HTTPURLResponse
    ) {
        var request = URLRequest(url: try #require(URL(string: url)))
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body {
            request.httpMethod = "POST"
            request.httpBody = Data(body.utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
    }

    @Test func `a page confirms itself by the hook, and the last page is explained`() async throws {
        let tool = try Tool()
        #expect(try await tool.run("init", "--template", "config").exitCode == 0)
        try tool.write(["dist/index.html": "<!doctype html><title>shop</title>", "dist/app.js": "1"])
        for arguments in [
            ["build", "dist", "--package", "shop", "--package-version", "1.0.0", "--out", "packages"],
            ["publish", "packages/shop-1.0.0.zip", "--channel", "beta"],
            ["client", "update", "--store", "device", "--channel", "beta"],
        ] {
            let outcome = try await tool.run(arguments)
            try #require(outcome.exitCode == 0, "\(outcome)")
        }
        let device = ["--store", "device", "--channel", "beta"]
        let none = try await tool.run(["client", "explain", "--last-page"] + device)
        #expect(none.exitCode == 1)
        #expect(none.standardError.contains("no page was loaded"))

        let server = try tool.start(["client", "serve", "--port", "0"] + device)
        let line = try #require(await server.line(holding: "http://127.0.0.1:"), "it did not start")
        let base = try String(#require(line.firstMatch(of: /http:\/\/127.0.0.1:[0-9]+/)).output)
        // The address that works for sites with paths from the root, and what the other one says to those.
        let port = try #require(base.split(separator: ":").last)
        let address = try #require(try await server.line(holding: "shop 1.0.0"))
        #expect(address == "http://shop.package.localhost:\(port)/  shop 1.0.0")
        let own = try await get(base + "/app.js", ["Host": "shop.package.localhost:\(port)"])
        #expect(own.0 == "1" && own.1.statusCode == 200)
        let astray = try await get(base + "/assets/app.js", ["Referer": base + "/shop/"])
        #expect(
            astray.1.statusCode == 404 && astray.0.contains("http://shop.package.localhost:\(port)/"), "\(astray.0)")
        #expect(try await !tool.run(["client", "status"] + device).standardOutput.contains("assets"))
        #expect(try await get(base + "/").0 == "http://shop.package.localhost:\(port)/  1.0.0\n\n")
        // A program gets the file's bytes; a browser's page has the hook behind the document type.
        #expect(try await get(base + "/shop/").0 == "<!doctype html><title>shop</title>")
        let page = try await get(base + "/shop/", ["Sec-Fetch-Dest": "document", "Accept": "text/html"]).0
        let source = try #require(page.firstMatch(of: /^<!doctype html><script src="(.*?)"><\/script><title>shop/))
        let script = try await get(base + source.1.replacing("&amp;", with: "&"))
        #expect(script.1.value(forHTTPHeaderField: "Content-Type") == "text/javascript; charset=utf-8")
        let token = try #require(script.0.firstMatch(of: /"token":"([^"]+)"/)).1
        #expect(
            try await get(base + "/shop/app.js", ["Referer": base + "/shop/", "Sec-Fetch-Dest": "script"]).0 == "1")
        #expect(
            try await get(base + "/shop/nothing.js", ["Referer": base + "/shop/", "Sec-Fetch-Dest": "script"])
                .1.statusCode == 404)

        let message =
            #"{"v":1,"type":"confirm","package":"shop","version":"1.0.0","token":"\#(token)"}"#
        // Another site that points its own name at this machine gets neither pages nor the bridge.
        for host in [
            "evil.test:\(port)", "shop.package.evil.test:\(port)", "127.0.0.1:\(port)@evil.test", "127.0.0.1@evil.test",
            "[::1]evil.test", "127.0.0.1:x",
        ] {
            #expect(try await get(base + "/shop/", ["Host": host]).1.statusCode == 421)
            let asked = try await get(base + "/-/bridge", ["Host": host, "Origin": "http://" + host], post: message)
            #expect(asked.1.statusCode == 421)
        }
        let foreign = try await get(base + "/-/bridge", ["Origin": "https://evil.test"], post: message)
        #expect(foreign.1.statusCode == 403)
        #expect(try await get(base + "/-/bridge", ["Origin": base], post: message).0 == "{}")
        let status = try await tool.run(["client", "status", "--json"] + device)
        #expect(status.standardOutput.contains("\"confirmed\": true"), "\(status)")

        try await Task.sleep(for: .milliseconds(500))
        let explained = try await tool.run(["client", "explain", "--last-page"] + device)
        #expect(explained.exitCode == 0, "\(explained)")
        let lines = explained.standardOutput.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasSuffix("with shop 1.0.0") == true)
        #expect(
            lines.contains { $0.hasPrefix("local   200") && $0.hasSuffix("/app.js  (installed: app.js)") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("missed  404") && $0.contains("notInVersion") }, "\(lines)")
        server.kill(SIGTERM)
        #expect(await server.outcome().exitCode == 0)
    }
}
