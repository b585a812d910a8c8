import Foundation
import PackJSON
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Groups of devices, from a file of ids to what a device installs and a server answers.
struct GroupCommandTests {
    private func publish(_ tool: Tool, _ version: String, _ more: String...) async throws {
        try tool.write(["dist/index.html": "<title>\(version)</title>"])
        try await tool.run(
            "build", "dist", "--package", "shop", "--package-version", version, "--out", "packages"
        ).expectSuccess()
        try await tool.run(["publish", "packages/shop-\(version).zip", "--channel", "beta"] + more).expectSuccess()
    }

    private func installed(_ tool: Tool, _ device: String) async throws -> String {
        let update = try await tool.run(
            "client", "update", "--store", "store-\(device)", "--channel", "beta", "--root", ".packtool/root.json",
            "--device", device)
        try #require([0, 2].contains(update.exitCode), "\(update)")
        let status = try await tool.run("client", "status", "--store", "store-\(device)", "--json")
        return try status.json().object().object("packages").object("shop").string("active")
    }

    @Test func `a release for a group reaches its devices only, and the server says the same`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        try await publish(tool, "1.0.0")
        try tool.write([
            "ids.txt": "ann\n\n  bob \r\n", "more.txt": "carl\n", "windows.txt": "4f1c\r\nabcd\r\n",
            "spaced.txt": "ann # a tester\n",
            "many.txt": (0..<100_000).map { "d\($0)" }.joined(separator: "\n"),
        ])
        let misspelt = try await tool.run(
            "rollout", "shop", "--channel", "beta", "--audience", "group=testers", "--yes")
        expectClearError(misspelt, naming: ["beta has no group \"testers\"", "packtool group set testers"])
        let set = try await tool.run("group", "set", "testers", "--channel", "beta", "--file", "ids.txt")
        #expect(set.exitCode == 0 && set.standardOutput.contains("the group testers has 2 devices"), "\(set)")
        try await publish(tool, "1.1.0", "--audience", "group=testers")
        #expect(try await installed(tool, "ann") == "1.1.0")
        #expect(try await installed(tool, "bob") == "1.1.0")
        #expect(try await installed(tool, "carl") == "1.0.0")

        let server = try tool.start(["serve", "--port", "0"])
        let line = try #require(await server.line(holding: "http://127.0.0.1:"), "it did not start")
        let base = try String(#require(line.firstMatch(of: /http:\/\/127.0.0.1:[0-9]+/)).output)
        for (device, version) in [("ann", "1.1.0"), ("carl", "1.0.0")] {
            let url = try #require(URL(string: "\(base)/v1/update?channel=beta&package=shop&device=\(device)"))
            let (data, _) = try await URLSession.shared.data(from: url)
            #expect(try JSONValue(parsing: Array(data)).object("update").string("version") == version)
        }

        let before = try tool.listing(".packtool/registry/view/targets")
        let many = try await tool.run("group", "set", "crowd", "--channel", "beta", "--file", "many.txt")
        expectClearError(many, naming: ["many.txt", "100,000 devices", "at most 50,000"])
        let spaced = try await tool.run("group", "set", "crowd", "--channel", "beta", "--file", "spaced.txt")
        expectClearError(spaced, naming: ["spaced.txt, line 1", "no spaces"])
        let used = try await tool.run("group", "remove", "testers", "--channel", "beta")
        expectClearError(used, naming: ["releases of shop", "packtool rollout"])
        #expect(try tool.listing(".packtool/registry/view/targets") == before)
        let windows = try await tool.run("group", "set", "crowd", "--channel", "beta", "--file", "windows.txt")
        #expect(windows.exitCode == 0 && windows.standardOutput.contains("has 2 devices"), "\(windows)")
        try await tool.run("group", "remove", "crowd", "--channel", "beta").expectSuccess()
        #expect(try await tool.run("group", "list", "--channel", "beta").standardOutput.contains("testers  2 devices"))

        // Who leaves the group goes back to what everybody has.
        let fewer = try await tool.run("group", "set", "testers", "--channel", "beta", "--file", "more.txt")
            .expectSuccess()
        #expect(
            fewer.standardOutput.contains(
                ". At their next check devices that come into it get the releases that are for it, and those that are no longer in it leave them: shop"
            ),
            "\(fewer)")
        #expect(try await installed(tool, "carl") == "1.1.0")
        #expect(try await installed(tool, "ann") == "1.0.0")
        try await tool.run("rollout", "shop", "--channel", "beta", "--audience", "all").expectSuccess()
        try await tool.run("group", "remove", "testers", "--channel", "beta").expectSuccess()
        #expect(try await installed(tool, "ann") == "1.1.0")
        #expect(try await tool.run("group", "list", "--channel", "beta").standardOutput.contains("beta has no groups"))
    }
}
