import Foundation
import PackJSON
import Testing

/// `packtool import` of Capgo's lists, of a list that a person wrote, and of zips alone.
@Suite(.onFolder) struct ImportListTests {
    private static func project() async throws -> Tool {
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--quiet").expectSuccess()
        return tool
    }

    private static func page(_ text: String, in folder: String = "") -> [String: String] {
        ["\(folder)index.html": "<title>\(text)</title>", "\(folder)app.js": "// \(text)"]
    }

    @Test func `a Capgo app comes over with the version of each channel, and the hot fix that came after a higher one`()
        async throws
    {
        let tool = try await Self.project()
        try await tool.writeZips([
            "export/1.0.0.zip": Self.page("1.0.0"), "export/1.1.0.zip": Self.page("1.1.0", in: "dist/"),
            "export/1.0.1.zip": Self.page("1.0.1"), "export/2.0.0-beta.1.zip": Self.page("2.0.0-beta.1"),
        ])
        let digest = try await tool.shell("sha256sum export/1.1.0.zip | cut -d' ' -f1").standardOutput
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try tool.write([
            "export/bundles.json": """
            [{"app_id": "com.example.shop", "name": "2.0.0-beta.1", "created_at": "2024-05-04T10:00:00+00:00"},
             {"app_id": "com.example.shop", "name": "1.0.1", "created_at": "2024-05-03T10:00:00+00:00", "comment": "Fix"},
             {"app_id": "com.example.shop", "name": "1.1.0", "created_at": "2024-05-02T10:00:00+00:00",
              "checksum": "\(digest)"},
             {"app_id": "com.example.shop", "name": "1.0.0", "created_at": "2024-05-01T10:00:00.5+00:00"}]
            """,
            "export/channels.json": """
            [{"name": "production", "version": {"name": "1.0.1", "id": 3}},
             {"name": "beta", "version": {"name": "2.0.0-beta.1", "id": 4}}]
            """,
        ])
        let arguments = ["import", "export", "--from", "capgo", "--package", "shop", "--channel", "production"]
        try await tool.run(arguments).expectSuccess()
        let production = try await tool.overview(of: "shop", channel: "production")
        #expect(production.offers == ["1.0.1"])
        #expect(
            production.versions == [
                "1.0.0": "Capgo, 2024-05-01T10:00:00Z", "1.1.0": "Capgo, 2024-05-02T10:00:00Z",
                "1.0.1": "Capgo, 2024-05-03T10:00:00Z: Fix", "2.0.0-beta.1": "Capgo, 2024-05-04T10:00:00Z",
            ])
        #expect(try await tool.overview(of: "shop", channel: "beta").offers == ["2.0.0-beta.1"])
        let offers = try await tool.offers(on: "production")
        #expect(offers.count == 3 && offers[1].contains("1.1.0") && offers[2].contains("1.0.1"), "\(offers)")
        try await tool.run("client", "update", "--store", "device", "--channel", "production", "--package", "shop")
            .expectSuccess()
        #expect(try tool.listing("device").values.contains(Data("// 1.0.1".utf8)))
        let again = try await tool.run(arguments).expectSuccess()
        #expect(again.standardOutput.contains("unchanged: production offers what it did"), "\(again)")
        // What is not the zip of the list.
        try await tool.writeZips(["export/1.1.0.zip": Self.page("1.1.0", in: "other/")])
        try await expectRefusal(tool, arguments: arguments, naming: ["1.1.0.zip is not the zip of Capgo", digest])
    }

    @Test func `a list that a person wrote decides about everything`() async throws {
        let tool = try await Self.project()
        try await tool.writeZips(["export/a.zip": Self.page("a"), "export/old/b.zip": Self.page("b")])
        try tool.write([
            "export/import.csv": """
            file,version,channel,created,note,app,percent,mandatory,disabled
            a.zip,3.0.0,beta,2024-01-01,"First, by hand",>=3.0.0,,,
            a.zip,3.0.0,stable,2024-01-03,,>=3.0.0,,,
            old/b.zip,3.1.0,beta,2024-01-02,,,10,yes,
            """
        ])
        let arguments = ["import", "export", "--from", "zips", "--package", "shop"]
        try await tool.run(arguments).expectSuccess()
        let beta = try await tool.overview(of: "shop", channel: "beta")
        #expect(beta.offers == ["3.1.0 10 %", "3.0.0"])
        #expect(
            beta.versions == [
                "3.0.0": "imported, 2024-01-01T00:00:00Z: First, by hand", "3.1.0": "imported, 2024-01-02T00:00:00Z",
            ])
        #expect(try await tool.overview(of: "shop", channel: "stable").offers == ["3.0.0"])
        let status = try await tool.run("status", "--json").standardOutput
        #expect(status.contains("\"mandatory\": true") && status.contains(">=3.0.0"), "\(status)")
    }

    @Test func `zips alone are versions, and a new channel of a registry that has some is asked about`() async throws {
        let tool = try await Self.project()
        try await tool.writeZips([
            "export/1.0.0.zip": Self.page("1.0.0"), "export/beta/1.1.0.zip": Self.page("1.1.0"),
        ])
        let arguments = ["import", "export", "--from", "zips", "--package", "shop"]
        let first = try await tool.run(arguments).expectSuccess()
        #expect(first.standardOutput.contains("offered shop 1.1.0 on beta\n"), "\(first)")
        try await tool.writeZips(["export/betta/1.2.0.zip": Self.page("1.2.0")])
        try await expectRefusal(
            tool, arguments: arguments, naming: ["The registry has no channel betta", "Did you mean beta?"], exitCode: 3
        )
        let made = try await tool.run(arguments + ["--new-channel"]).expectSuccess()
        #expect(made.standardOutput.contains("offered shop 1.2.0 on betta\n"), "\(made)")
        #expect(try await tool.overview(of: "shop", channel: "beta").offers == ["1.1.0"])
    }

    @Test func `a server with a token takes it like a folder`() async throws {
        let registry = try await LiveRegistry()
        let tool = registry.tool
        try await tool.run("keys", "delegate", "shop").expectSuccess()
        try await tool.writeZips([
            "export/beta/1.0.0.zip": Self.page("1.0.0"), "export/beta/1.1.0.zip": Self.page("1.1.0"),
            "wrong/stable/1.0.0.zip": Self.page("1.0.0"),
        ])
        let environment = try await registry.publisherEnvironment()
        let place = ["--from", "zips", "--package", "shop", "--registry", registry.url]
        let done = try await tool.run(["import", "export"] + place, environment: environment).expectSuccess()
        #expect(done.standardOutput.contains("offered shop 1.1.0 on beta, after 1 earlier version"), "\(done)")
        try await tool.update("device", from: registry.url, channel: "beta", to: "1.1.0")
        // The token is for beta only, which is found out before anything is sent.
        let refused = try await tool.run(
            ["import", "wrong", "--new-channel"] + place, environment: environment)
        expectClearError(refused, naming: ["stable"])
        #expect(try await tool.overview(of: "shop", channel: "stable").offers == [])
    }

    @Test func `an import that is killed anywhere is completed by the next one`() async throws {
        let tool = try await Self.project()
        let versions = (0..<8).map { "1.\($0).0" }
        try await tool.writeZips(
            Dictionary(uniqueKeysWithValues: versions.map { ("export/beta/\($0).zip", Self.page($0)) }))
        let reference = try Tool()
        try await reference.shell("cp -r '\(tool.folder.path)/.' .")
        let arguments = ["import", "export", "--from", "zips", "--package", "shop", "--no-wait"]
        let start = ContinuousClock.now
        try await reference.run(arguments).expectSuccess()
        let length = (ContinuousClock.now - start) / .microseconds(1)
        var killed = 0
        for round in 1...6 {
            let running = try tool.start(arguments)
            try await Task.sleep(for: .microseconds(Int64(length * Double(round) / 7)))
            running.kill(SIGKILL)
            if await running.outcome().exitCode != 0 { killed += 1 }
        }
        #expect(killed > 0)
        try await tool.run(arguments).expectSuccess()
        let (found, expected) = try await (
            tool.overview(of: "shop", channel: "beta"), reference.overview(of: "shop", channel: "beta")
        )
        #expect(found == expected && found.offers == ["1.7.0"])
        let offers = try await tool.offers(on: "beta")
        #expect(offers.count == 8 && zip(offers, versions).allSatisfy { $0.contains($1) }, "\(offers)")
    }
}
