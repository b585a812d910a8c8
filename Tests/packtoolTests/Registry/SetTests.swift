import Foundation
import PackJSON
import Testing

/// Several packages as one, from the command line to what devices install.
struct SetTests {
    private func project() async throws -> Tool {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop", "--quiet").expectSuccess()
        return tool
    }

    private func build(_ tool: Tool, _ version: String, _ packages: String..., requires: String? = nil) async throws
        -> [String]
    {
        for package in packages {
            try tool.write(["dist-\(package)/index.html": "<title>\(package) \(version)</title>"])
            try await tool.run(
                "build", "dist-\(package)", "--package", package, "--package-version", version, "--out", "packages",
                "--quiet"
            ).expectSuccess()
        }
        return packages.map { "packages/\($0)-\(version).zip" }
    }

    /// The active versions of a device, such as `admin 1.0.0, shop 1.0.0`.
    private func installed(_ tool: Tool, _ store: String, device: String? = nil) async throws -> String {
        let update = try await tool.run(
            ["client", "update", "--store", store, "--channel", "beta", "--root", ".packtool/root.json"]
                + (device.map { ["--device", $0] } ?? []))
        try #require(update.exitCode == 0 || update.exitCode == 2, "\(update)")
        let status = try await tool.run("client", "status", "--store", store, "--json").json().object()
        return try status.object("packages").members.map {
            try "\($0.key) \($0.value.object($0.key).string("active"))"
        }.sorted().joined(separator: ", ")
    }

    @Test func `two packages published together are offered, advanced, rolled back and withdrawn as one`() async throws
    {
        let tool = try await project()
        let old = try await build(tool, "1.0.0", "shop", "admin")
        let first = try await tool.run(["publish"] + old + ["--channel", "beta"]).expectSuccess()
        #expect(first.standardOutput.contains("as part of set-1-"), "\(first)")
        let new = try await build(tool, "1.1.0", "shop", "admin")
        try await tool.run(["publish"] + new + ["--channel", "beta", "--rollout", "50", "--together"]).expectSuccess()

        var seen: Set<String> = []
        for number in 0..<10 { seen.insert(try await installed(tool, "d\(number)", device: "device-\(number)")) }
        #expect(seen == ["admin 1.0.0, shop 1.0.0", "admin 1.1.0, shop 1.1.0"])

        let again = try await tool.run(["publish"] + new + ["--channel", "beta"]).expectSuccess()
        #expect(again.standardOutput.contains("unchanged  shop 1.1.0 on beta to 50 %"), "\(again)")
        let asks = try await tool.run("rollout", "admin", "--channel", "beta", "--percent", "10")
        #expect(asks.exitCode == 3 && asks.standardError.contains("The same holds for its set: shop 1.1.0"), "\(asks)")
        let all = try await tool.run("rollout", "admin", "--channel", "beta", "--percent", "100").expectSuccess()
        #expect(
            all.standardOutput.contains("beta offers admin 1.1.0 (before: 1.1.0 (50 %), then 1.0.0)")
                && all.standardOutput.contains("beta offers shop 1.1.0, for it is in the same set"), "\(all)")
        #expect(try await installed(tool, "d0", device: "device-0") == "admin 1.1.0, shop 1.1.0")

        let promoted = try await tool.run(
            "promote", "shop", "--from", "beta", "--to", "stable", "--new-channel", "--json"
        ).expectSuccess()
        let others = try promoted.json().object().object("others")
        #expect(others.members.map(\.key) == ["admin"], "\(promoted)")

        let back = try await tool.run("rollback", "shop", "--channel", "beta").expectSuccess()
        #expect(back.standardOutput.contains("beta offers admin 1.0.0"), "\(back)")
        #expect(
            back.standardError.contains(
                "On beta the whole set goes back, not only shop: admin from 1.1.0 to 1.0.0, shop from 1.1.0 to 1.0.0."),
            "\(back)")
        let second = try await tool.run("rollback", "admin", "--channel", "beta")
        expectClearError(
            second,
            naming: [
                "beta was rolled back from admin 1.1.0 and shop 1.1.0, which were one set, by local:",
                "and offers admin 1.0.0 and shop 1.0.0 now. Another rollback of admin would go back further.",
                "packtool rollback admin --channel beta --again, or --to VERSION",
            ])
        #expect(!second.standardError.contains("the whole set goes back"), "\(second)")
        let further = try await tool.run("rollback", "admin", "--channel", "beta", "--again")
        expectClearError(further, naming: ["beta offered nothing else of admin to everyone before"])
        #expect(try await installed(tool, "d0", device: "device-0") == "admin 1.0.0, shop 1.0.0")

        let withdraw = try await tool.run("withdraw", "admin@1.1.0", "--reason", "broken")
        #expect(
            withdraw.exitCode == 3 && withdraw.standardError.contains("100 % of the devices leave shop 1.1.0"),
            "\(withdraw)")
        try await tool.run("withdraw", "admin@1.1.0", "--reason", "broken", "--yes").expectSuccess()
        let status = try await tool.run("status", "--json").json().object()
        let stable = try status.object("channels").object("stable")
        #expect(try stable.array("shop").isEmpty && stable.array("admin").isEmpty)
    }

    @Test func `a package that was released alone since keeps its version when the set goes back`() async throws {
        let tool = try await project()
        for version in ["1.0.0", "1.1.0"] {
            let zips = try await build(tool, version, "shop", "help")
            try await tool.run(["publish"] + zips + ["--channel", "beta"]).expectSuccess()
        }
        let newer = try await build(tool, "1.3.0", "shop")
        try await tool.run(["publish"] + newer + ["--channel", "beta"]).expectSuccess()
        let back = try await tool.run("rollback", "help", "--channel", "beta").expectSuccess()
        #expect(
            back.standardError.contains(
                "On beta help goes back, from 1.1.0 to 1.0.0. shop keeps 1.3.0, which is newer than the set."),
            "\(back)")
        #expect(back.standardOutput.contains("beta still offers shop 1.3.0, which is newer than the set"), "\(back)")
        #expect(try await installed(tool, "d0") == "help 1.0.0, shop 1.3.0")
    }

    @Test func `published separately they are apart, and packtool release joins what is published`() async throws {
        let tool = try await project()
        let zips = try await build(tool, "1.0.0", "shop", "admin")
        let apart = try await tool.run(["publish"] + zips + ["--channel", "beta", "--separately"]).expectSuccess()
        #expect(!apart.standardOutput.contains("set-"), "\(apart)")
        let both = try await tool.run(["publish"] + zips + ["--channel", "beta", "--separately", "--together"])
        #expect(both.exitCode == 64)
        let new = try await build(tool, "1.1.0", "shop", "admin")
        try await tool.run(["publish"] + new + ["--yes"]).expectSuccess()
        let released = try await tool.run(
            "release", "shop@1.1.0", "admin@1.1.0", "--channel", "beta", "--rollout", "20"
        ).expectSuccess()
        #expect(released.standardOutput.contains("beta offers admin 1.1.0 (20 %), then 1.0.0, as part of set-"))
        let repeated = try await tool.run(
            "release", "shop@1.1.0", "admin@1.1.0", "--channel", "beta", "--rollout", "20")
        #expect(repeated.exitCode == 2 && repeated.standardError.contains("nothing to do"), "\(repeated)")
        let unknown = try await tool.run("release", "shop@9.0.0", "admin@1.1.0", "--channel", "beta")
        expectClearError(unknown, naming: ["shop 9.0.0 is not published", "1.1.0, 1.0.0"])
    }

    @Test func `a set that no device could have is refused before anything is sent`() async throws {
        let tool = try await project()
        try tool.write([
            "shop/index.html": "<title>shop</title>", "shop/packtool.json": #"{"requires": {"app": "<5.0.0"}}"#,
            "admin/index.html": "<title>admin</title>", "admin/packtool.json": #"{"requires": {"app": ">=5.0.0"}}"#,
        ])
        for package in ["shop", "admin"] {
            try await tool.shell(
                "cd \(package) && mkdir dist && mv index.html dist && '\(Tool.executable.path)' build dist --package \(package) --package-version 1.0.0 --out ../packages --quiet"
            ).expectSuccess()
        }
        let before = try tool.listing(".packtool/registry/view")
        let refused = try await tool.run(
            "publish", "packages/shop-1.0.0.zip", "packages/admin-1.0.0.zip", "--channel", "beta")
        expectClearError(refused, naming: ["no app could have this set", "requires app >=5.0.0"])
        #expect(try tool.listing(".packtool/registry/view") == before)
    }

    @Test func `the shared bundle of a set must be the one that its packages use`() async throws {
        let tool = try await project()
        func built(_ text: String, _ version: String) async throws {
            let vendor = String(repeating: text, count: 5_000)
            for package in ["shop", "admin"] {
                try tool.write([
                    "\(package)/index.html": "<script src=v.js></script>\(package)", "\(package)/v.js": vendor,
                ])
            }
            try await tool.run(
                "build", "shop", "admin", "--package", "shop", "--package", "admin", "--shared", "auto",
                "--package-version", version, "--out", "packages",
                "--quiet"
            ).expectSuccess()
        }
        try await built("one;", "1.0.0")
        let first = try tool.listing("packages").keys.filter { $0.hasPrefix("shared") }.sorted()
        let bundle = try #require(first.first)
        try await built("two;", "1.1.0")
        let wrong = try await tool.run(
            "publish", "packages/\(bundle)", "packages/shop-1.1.0.zip", "packages/admin-1.1.0.zip", "--channel", "beta")
        expectClearError(
            wrong, naming: ["needs the shared bundle shared", "neither among the zips nor in the registry"])
        let all = try tool.listing("packages").keys.filter { $0.hasPrefix("shared") || $0.hasSuffix("1.1.0.zip") }
        let unused = try await tool.run(["publish"] + all.sorted().map { "packages/\($0)" } + ["--channel", "beta"])
        expectClearError(unused, naming: ["is a shared bundle that no package of the set uses"])
        try await tool.run(
            ["publish"] + all.filter { $0 != bundle }.sorted().map { "packages/\($0)" } + ["--channel", "beta"]
        ).expectSuccess()
        #expect(try await installed(tool, "d") == "admin 1.1.0, shop 1.1.0")
    }
}
