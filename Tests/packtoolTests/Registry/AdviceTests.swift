import Foundation
import PackJSON
import Testing

/// What commands say to people who mistyped a name, hold the wrong key, or expect more than a command does.
struct AdviceTests {
    /// A project whose channel beta offers `shop` 1.0.0, with packages of 1.1.0 and 1.2.0 beside it.
    private static func project() async throws -> Tool {
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--quiet").expectSuccess()
        for version in ["1.0.0", "1.1.0", "1.2.0"] {
            try tool.write(["dist/index.html": "<!doctype html><title>Shop \(version)</title>"])
            try await tool.run("build", "dist", "--package", "shop", "--package-version", version).expectSuccess()
        }
        try await publish(tool, "1.0.0")
        return tool
    }

    @discardableResult
    private static func publish(_ tool: Tool, _ version: String, _ more: String...) async throws -> Outcome {
        try await tool.run(["publish", "packages/shop-\(version).zip", "--channel", "beta"] + more).expectSuccess()
    }

    @Test func `a channel that is not there is asked about before it is made`() async throws {
        let tool = try await Self.project()
        let typo = ["publish", "packages/shop-1.1.0.zip", "--channel", "btea"]
        try await expectRefusal(
            tool, arguments: typo,
            naming: ["no channel btea (it has: beta)", "Did you mean beta?", "--new-channel makes"], exitCode: 3)
        try await expectRefusal(
            tool, arguments: ["release", "shop@1.0.0", "--channel", "live"],
            naming: ["no channel live (it has: beta). If the name is right, --new-channel makes"], exitCode: 3)
        try await tool.run(typo + ["--new-channel"]).expectSuccess()
        // From now on it is there, and nobody is asked.
        try await tool.run("publish", "packages/shop-1.2.0.zip", "--channel", "btea").expectSuccess()
    }

    @Test func `a package that is not built yet and a channel that is left are named`() async throws {
        let tool = try await Self.project()
        try tool.write(["packtool.json": #"{ "package": "shop", "version": "2.0.0" }"#])
        let published = try await tool.run("publish", "--channel", "beta").expectSuccess()
        #expect(published.standardError.contains("says shop 2.0.0, and the newest package in packages is 1.2.0"))
        try await tool.run("build", "dist").expectSuccess()
        let again = try await tool.run("publish", "--channel", "beta").expectSuccess()
        #expect(!again.standardError.contains("packtool.json says"))
        try await tool.run("publish", "--channel", "stable", "--new-channel").expectSuccess()

        let update = [
            "client", "update", "--store", "store", "--registry", ".packtool/registry", "--root", ".packtool/root.json",
        ]
        let first = try await tool.run(update + ["--channel", "beta"]).expectSuccess()
        #expect(!first.standardError.contains("warning"))
        let moved = try await tool.run(update)
        #expect(
            moved.standardError.contains(
                "the store's last update was with --channel beta; this one is without, on the channel stable"))
        #expect(!(try await tool.run(update).standardError.contains("last update was")))
        let device = ["--device", "kiosk-7", "--tag", "hall=2", "--channel", "stable"]
        try await tool.run(update + device + ["--check"])
        #expect(!(try await tool.run(update).standardError.contains("last update was")))
        try await tool.run(update + device)
        let other = try await tool.run(update)
        #expect(other.standardError.contains("was with --device kiosk-7 --tag hall=2; this one is without"), "\(other)")
    }

    @Test func `an unknown group is refused before anybody is asked`() async throws {
        let tool = try await Self.project()
        try await Self.publish(tool, "1.1.0")
        for command in [
            ["rollout", "shop", "--channel", "beta"], ["promote", "shop", "--from", "beta", "--to", "stable"],
            ["publish", "packages/shop-1.0.0.zip", "--channel", "beta"],
        ] {
            try await expectRefusal(
                tool, arguments: command + ["--audience", "group=nobody"], naming: ["has no group \"nobody\""])
        }
    }

    @Test func `reading with a wrong name fails and says the names that there are`() async throws {
        let tool = try await Self.project()
        for command in [
            ["stats", "--channel", "btea"], ["rollout", "status", "shop", "--channel", "btea"],
            ["status", "--channel", "btea"], ["gate", "shop", "--channel", "btea"],
            ["preset", "shop", "--channel", "btea", "--out", "preset"],
        ] {
            try await expectRefusal(
                tool, arguments: command, naming: ["there is no channel btea (there is: beta): did you mean beta?"])
        }
        for command in [["stats", "shpo", "--channel", "beta"], ["rollout", "status", "shpo"], ["status", "shpo"]] {
            try await expectRefusal(
                tool, arguments: command,
                naming: ["nothing is published of the package shpo (there is: shop): did you mean shop?"])
        }
        let none = try await tool.run("stats", "shop", "--channel", "beta").expectSuccess()
        #expect(none.standardOutput.contains("reported anything"), "\(none)")
    }

    @Test func `devices can install now what they are offered now, and nothing else`() async throws {
        let tool = try await Self.project()
        let now = "Devices can install this now."
        #expect(try await Self.publish(tool, "1.1.0", "--rollout", "10").standardError.contains(now))
        #expect(try await !Self.publish(tool, "1.1.0").standardError.contains(now), "it was so before")
        #expect(try await !Self.publish(tool, "1.2.0", "--rollout", "0").standardError.contains(now))
        let waiting = try await tool.run(
            "publish", "packages/shop-1.2.0.zip", "--channel", "night", "--new-channel", "--window", "22:00-05:00",
            "--network", "unmetered"
        ).expectSuccess()
        #expect(!waiting.standardError.contains(now), "\(waiting)")
        let status = try await tool.run("status").expectSuccess()
        #expect(status.standardOutput.contains("beta 0 %, night (network unmetered; 22:00-05:00)"), "\(status)")

        let device = ["--store", "device", "--root", ".packtool/root.json"]
        let facts = ["--channel", "night", "--network", "metered", "--platform", "ios"]
        try await tool.run(["client", "update"] + device + facts)
        let told = try await tool.run(["client", "explain"] + device).expectSuccess()
        #expect(
            told.standardOutput.hasPrefix("shop on night: the device takes 1.2.0, but not yet: it waits"), "\(told)")
        let asked = try await tool.run("explain", "shop", "--channel", "night").expectSuccess()
        #expect(
            asked.standardOutput.hasPrefix(
                "shop on night: the device takes 1.2.0, when the release's policy lets it (network unmetered; 22:00"),
            "\(asked)")
        let promoted = try await tool.run("promote", "shop", "--from", "night", "--to", "day", "--new-channel")
        #expect(
            promoted.standardError.contains("(network unmetered; 22:00-05:00), which are not copied to day"),
            "\(promoted)")
    }

    @Test(.onFolder) func `an old copy of a registry is named, and what to do about it works`() async throws {
        let tool = try await Self.project()
        try await tool.shell("cp -r .packtool/registry old").expectSuccess()
        for version in ["1.1.0", "1.2.0"] { try await Self.publish(tool, version) }
        let publish = ["publish", "packages/shop-1.2.0.zip", "--channel", "beta", "--registry", "old"]
        let refused = try await tool.run(publish)
        expectClearError(
            refused,
            naming: ["the registry \(tool.folder.path)/old/ shows an older state", "--registry", "online --restored"])
        let release = ["rollout", "shop", "--channel", "beta", "--percent", "50", "--yes", "--registry"]
        let lost = try await tool.run(release + ["old"])
        #expect(lost.standardError.contains("old/ shows an older state than this project has seen"), "\(lost)")
        #expect(!(try await tool.run(release + [".packtool/registry"])).standardError.contains("older state"))
        let rotate = ["keys", "rotate", "online", "--registry", "old"]
        expectClearError(try await tool.run(rotate), naming: ["shows an older state"])
        try await tool.run(rotate + ["--restored"]).expectSuccess()
        try await tool.run(publish).expectSuccess()
    }

    @Test func `a zip that lies in the folder of packages is found by its name`() async throws {
        let tool = try await Self.project()
        try await expectRefusal(
            tool, "publish", "shop-1.2.0.zip",
            naming: ["there is no file shop-1.2.0.zip: did you mean packages/shop-1.2.0.zip?"])
    }

    @Test(arguments: [
        ("htps://packages.example", "did you mean https://packages.example?"),
        ("ftp://packages.example/x", "ftp is none of https, http and postgres"),
    ])
    func `a registry's URL with another scheme is no folder`(text: String, advice: String) async throws {
        try await expectRefusal(Tool(), "status", "--registry", text, naming: [advice])
    }

    @Test func `what is no signing key is told for what it is`() async throws {
        let tool = try await Self.project()
        let publish = ["publish", "packages/shop-1.1.0.zip", "--channel", "beta"]
        try await tool.shell(
            "openssl pkey -in .packtool/keys/publisher.pem -pubout > public.pem && mv .packtool/keys/publisher.pem ."
        ).expectSuccess()
        let key = try String(decoding: tool.read("public.pem"), as: UTF8.self)
        for (value, words) in [
            ("", ["PACKTOOL_KEY is set and empty"]), (key, ["it is a public key", "private"]),
            ("keys/missing.pem", ["looks like a path", "there is no file of that name"]),
            (".packtool/root.json", ["root.json holds no private key", "is it the right file?"]),
            (".packtool", ["it is a folder"]),
        ] {
            let outcome = try await tool.run(publish, environment: ["PACKTOOL_KEY": value])
            expectClearError(outcome, naming: words)
        }
        let blank = try await tool.run(
            "status", "--registry", "http://127.0.0.1:1", environment: ["PACKTOOL_TOKEN": ""])
        expectClearError(blank, naming: ["warning: PACKTOOL_TOKEN is set and empty"])
    }

    @Test func `an encrypted key is listed without its passphrase`() async throws {
        let tool = try Tool()
        try await tool.run(
            ["init", "--template", "config", "--quiet"], environment: ["PACKTOOL_PASSPHRASE": "secret"]
        ).expectSuccess()
        let list = try await tool.run("keys", "list").expectSuccess()
        #expect(list.standardOutput.contains("keys/publisher.json"), "\(list)")
    }

    @Test func `a wrong passphrase is told by the variable that has it, and an empty one as none`() async throws {
        let tool = try Tool()
        try tool.write(["dist/index.html": "<title>one</title><script>packtool.confirm()</script>"])
        try await tool.run(
            ["init", "--template", "config", "--quiet"], environment: ["PACKTOOL_PASSPHRASE": "secret"]
        ).expectSuccess()
        try await tool.run("build", "--quiet").expectSuccess()
        let wrong = try await tool.run(
            ["publish", "--channel", "beta"], environment: ["PACKTOOL_PASSPHRASE": "secrets"])
        expectClearError(wrong, naming: ["publisher.json", "the passphrase in PACKTOOL_PASSPHRASE does not open it"])
        let empty = try await tool.run(["publish", "--channel", "beta"], environment: ["PACKTOOL_PASSPHRASE": ""])
        expectClearError(empty, naming: ["publisher.json is encrypted: give its passphrase in PACKTOOL_PASSPHRASE"])
    }

    @Test func `a publication that would be refused sends nothing`() async throws {
        let registry = try await LiveRegistry()
        try await registry.publish("shop", "1.0.0", files: ["index.html": "<title>one</title>"])
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--quiet").expectSuccess()
        try tool.write(["dist/index.html": "<title>two</title>"])
        try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.1.0").expectSuccess()
        try await tool.shell(
            "rm -r .packtool/root.json && cp '\(registry.tool.folder.path)/.packtool/root.json' .packtool/"
        )
        .expectSuccess()
        let objects = try registry.tool.listing(".packtool/registry/view/objects").keys
        let publish = ["publish", "packages/shop-1.1.0.zip", "--channel", "beta", "--registry", registry.url]
        let narrow = try await registry.token("--publish")
        expectClearError(
            try await tool.run(publish, environment: ["PACKTOOL_TOKEN": narrow]),
            naming: ["no right to release for the package shop on the channel beta"])
        // A key to which nobody has delegated the package.
        let token = try await registry.token("--publish", "--release")
        expectClearError(
            try await tool.run(publish, environment: ["PACKTOOL_TOKEN": token]),
            naming: ["may not sign shop", "packtool keys delegate shop --key KEY"])
        expectClearError(
            try await tool.run(publish, environment: ["PACKTOOL_TOKEN": ""]), naming: ["needs an access token"])
        #expect(try registry.tool.listing(".packtool/registry/view/objects").keys == objects)
    }

    @Test func `a gate is shown, and commands for an emergency accept --yes`() async throws {
        let tool = try await Self.project()
        let gate = ["gate", "shop", "--channel", "beta"]
        #expect(try await tool.run(gate).standardOutput.contains("the gate of shop is on: pages load from the device"))
        try await tool.run(gate + ["--off", "--yes"]).expectSuccess()
        #expect(
            try await tool.run(gate).standardOutput.contains("the gate of shop is off: devices show an error page"))
        expectClearError(
            try await tool.run("gate", "shpo", "--channel", "beta"), naming: ["never offered anything of shpo"])
        try await Self.publish(tool, "1.1.0")
        try await tool.run("rollback", "shop", "--channel", "beta", "--yes").expectSuccess()
    }

    @Test func `one device is one device, and usage errors begin as all others do`() async throws {
        let tool = try await Self.project()
        try tool.write(["ids.txt": "ann\n"])
        let set = try await tool.run("group", "set", "testers", "--channel", "beta", "--file", "ids.txt")
            .expectSuccess()
        #expect(set.standardOutput.contains("has 1 device\n"), "\(set)")
        #expect(try await tool.run("status").standardOutput.contains("the group testers of 1 device\n"))
        let usage = try await tool.run("status", "--nothing")
        #expect(usage.exitCode == 64 && usage.standardError.hasPrefix("error: "), "\(usage)")
    }

    @Test func `help is wrapped at the terminal's width, and examples keep their lines`() async throws {
        let wide = try await Tool().run(["publish", "--help"], environment: ["COLUMNS": "120"]).standardOutput
        let paragraphs = wide.prefix { $0 != "U" }.split(separator: "\n")
        #expect(paragraphs.contains { $0.count > 100 } && paragraphs.allSatisfy { $0.count <= 120 }, "\(wide)")
        let rules = try await Tool().run("rules", "--help").standardOutput
        #expect(rules.contains("{\"format\": 1, \"rules\": [\n"), "\(rules)")
        let start = try await Tool().run("init", "--help").standardOutput
        #expect(start.contains("Templates:\n  site "), "\(start)")
    }

    @Test func `what a rollout does is said once`() async throws {
        let tool = try await Self.project()
        try tool.write(["plan.json": #"{"start": "manual", "steps": [{"share": 10, "for": "1h"}, {"share": 80}]}"#])
        let shop = ["shop@1.1.0", "--channel", "beta"]
        try await Self.publish(tool, "1.1.0", "--rollout", "0")
        try await tool.run(["rollout", "set"] + shop + ["--plan", "plan.json", "--yes"]).expectSuccess()
        try await tool.run(["rollout", "start"] + shop + ["--yes"]).expectSuccess()
        let pause = try await tool.run(["rollout", "pause"] + shop).expectSuccess()
        let first = try #require(pause.standardOutput.split(separator: "\n").first)
        #expect(!pause.standardError.contains(first), "\(pause)")
    }
}
