import Foundation
import PackJSON
import Testing

/// `--dry-run` of what changes a registry: it says what would change, refuses what would be refused, and leaves no trace.
struct DryRunTests {
    private static func build(_ tool: Tool, _ package: String, _ version: String) async throws -> String {
        try tool.write(["\(package)/index.html": "<!doctype html><title>\(package) \(version)</title>"])
        try await tool.run(
            "build", package, "--package", package, "--package-version", version, "--out", "packages", "--quiet"
        ).expectSuccess()
        return "packages/\(package)-\(version).zip"
    }

    /// `beta` has shop 1.0.0; shop 1.1.0 and help 1.0.0 are built.
    private static func project() async throws -> (tool: Tool, zips: [String]) {
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--quiet").expectSuccess()
        let first = try await build(tool, "shop", "1.0.0")
        try await tool.run("publish", first, "--channel", "beta", "--quiet").expectSuccess()
        return (tool, [try await build(tool, "shop", "1.1.0"), try await build(tool, "help", "1.0.0")])
    }

    @Test func `in a folder nothing is written, and each command says what it would change`() async throws {
        let (tool, zips) = try await Self.project()
        let before = try tool.content()
        let publish = try await tool.run(
            ["publish"] + zips + ["--channel", "beta", "--channel", "stable", "--rollout", "10", "--dry-run"]
        ).expectSuccess()
        for part in [
            "would publish  shop 1.1.0  1 of 1 files to send", "would publish  help 1.0.0  1 of 1 files to send",
            "after the owner's key lets yours publish the new package",
            "would offer    beta: 10 % of the devices get help 1.0.0, and the others get nothing; 10 % of the devices get "
                + "shop 1.1.0 in place of 1.0.0, and the others keep 1.0.0",
            "would offer    stable: 10 % of the devices get help 1.0.0",
        ] { #expect(publish.standardOutput.contains(part), "\(part): \(publish)") }
        #expect(publish.standardOutput.split(separator: "\n").count == 4, "\(publish)")
        let json = try await tool.run(["publish", zips[0], "--channel", "beta", "--dry-run", "--json"]).json().object()
        #expect(try json.bool("dryRun") && json.array("published")[0].object().integer("sentFiles") == 1)
        let rest: [([String], String)] = [
            (
                ["promote", "shop", "--from", "beta", "--to", "stable", "--rollout", "5"],
                "stable: 5 % of the devices get shop 1.0.0, and the others get nothing"
            ),
            (
                ["rollback", "shop", "--channel", "beta", "--to", "embedded"],
                "beta: 100 % of the devices get shop embedded in place of 1.0.0"
            ),
            (
                ["withdraw", "shop@1.0.0", "--reason", "broken"],
                "shop 1.0.0 would be withdrawn for good: no device installs it again.\nbeta: 100 % of the devices leave"
            ),
            (
                ["release", "shop@1.0.0", "--channel", "stable", "--rollout", "1"],
                "stable: 1 % of the devices get shop 1.0.0"
            ),
            (
                ["rollout", "shop", "--channel", "beta", "--percent", "40"],
                "beta: 40 % of the devices in place of 100 % get shop 1.0.0"
            ),
        ]
        for (command, text) in rest {
            let outcome = try await tool.run(command + ["--dry-run"]).expectSuccess()
            #expect(outcome.standardOutput.hasPrefix(text), "\(command): \(outcome)")
            let document = try await tool.run(command + ["--dry-run", "--json"]).json().object()
            #expect(try document.bool("dryRun"))
        }
        #expect(try tool.content() == before)
        // What it says is what is done.
        try await tool.run(["publish"] + zips + ["--channel", "beta", "--rollout", "10"]).expectSuccess()
        let back = try await tool.run("rollback", "help", "--channel", "beta", "--dry-run").expectSuccess()
        #expect(
            back.standardOutput.hasPrefix(
                "beta: 100 % of the devices get help embedded in place of 1.0.0 (10 %), and 10 % of the devices leave help 1.0.0; "
                    + "100 % of the devices get shop 1.0.0"), "\(back)")
    }

    @Test func `a dry run ends as the command would where that is refused`() async throws {
        let (tool, zips) = try await Self.project()
        try await tool.run("publish", zips[0], "--channel", "beta", "--quiet").expectSuccess()
        try await tool.run("rollback", "shop", "--channel", "beta", "--quiet").expectSuccess()
        let commands: [([String], Int32, String)] = [
            (["publish", zips[0], "--channel", "beta"], 1, "was rolled back from shop 1.1.0"),
            (["promote", "shop", "--from", "nowhere", "--to", "stable"], 1, "there is no channel nowhere"),
            (["rollback", "shop", "--channel", "betta"], 1, "there is no channel betta"),
            (["rollback", "shop", "--channel", "beta", "--to", "1.0.0"], 2, "beta offers shop 1.0.0"),
            (["withdraw", "shop@9.0.0", "--reason", "x"], 1, "shop 9.0.0 is not published"),
            (["release", "shop@9.0.0", "help@1.0.0", "--channel", "beta"], 1, "is not published"),
            (["rollout", "shop", "--channel", "beta", "--audience", "group=x"], 1, "has no group \"x\""),
        ]
        let before = try tool.content()
        for (command, code, text) in commands {
            let dry = try await tool.run(command + ["--dry-run"])
            #expect(dry.exitCode == code && dry.description.contains(text), "\(command): \(dry)")
        }
        #expect(try tool.content() == before)
        for (command, code, _) in commands { #expect(try await tool.run(command).exitCode == code, "\(command)") }
        // Other content under a version that is there.
        let other = try await Self.build(tool, "shop", "1.1.0-x")
        try await tool.shell("cp '\(other)' other.zip")
        try tool.write(["shop/index.html": "other"])
        try await tool.run(
            "build", "shop", "--package", "shop", "--package-version", "1.0.0", "--out", "again", "--quiet"
        ).expectSuccess()
        let conflict = try await tool.run("publish", "again/shop-1.0.0.zip", "--channel", "beta", "--dry-run")
        expectClearError(conflict, naming: ["shop 1.0.0 is published already with other content"])
        // Where the command would ask, the dry run says so and does not.
        let asks = try await tool.run(
            "rollout", "shop", "--channel", "beta", "--percent", "5", "--dry-run")
        #expect(asks.exitCode == 0 && asks.standardError.contains("asks first, or takes --yes"), "\(asks)")
    }

    @Test func `over HTTP nothing is sent, and a token must have the rights of the command`() async throws {
        let live = try await LiveRegistry()
        try await live.publish("shop", "1.0.0", files: ["index.html": "<p>1.0.0</p>"])
        let zip = try await Self.build(live.tool, "shop", "1.1.0")
        let environment = try await live.publisherEnvironment()
        let remote = ["--registry", live.url]
        func run(_ arguments: [String]) async throws -> Outcome {
            try await live.tool.run(arguments + remote + ["--dry-run"], environment: environment)
        }
        // The server itself goes on making patches and codings of what is published.
        func signed() throws -> [String: Data] {
            try live.tool.listing(".packtool/registry/view").filter { $0.key.hasSuffix(".json") }
        }
        let before = try signed()
        let audit = try await live.tool.run("audit", "--json").standardOutput
        let publish = try await run(["publish", zip, "--channel", "beta", "--rollout", "10"]).expectSuccess()
        #expect(publish.standardOutput.contains("would publish  shop 1.1.0  1 of 1 files to send"), "\(publish)")
        #expect(
            publish.standardOutput.contains("would offer    beta: 10 % of the devices get shop 1.1.0"), "\(publish)")
        for command in [
            ["rollback", "shop", "--channel", "beta", "--to", "embedded"], ["withdraw", "shop@1.0.0", "--reason", "x"],
            ["rollout", "shop", "--channel", "beta", "--percent", "1"],
        ] { #expect(try await run(command).expectSuccess().standardOutput.contains("beta: "), "\(command)") }
        let refused = try await run(["publish", zip, "--channel", "stable"])
        expectClearError(refused, naming: ["no right to release", "channel stable"])
        #expect(try signed() == before)
        #expect(try await live.tool.run("audit", "--json").standardOutput == audit)
    }

    @Test func `several channels get a version with one upload, and all are asked before it`() async throws {
        let (tool, zips) = try await Self.project()
        try await tool.run("publish", zips[0], "--channel", "stable", "--new-channel", "--quiet").expectSuccess()
        // 1.0.9 is older than what stable has: nothing happens to beta either.
        let older = try await Self.build(tool, "shop", "1.0.9")
        let before = try tool.content()
        let asks = try await tool.run("publish", older, "--channel", "beta", "--channel", "stable")
        #expect(
            asks.exitCode == 3 && asks.standardError.contains("stable offers shop 1.1.0. 1.0.9 is older"), "\(asks)")
        // A channel that refuses it keeps it from the others.
        try await tool.run("rollback", "shop", "--channel", "stable", "--to", "embedded", "--quiet").expectSuccess()
        let refused = try await tool.run("publish", zips[0], "--channel", "beta", "--channel", "stable")
        expectClearError(refused, naming: ["stable was rolled back from shop 1.1.0"])
        #expect(try tool.content()["packages/shop-1.0.9.zip"] == before["packages/shop-1.0.9.zip"])
        let status = try await tool.run("status", "--json").json().object().object("channels")
        #expect(try status.object("beta").array("shop")[0].object().string("version") == "1.0.0")
        let done = try await tool.run(
            "publish", zips[0], "--channel", "beta", "--channel", "stable", "--rollout", "20", "--again")
        #expect(done.exitCode == 0, "\(done)")
        let offered = [
            "unchanged  shop 1.1.0", "offered    shop 1.1.0 on beta to 20 % of the devices",
            "offered    shop 1.1.0 on stable to 20 % of the devices",
        ]
        #expect(done.standardOutput.split(separator: "\n").map(String.init) == offered, "\(done)")
        let twice = try await tool.run("publish", zips[0], "--channel", "beta", "--channel", "beta")
        #expect(twice.exitCode == 64 && twice.standardError.contains("named twice"), "\(twice)")
    }
}
