import AttackSupport
import Foundation
import PackJSON
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A package that is not installed is opened while the mirror is the attacker's, with and without the registry's online
/// key: no byte that its publisher did not sign reaches a page. The same in web views is in PackKioskTests.
struct OnDemandAttackTests {
    @Test(arguments: MirrorLie.allCases)
    func `client serve shows no byte that nobody signed`(lie: MirrorLie) async throws {
        let scene = try await AttackScene()
        let mirror = try await scene.mirror()
        try lie.tell(in: mirror, of: scene.tool.folder.appendingPathComponent(".packtool/registry"), channel: "beta")
        let server = try scene.tool.start(
            "client", "serve", "--port", "0", "--store", "fresh", "--root", ".packtool/root.json", "--channel", "beta",
            "--registry", mirror.url, "--timeout", "1")
        let base = try await serving(server)
        for (path, destination) in [("", "document"), ("app.js", "script"), ("index.html", "empty"), ("", "iframe")] {
            let (status, body, headers) = try await get(base + "/shop/" + path, destination)
            #expect((500...504).contains(status), "\(status) \(body)")
            #expect(!body.contains("evil"), "\(body)")
            #expect(headers["Location"] == nil)
            // What is not there, and why.
            #expect(body.contains("shop"), "\(body)")
        }
        let listing = try scene.tool.listing("fresh")
        #expect(listing.keys.filter { $0.hasPrefix("objects/") || $0.hasPrefix("unzipFiles/") } == [])
        server.kill(SIGTERM)
    }

    @Test func `opened from an honest mirror it is installed while it is used, and works without it`() async throws {
        let scene = try await AttackScene()
        let mirror = try await scene.mirror()
        // The registry's copy for browsers is no way into a device, whatever it says.
        try mirror.write(Array(MirrorLie.evil.utf8), to: "site/shop/1.0.0/index.html")
        let server = try scene.tool.start(
            "client", "serve", "--port", "0", "--store", "fresh", "--root", ".packtool/root.json", "--channel", "beta",
            "--registry", mirror.url)
        let base = try await serving(server)
        let (status, page, _) = try await get(base + "/shop/", "empty")
        #expect(status == 200 && page == AttackScene.page("1.0.0"))
        let (_, _, headers) = try await get(base + "/shop/", "document")
        let token = try #require(headers["Set-Cookie"]?.firstMatch(of: /packtool-load=([^;]+)/)).1
        var confirm = URLRequest(
            url: try #require(URL(string: base + "/-/confirm?package=shop&version=1.0.0&token=\(token)")))
        confirm.httpMethod = "POST"
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        let answer = try await session.data(for: confirm).1 as? HTTPURLResponse
        #expect(answer?.statusCode == 204)
        let deadline = ContinuousClock.now + .seconds(20)
        while try !scene.tool.read("fresh/state.json").contains(Data("\"confirmed\": true".utf8)),
            ContinuousClock.now < deadline
        {
            try await Task.sleep(for: .milliseconds(100))
        }
        server.kill(SIGTERM)
        _ = await server.outcome()
        try FileManager.default.removeItem(at: mirror.folder)
        let status2 = try await scene.run("client", "status", "--store", "fresh", "--json", "--channel", "beta")
        let shop = try status2.json().object().object("packages").object("shop")
        #expect(try shop.string("active") == "1.0.0")
        let offline = try scene.tool.start(
            "client", "serve", "--port", "0", "--store", "fresh", "--channel", "beta", "--registry", mirror.url)
        let again = try await serving(offline)
        #expect(try await get(again + "/shop/", "empty").body == AttackScene.page("1.0.0"))
        #expect(try await get(again + "/shop/app.js", "script").body.hasPrefix("step(0, '1.0.0');"))
        offline.kill(SIGTERM)
    }

    private func serving(_ server: RunningTool) async throws -> String {
        let line = try #require(await server.line(holding: "http://127.0.0.1:"), "it did not start")
        return try String(#require(line.firstMatch(of: /http:\/\/127.0.0.1:[0-9]+/)).output)
    }

    /// Follows no redirect.
    private func get(
        _ url: String, _ destination: String
    ) async throws -> (status: Int, body: String, headers: [String: String]) {
        let outcome = try await Tool().run(
            URL(fileURLWithPath: "/usr/bin/curl"),
            ["-sS", "-i", "--max-time", "60", "-H", "Sec-Fetch-Dest: \(destination)", url], environment: [:])
        let parts = outcome.standardOutput.components(separatedBy: "\r\n\r\n")
        let lines = parts[0].components(separatedBy: "\r\n")
        let status = try #require(
            lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }, "\(outcome)")
        let headers = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        return (status, parts.dropFirst().joined(separator: "\r\n\r\n"), Dictionary(headers) { $1 })
    }
}
