import Foundation
import PackJSON
import Testing

/// `packtool import --from codepush`: from saved histories and zips to devices.
@Suite(.onFolder) struct ImportCodePushTests {
    private static func page(_ text: String) -> [String: String] {
        [
            "www/index.html": "<!doctype html><title>\(text)</title>", "www/js/app.js": "// \(text)",
            "www/a.js.map": "{}",
        ]
    }

    /// Two deployments: Production with v1, v2 (disabled), v3 (mandatory) and v4, which rolled back to v1; Staging with v1, and v2
    /// for a quarter of the devices.
    private static func export() async throws -> Tool {
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--quiet").expectSuccess()
        try await tool.writeZips([
            "export/Production/v1.zip": page("one"), "export/Production/v2.zip": page("two"),
            "export/Production/v3.zip": page("three"), "export/Staging/v2.zip": page("four"),
        ])
        try await history(tool)
        return tool
    }

    private static func history(_ tool: Tool, more: String = "") async throws {
        var hashes: [String] = []
        for zip in ["Production/v1", "Production/v2", "Production/v3", "Staging/v2"] {
            hashes.append(try await tool.codePushHash(of: "export/\(zip).zip"))
        }
        try tool.write([
            "export/Production.json": """
            [{"label": "v1", "appVersion": "1.x", "description": "First", "isDisabled": false, "isMandatory": false,
              "packageHash": "\(hashes[0])", "uploadTime": 1614837600000, "releaseMethod": "Upload", "rollout": null},
             {"label": "v2", "appVersion": "1.x", "description": "", "isDisabled": true, "isMandatory": false,
              "packageHash": "\(hashes[1])", "uploadTime": 1614837700000, "releaseMethod": "Upload"},
             {"label": "v3", "appVersion": "1.x", "description": "Search\\nand more", "isMandatory": true,
              "packageHash": "\(hashes[2])", "uploadTime": 1614837800000, "releaseMethod": "Promote",
              "originalLabel": "v1", "originalDeployment": "Staging"},
             {"label": "v4", "appVersion": "1.x", "packageHash": "\(hashes[0])", "uploadTime": 1614837900000,
              "releaseMethod": "Rollback", "originalLabel": "v1"}\(more)]
            """,
            "export/Staging.json": """
            [{"label": "v1", "appVersion": "*", "packageHash": "\(hashes[2])", "uploadTime": 1614837750000},
             {"label": "v2", "appVersion": "*", "packageHash": "\(hashes[3])", "uploadTime": 1614838000000, "rollout": 25}]
            """,
        ])
    }

    private static let arguments = [
        "import", "export", "--from", "codepush", "--package", "shop", "--map", "Production=stable",
    ]

    @Test func `a dry run shows the plan, and writes nothing`() async throws {
        let tool = try await Self.export()
        let before = try tool.content()
        let plan = try await tool.run(Self.arguments + ["--dry-run"]).expectSuccess()
        for line in [
            "would publish  shop 0.0.1-production  2021-03-04T06:00:00Z  app >=1.0.0 <2.0.0-0  Production/v1.zip",
            "would publish  shop 0.0.4-production  2021-03-04T06:05:00Z  app >=1.0.0 <2.0.0-0  Production/v1.zip",
            "would offer on stable: 0.0.1-production, then 0.0.3-production (mandatory), then 0.0.4-production",
            "would offer on staging: 0.0.1-staging, then 0.0.2-staging (25 %)",
        ] { #expect(plan.standardOutput.contains(line), "\(line): \(plan)") }
        // By time, the deployments among each other.
        let versions = try await tool.run(Self.arguments + ["--dry-run", "--json"]).json().object().array("versions")
        #expect(
            try versions.map { try $0.object().string("version") } == [
                "0.0.1-production", "0.0.2-production", "0.0.1-staging", "0.0.3-production", "0.0.4-production",
                "0.0.2-staging",
            ])
        #expect(try tool.content() == before)
    }

    @Test func `histories come over, devices get the newest, and a version of before can be gone back to`() async throws
    {
        let tool = try await Self.export()
        let done = try await tool.run(Self.arguments).expectSuccess()
        #expect(
            done.standardOutput.contains("offered shop 0.0.4-production on stable, after 2 earlier versions"), "\(done)"
        )
        let stable = try await tool.overview(of: "shop", channel: "stable")
        #expect(stable.offers == ["0.0.4-production"])
        #expect(
            stable.versions == [
                "0.0.1-production": "CodePush Production v1, 2021-03-04T06:00:00Z: First",
                "0.0.2-production": "CodePush Production v2, 2021-03-04T06:01:40Z",
                "0.0.3-production":
                    "CodePush Production v3, promoted from Staging v1, 2021-03-04T06:03:20Z: Search and more",
                "0.0.4-production": "CodePush Production v4, rolled back to v1, 2021-03-04T06:05:00Z",
                "0.0.1-staging": "CodePush Staging v1, 2021-03-04T06:02:30Z",
                "0.0.2-staging": "CodePush Staging v2, 2021-03-04T06:06:40Z",
            ])
        #expect(
            try await tool.overview(of: "shop", channel: "staging").offers == ["0.0.2-staging 25 %", "0.0.1-staging"])
        let offers = try await tool.offers(on: "stable")
        #expect(offers.count == 3)
        for (offer, version) in zip(offers, ["0.0.1-production", "0.0.3-production", "0.0.4-production"]) {
            #expect(offer.contains(version), "\(offers)")
        }
        // The app's versions are those of the history.
        let device = ["--store", "device", "--channel", "stable", "--package", "shop"]
        let other = try await tool.run(["client", "update"] + device + ["--app-version", "2.0.0"])
        #expect(try tool.listing("device").values.contains(Data("// one".utf8)) == false, "\(other)")
        let update = try await tool.run(["client", "update"] + device + ["--app-version", "1.5.0"]).expectSuccess()
        #expect(update.standardOutput.contains("shop 0.0.4-production"), "\(update)")
        #expect(try tool.listing("device").values.contains(Data("// one".utf8)))
        // The folder of Cordova is gone, and no file is left out.
        let files = try await tool.run("inspect", "shop@0.0.4-production", "--json").expectSuccess().standardOutput
        #expect(
            files.contains("\"a.js.map\"") && files.contains("\"js/app.js\"") && !files.contains("www/"), "\(files)")

        let back = try await tool.run("rollback", "shop", "--channel", "stable").expectSuccess()
        #expect(back.standardOutput.contains("0.0.3-production"), "\(back)")
        try await tool.run(["client", "update"] + device + ["--app-version", "1.5.0"]).expectSuccess()
        #expect(try tool.listing("device").values.contains(Data("// three".utf8)))
        // Nobody's rollback is undone.
        let again = try await tool.run(Self.arguments).expectSuccess()
        #expect(again.standardOutput.contains("left: stable was rolled back from 0.0.4-production by "), "\(again)")
        #expect(try await tool.overview(of: "shop", channel: "stable").offers.first == "0.0.3-production")
        try await tool.run("rollback", "shop", "--channel", "stable", "--to", "0.0.2-production").expectSuccess()
    }

    @Test func `the same export again changes nothing, and a newer one goes on`() async throws {
        let tool = try await Self.export()
        try await tool.run(Self.arguments).expectSuccess()
        let same = try await tool.run(Self.arguments + ["--json"]).expectSuccess().json().object()
        #expect(try same.array("versions").allSatisfy { try !$0.object().bool("changed") })
        #expect(try same.array("channels").allSatisfy { try !$0.object().bool("changed") })
        try await tool.writeZips(["export/Production/v5.zip": Self.page("five")])
        try await Self.history(
            tool, more: #", {"label": "v5", "appVersion": "1.x", "uploadTime": 1614840000000, "isMandatory": true}"#)
        let more = try await tool.run(Self.arguments).expectSuccess()
        #expect(more.standardOutput.contains("offered shop 0.0.5-production (mandatory) on stable\n"), "\(more)")
        #expect(try await tool.offers(on: "stable").count == 4)
        // A channel that has versions of one's own by now is not taken back.
        try tool.write(["dist/index.html": "<title>own</title>"])
        try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.0.0", "--quiet")
            .expectSuccess()
        try await tool.run("publish", "packages/shop-1.0.0.zip", "--channel", "stable", "--quiet").expectSuccess()
        let left = try await tool.run(Self.arguments).expectSuccess()
        #expect(left.standardOutput.contains("left: stable offers 1.0.0, which is not of this export"), "\(left)")
        #expect(try await tool.overview(of: "shop", channel: "stable").offers == ["1.0.0"])
    }

    @Test func `other content under a version, and a zip that is another one's, are refused`() async throws {
        let tool = try await Self.export()
        try await tool.run(Self.arguments).expectSuccess()
        try await tool.writeZips(["export/Production/v2.zip": Self.page("changed")])
        try await expectRefusal(
            tool, arguments: Self.arguments,
            naming: ["Production/v2.zip is not the zip of CodePush Production v2", "remove the hash from the list"])
        try await Self.history(tool)
        try await expectRefusal(
            tool, arguments: Self.arguments,
            naming: ["Production/v2.zip: shop 0.0.2-production is published already with other content"])
    }

    @Test func `a signed update is known by its hash`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--quiet").expectSuccess()
        try await tool.writeZips([
            "export/v1.zip": Self.page("one").merging(["www/.codepushrelease": "header.claims.signature"]) { $1 }
        ])
        // Both the client's hash and the one of the server, which counts the signature.
        let signed = try await tool.shell(
            """
            cp '\(Tool.project.path)/Tests/Tools/codepush_hash.py' hash.py && sed -i 's/if path.is_file().*/if path.is_file()/' hash.py
            python3 -m zipfile -e export/v1.zip signed && python3 hash.py signed
            """
        ).expectSuccess().standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        for hash in [try await tool.codePushHash(of: "export/v1.zip"), signed] {
            try tool.write(["export/Production.json": #"[{"label": "v1", "packageHash": "\#(hash)"}]"#])
            try await tool.run(Self.arguments + ["--no-wait"]).expectSuccess()
        }
        let files = try await tool.run("inspect", "shop@0.0.1-production", "--json").expectSuccess().standardOutput
        #expect(!files.contains("codepushrelease"))
    }

    @Test func `a CodePush client that runs the newest version is up to date at once`() async throws {
        let tool = try await Self.export()
        try await tool.run(Self.arguments).expectSuccess()
        let server = try tool.start("serve", "--port", "0", "--adapter", "codepush")
        let line = try #require(await server.line(holding: "http://127.0.0.1:"))
        let url = try String(#require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output)
        for (zip, isAvailable) in [("Production/v1", false), ("Production/v3", true)] {
            let hash = try await tool.codePushHash(of: "export/\(zip).zip")
            let answer = try await tool.shell(
                "curl -sf '\(url)/v0.1/public/codepush/update_check?deployment_key=shop/stable&app_version=1.5.0"
                    + "&package_hash=\(hash)&label=v4&client_unique_id=d1'"
            ).expectSuccess().json().object().object("update_info")
            #expect(try answer.bool("is_available") == isAvailable, "\(answer)")
        }
        server.kill(SIGTERM)
        _ = await server.outcome()
    }
}
