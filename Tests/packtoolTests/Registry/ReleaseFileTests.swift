import Foundation
import PackJSON
import Testing

/// `packtool release` with a set in a file.
struct ReleaseFileTests {
    /// A registry in which shop and admin 1.0.0 are published, and no channel offers them.
    private func project() async throws -> Tool {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop", "--quiet").expectSuccess()
        for package in ["shop", "admin"] {
            try tool.write(["dist-\(package)/index.html": "<title>\(package)</title>"])
            try await tool.run(
                "build", "dist-\(package)", "--package", package, "--package-version", "1.0.0", "--out", "packages",
                "--quiet"
            ).expectSuccess()
        }
        try await tool.run("publish", "packages/shop-1.0.0.zip", "packages/admin-1.0.0.zip", "--yes").expectSuccess()
        return tool
    }

    @Test func `a set in a file is shown and released, and options count in place of what it says`() async throws {
        let tool = try await project()
        try tool.write([
            "set.json": """
            {
              "packages": {"shop": "1.0.0", "admin": "1.0.0"}, // of two jobs
              "channel": "beta", "share": 10, "audiences": ["platform=ios"],
            }
            """
        ])
        let before = try tool.listing(".packtool/registry/view")
        let dry = try await tool.run("release", "set.json", "--dry-run").expectSuccess()
        #expect(
            dry.standardOutput
                == "beta: 10 % of the devices with platform=ios get admin 1.0.0, and the others get nothing; 10 % of the "
                + "devices with platform=ios get shop 1.0.0, and the others get nothing\n", "\(dry)")
        let other = try await tool.run(
            "release", "set.json", "--channel", "stable", "--rollout", "25", "--audience", "platform=android",
            "--dry-run"
        ).expectSuccess()
        #expect(other.standardOutput.hasPrefix("stable: 25 % of the devices with platform=android get"), "\(other)")
        #expect(try tool.listing(".packtool/registry/view") == before)
        let done = try await tool.run("release", "set.json").expectSuccess()
        for package in ["admin", "shop"] {
            #expect(
                done.standardOutput.contains("beta offers \(package) 1.0.0 (10 % of platform=ios), as part of set-1-"),
                "\(done)")
        }
        let again = try await tool.run("release", "set.json")
        #expect(again.exitCode == 2 && again.standardError.contains("nothing to do"), "\(again)")
    }

    @Test func `a file with a mistake is refused with its place, and so is what goes with no file`() async throws {
        let tool = try await project()
        let before = try tool.listing(".packtool/registry/view")
        try tool.write([
            "set.json": "{\"packages\": {\n  \"shop\": \"1.0\"}, \"channel\": \"beta\"}",
            "nowhere.json": "{\"packages\": {\"shop\": \"1.0.0\"}}",
            "unknown.json": "{\"packages\": {\"shop\": \"9.0.0\", \"admin\": \"1.0.0\"}, \"channel\": \"beta\"}",
            "large.json": String(repeating: " ", count: 1 << 21),
        ])
        let refused: [([String], [String])] = [
            (["set.json"], ["set.json:2:3: packages.shop: \"1.0\" is not a version"]),
            (["nowhere.json"], ["nowhere.json names no channel: add \"channel\" to it, or give --channel NAME"]),
            (["unknown.json"], ["shop 9.0.0 is not published in this registry"]),
            (["large.json"], ["large.json: it has 2097152 bytes, and a set has 1048576 at most"]),
            (["sett.json", "--channel", "beta"], ["the set sett.json cannot be read: is the name right?"]),
        ]
        for (arguments, parts) in refused {
            expectClearError(try await tool.run(["release"] + arguments), naming: parts)
        }
        let usage: [([String], String)] = [
            (["shop@1.0.0", "admin@1.0.0"], "Missing expected argument '--channel <NAME>'"),
            (["set.json", "shop@1.0.0", "--channel", "beta"], "give packages with their versions, or one file"),
            (["set.json", "nowhere.json"], "give packages with their versions, or one file"),
            (["shop", "--channel", "beta"], "give the version too: shop@VERSION"),
        ]
        for (arguments, part) in usage {
            let outcome = try await tool.run(["release"] + arguments)
            #expect(outcome.exitCode == 64 && outcome.standardError.contains(part), "\(arguments): \(outcome)")
        }
        #expect(try tool.listing(".packtool/registry/view") == before)
    }

    /// Every set of docs/ROLLOUTS.md, and the schema for editors.
    @Test func `the documented sets are sets, by packtool and by the schema`() async throws {
        let tool = try await project()
        let sets = try tool.writeExamples(with: "packages")
        for set in sets {
            // It is read; the versions of the document are not in this registry.
            expectClearError(
                try await tool.run("release", set, "--dry-run"), naming: ["is not published in this registry"])
        }
        try await tool.expectSchema(
            "set", allows: sets,
            #"({"packages": {"a": "1.0.0"}}, {"packages": {"a-1": "1.0.0-beta.1+7"}, "share": "0.25"})"#,
            refuses: """
                [{}, {"packages": {}}, {"packages": {"A": "1.0.0"}}, {"packages": {"a": "1.0"}}] + [
                    {"packages": {"a": "1.0.0"}, **more} for more in
                    ({"share": 101}, {"share": 0.5}, {"audience": "x"}, {"audiences": "x"})]
                """)
    }
}
