import Foundation
import PackJSON
import Testing

/// A release for some devices, from the command line to what a device installs.
struct AudienceTests {
    private func publish(_ tool: Tool, _ version: String, _ more: String...) async throws {
        try tool.write(["dist/index.html": "<title>\(version)</title><script>packtool.confirm()</script>"])
        try await tool.run(
            "build", "dist", "--package", "shop", "--package-version", version, "--out", "packages"
        ).expectSuccess()
        try await tool.run(["publish", "packages/shop-\(version).zip", "--channel", "beta"] + more).expectSuccess()
    }

    private func installed(_ tool: Tool, _ store: String, _ facts: String...) async throws -> String {
        let update = try await tool.run(
            ["client", "update", "--store", store, "--channel", "beta", "--root", ".packtool/root.json"] + facts)
        try #require(update.exitCode == 0 || update.exitCode == 2, "\(update)")
        let status = try await tool.run("client", "status", "--store", store, "--json")
        return try status.json().object().object("packages").object("shop").string("active")
    }

    @Test func `a release with a smaller share takes nothing from devices, and says what does`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        try await publish(tool, "1.0.0")
        try await publish(tool, "1.1.0", "--rollout", "30")
        for word in ["shop@1.1.0", "set.json"] {
            try tool.write(["set.json": #"{"channel": "beta", "packages": {"shop": "1.1.0"}}"#])
            let smaller = try await tool.run("release", word, "--channel", "beta", "--rollout", "20", "--yes")
            #expect(smaller.exitCode == 2 && smaller.standardOutput.contains("1.1.0 (30 %)"), "\(smaller)")
            #expect(
                smaller.standardError.contains(
                    "keeps its share of 30 %. To take it from devices: packtool rollout shop@1.1.0 --channel beta --percent 20"
                ),
                "\(smaller)")
        }
        try await tool.run("rollout", "shop@1.1.0", "--channel", "beta", "--percent", "20", "--yes").expectSuccess()
    }

    @Test func `who is in the audience gets it, the others keep what everybody gets, and it grows to all`() async throws
    {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        try await publish(tool, "1.0.0")
        try await publish(tool, "1.1.0", "--audience", "platform=ios; os>=17", "--audience", "tag.tester=yes")

        #expect(try await installed(tool, "ios", "--platform", "ios", "--os-version", "17.4") == "1.1.0")
        #expect(try await installed(tool, "old-ios", "--platform", "ios", "--os-version", "16.7") == "1.0.0")
        #expect(try await installed(tool, "linux", "--platform", "linux") == "1.0.0")
        #expect(try await installed(tool, "tester", "--tag", "tester=yes") == "1.1.0")
        #expect(try await installed(tool, "silent") == "1.0.0")

        let status = try await tool.run("status")
        #expect(
            status.standardOutput.contains("beta 100 % of platform=ios; os>=17, or with tag.tester=yes"), "\(status)")
        let why = try await tool.run("client", "status", "--store", "linux", "--json")
        #expect(why.standardOutput.contains("its platform is linux, not ios"), "\(why)")

        // A larger share or a second publication changes no audience.
        let again = try await tool.run("publish", "packages/shop-1.1.0.zip", "--channel", "beta")
        #expect(again.exitCode == 0 && again.standardOutput.contains("unchanged"), "\(again)")
        let other = try await tool.run(
            "publish", "packages/shop-1.1.0.zip", "--channel", "beta", "--audience", "region=DE")
        expectClearError(other, naming: ["audience", "packtool rollout"])
        let asks = try await tool.run("rollout", "shop", "--channel", "beta", "--audience", "region=DE")
        #expect(asks.exitCode == 3 && asks.standardError.contains("Devices outside of region=DE leave it"), "\(asks)")
        let misspelt = try await tool.run("rollout", "shop", "--channel", "beta", "--audience", "platfrom=ios")
        #expect(
            misspelt.exitCode == 64 && misspelt.standardError.contains("there is no condition \"platfrom\""),
            "\(misspelt)")

        let all = try await tool.run(
            "rollout", "shop", "--channel", "beta", "--audience", "all", "--percent", "0.25", "--yes")
        #expect(all.exitCode == 0 && all.standardOutput.contains("1.1.0 (0.25 %), then 1.0.0"), "\(all)")
        try await tool.run("rollout", "shop", "--channel", "beta", "--percent", "100").expectSuccess()
        #expect(try await installed(tool, "linux", "--platform", "linux") == "1.1.0")
    }

    @Test func `a question about a share and an audience says both, and a wider audience takes nothing from anybody`()
        async throws
    {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        try await publish(tool, "1.0.0")
        try await publish(tool, "1.1.0", "--audience", "platform=ios; app>=3.2", "--rollout", "60")
        let change = ["rollout", "shop", "--channel", "beta"]
        let wider = ["--audience", "platform=ios,android"]
        let fewer = try await tool.run(change + wider + ["--percent", "10"])
        #expect(
            fewer.exitCode == 3
                && fewer.standardError.contains("With 10 %, 50 % of the devices in its audience leave it"), "\(fewer)")
        #expect(!fewer.standardError.contains("outside of"), "\(fewer)")
        let both = try await tool.run(change + ["--audience", "region=DE", "--percent", "10"])
        #expect(
            both.exitCode == 3
                && both.standardError.contains(
                    "With 10 %, 50 % of the devices in its audience, and devices outside of region=DE, leave it"),
            "\(both)")
        try await tool.run(change + ["--audience", "platform=ios"]).expectSuccess()
        try await tool.run(change + wider).expectSuccess()
        let narrower = try await tool.run(change + ["--audience", "platform=ios"])
        #expect(
            narrower.exitCode == 3 && narrower.standardError.contains("Devices outside of platform=ios leave it"),
            "\(narrower)")
    }

    @Test func `a rollback that takes back more than the newest release asks first`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        try await publish(tool, "1.0.0")
        try await publish(tool, "1.1.0", "--rollout", "30")
        try await publish(tool, "1.2.0", "--audience", "platform=ios")
        let back = ["rollback", "shop", "--channel", "beta"]
        let asks = try await tool.run(back)
        #expect(asks.exitCode == 3, "\(asks)")
        for part in [
            "takes back 2 releases of shop, not only the newest: 1.2.0 (", "1.1.0 (30 %)", "All devices go to 1.0.0.",
            "To take only 1.2.0 back: packtool rollout shop@1.2.0 --channel beta --percent 0",
        ] { #expect(asks.standardError.contains(part), "\(part): \(asks)") }
        try await tool.run("rollout", "shop@1.2.0", "--channel", "beta", "--percent", "0", "--yes").expectSuccess()
        #expect(try await tool.run("status").standardOutput.contains("30 %"))
        try await tool.run("rollout", "shop@1.1.0", "--channel", "beta", "--percent", "0", "--yes").expectSuccess()
        expectClearError(
            try await tool.run(back),
            naming: [
                "all devices go to shop 1.0.0 already, because the newer release is at 0 %; beta offered nothing else of shop"
            ])
        let embedded = try await tool.run(back + ["--to", "embedded"]).expectSuccess()
        #expect(
            embedded.standardError.contains(
                "A device whose app embeds nothing of shop keeps the version that it confirmed."))
    }

    @Test(.onFolder) func `a device that reads format 1 is told what everybody gets`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        try await publish(tool, "1.0.0")
        func channels() throws -> [String: JSONObject] {
            var files: [String: JSONObject] = [:]
            let view = ".packtool/registry/view"
            let names = try tool.listing("\(view)/metadata").filter { $0.key.hasSuffix(".channels.json") }
            let newest = try #require(
                names.max { Int($0.key.prefix { $0 != "." }) ?? 0 < Int($1.key.prefix { $0 != "." }) ?? 0 })
            let targets = try JSONValue(parsing: newest.value).object("role").object("signed").object("targets")
            for member in targets.members {
                let digest = try member.value.object("target").object("hashes").string("sha256")
                let name = member.key.split(separator: "/").last ?? ""
                files[String(name)] = try JSONValue(
                    parsing: tool.read("\(view)/targets/channels/\(digest).\(name)")
                ).object("channel")
            }
            return files
        }
        func versions(_ file: JSONObject?) throws -> [String] {
            try #require(file).object("packages").object("shop").array("releases").map {
                let release = try $0.object("release")
                return "\(try release.string("version")) \(try release["percent"]?.integer("percent") ?? 100)"
            }
        }
        #expect(try channels().keys.sorted() == ["beta.json"])
        try await publish(tool, "1.1.0", "--rollout", "12.5")
        try await publish(tool, "1.2.0", "--audience", "platform=ios")
        let both = try channels()
        #expect(both.keys.sorted() == ["beta.json", "beta.v2.json"])
        #expect(try both["beta.json"]?.integer("format") == 1 && both["beta.v2.json"]?.integer("format") == 2)
        #expect(try versions(both["beta.json"]) == ["1.1.0 12", "1.0.0 100"])
        try await tool.run(
            "rollout", "shop", "--channel", "beta", "--audience", "all", "--percent", "100"
        ).expectSuccess()
        #expect(try channels().keys.sorted() == ["beta.json"])
        // Who read the role a moment ago still finds what it lists.
        let kept = try tool.listing(".packtool/registry/view/targets/channels").keys.filter { $0.hasSuffix(".v2.json") }
        #expect(kept.count == 2, "\(kept)")
        #expect(try versions(channels()["beta.json"]) == ["1.2.0 100"])
    }
}
