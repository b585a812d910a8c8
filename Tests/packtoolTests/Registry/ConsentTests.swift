import Foundation
import PackJSON
import Testing

/// Commands that would do more than was said: they refuse, with numbers, until somebody says yes.
struct ConsentTests {
    /// A project whose channel beta offers `shop` 1.0.0 to everyone and 1.1.0 to half of the devices.
    private static func project() async throws -> Tool {
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--quiet").expectSuccess()
        for version in ["1.0.0", "1.1.0", "1.2.0"] {
            try tool.write(["dist/index.html": "<!doctype html><title>Shop \(version)</title>"])
            try await tool.run("build", "dist", "--package", "shop", "--package-version", version).expectSuccess()
        }
        try await tool.run("publish", "packages/shop-1.0.0.zip", "--channel", "beta").expectSuccess()
        try await tool.run("publish", "packages/shop-1.1.0.zip", "--channel", "beta", "--rollout", "50").expectSuccess()
        return tool
    }

    /// What beta and stable offer, as `VERSION@PERCENT`.
    private static func offers(_ tool: Tool, _ channel: String = "beta") async throws -> [String] {
        let channels = try await tool.run("status", "--json").json().object().object("channels")
        guard let shop = try channels[channel]?.object().array("shop") else { return [] }
        return try shop.map { try $0.object() }.map { release in
            let percent = try release["percent"]?.integer("percent") ?? 100
            return "\((try? release.string("version")) ?? "embedded")@\(percent)"
        }
    }

    private static func expectRefused(
        _ tool: Tool, _ arguments: [String], saying words: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try await tool.run("status", "--json").standardOutput
        let outcome = try await tool.run(arguments)
        expectClearError(outcome, naming: words, exitCode: 3, sourceLocation: sourceLocation)
        #expect(try await tool.run("status", "--json").standardOutput == before, sourceLocation: sourceLocation)
        let json = try await tool.run(arguments + ["--json"])
        #expect(try json.json().object().object("error").string("kind") == "needsConsent", "\(json)")
    }

    @Test(.onFolder) func `publish makes no registry and no keys: only init does`() async throws {
        let tool = try Tool()
        try tool.write(["dist/index.html": "<!doctype html><title>Shop</title>"])
        try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.0.0").expectSuccess()
        try await expectRefusal(
            tool, arguments: ["publish", "packages/shop-1.0.0.zip", "--channel", "beta"],
            naming: ["there is no registry", ".packtool/registry", "packtool init"])
    }

    @Test(arguments: ["publish", "status", "client"])
    func `an empty PACKTOOL_REGISTRY is an error that names it`(command: String) async throws {
        let tool = try await Self.project()
        let rest = ["publish": ["packages/shop-1.2.0.zip"], "client": ["update", "--store", "device"]]
        let outcome = try await tool.run(
            [command] + (rest[command] ?? []), environment: ["PACKTOOL_REGISTRY": " \n"])
        expectClearError(outcome, naming: ["PACKTOOL_REGISTRY is set and empty"])
        #expect(try await Self.offers(tool) == ["1.1.0@50", "1.0.0@100"])
    }

    @Test func `publish without a share keeps the one that is there, and says when it does not lower one`() async throws
    {
        let tool = try await Self.project()
        let publish = ["publish", "packages/shop-1.1.0.zip", "--channel", "beta"]
        let again = try await tool.run(publish).expectSuccess()
        #expect(again.standardOutput.contains("unchanged  shop 1.1.0 on beta to 50 % of the devices"), "\(again)")
        let lower = try await tool.run(publish + ["--rollout", "10"]).expectSuccess()
        #expect(lower.standardError.contains("beta offers shop 1.1.0 to 50 % already and keeps that"), "\(lower)")
        #expect(try await Self.offers(tool) == ["1.1.0@50", "1.0.0@100"])
        try await tool.run(publish + ["--rollout", "60"]).expectSuccess()
        #expect(try await Self.offers(tool) == ["1.1.0@60", "1.0.0@100"])
        let new = try await tool.run("publish", "packages/shop-1.2.0.zip", "--channel", "beta").expectSuccess()
        #expect(new.standardOutput.contains("offered    shop 1.2.0 on beta to 100 % of the devices"), "\(new)")
    }

    @Test func `publish takes devices back to an older version only where that was said`() async throws {
        let tool = try await Self.project()
        let hotfix = ["publish", "packages/shop-1.0.0.zip", "--channel", "beta"]
        try await Self.expectRefused(
            tool, hotfix,
            saying: [
                "beta offers shop 1.1.0 (50 %), then 1.0.0. 1.0.0 is older than 1.1.0: offering it takes devices back.",
                "--yes",
            ])
        // Nothing is sent before the question.
        try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.0.9").expectSuccess()
        try await Self.expectRefused(
            tool, ["publish", "packages/shop-1.0.9.zip", "--channel", "beta", "--rollout", "5"],
            saying: ["1.0.9 is older than 1.1.0"])
        try await tool.run(hotfix + ["--yes"]).expectSuccess()
        #expect(try await Self.offers(tool) == ["1.0.0@100"])
        try await tool.run("publish", "packages/shop-1.0.9.zip", "--channel", "beta").expectSuccess()
        #expect(try await Self.offers(tool) == ["1.0.9@100"])
        // Versions for other apps are apart.
        for (version, app) in [("3.0.0", ">=5.0.0"), ("2.9.1", "<5.0.0")] {
            try await tool.run(
                "build", "dist", "--package", "shop", "--package-version", version, "--requires-app", app
            )
            .expectSuccess()
            try await tool.run("publish", "packages/shop-\(version).zip", "--channel", "beta").expectSuccess()
        }
        #expect(try await Self.offers(tool) == ["2.9.1@100", "3.0.0@100", "1.0.9@100"])
    }

    @Test func `publish without a channel says that no device would be offered it`() async throws {
        let tool = try await Self.project()
        try await Self.expectRefused(
            tool, ["publish", "packages/shop-1.2.0.zip", "--rollout", "50"],
            saying: [
                "No channel is given, and packtool.json names none: no device would be offered shop 1.2.0", "--channel",
            ])
        let published = try await tool.run("publish", "packages/shop-1.2.0.zip", "--yes").expectSuccess()
        #expect(
            published.standardError.contains(
                "published and not offered to any device: to offer it, publish again with --channel NAME\n"),
            "\(published)")
        #expect(!published.standardError.contains("Devices can install this now"), "\(published)")
        let offered = try await tool.run("publish", "packages/shop-1.2.0.zip", "--channel", "beta").expectSuccess()
        #expect(offered.standardError.contains("Devices can install this now. Making patches"), "\(offered)")
    }

    /// What a tag's release was is not undone by the next run on the main branch.
    @Test func `a prerelease of a published version is one of the next`() async throws {
        let tool = try await Self.project()
        let build = ["build", "dist", "--package", "shop", "--package-version", "1.2.0", "--prerelease", "ci.18"]
        let before = try await tool.run(build).expectSuccess()
        #expect(before.standardOutput.contains("shop 1.2.0-ci.18") && !before.standardError.contains("prerelease"))
        try await tool.run("publish", "packages/shop-1.2.0.zip", "--channel", "beta").expectSuccess()
        let after = try await tool.run(build).expectSuccess()
        #expect(after.standardOutput.contains("shop 1.2.1-ci.18"), "\(after)")
        #expect(
            after.standardError.contains("shop 1.2.0 is published: this is a prerelease of the next, 1.2.1-ci.18\n"),
            "\(after)")
        try await tool.run("publish", "packages/shop-1.2.1-ci.18.zip", "--channel", "beta").expectSuccess()
        #expect(try await Self.offers(tool) == ["1.2.1-ci.18@100"])
    }

    @Test func `a CI job that runs again does not undo a rollback`() async throws {
        let tool = try await Self.project()
        try await tool.run("publish", "packages/shop-1.2.0.zip", "--channel", "beta").expectSuccess()
        let back = try await tool.run("rollback", "shop", "--channel", "beta").expectSuccess()
        #expect(back.standardOutput.contains("beta offers shop 1.0.0 (before: 1.2.0)"), "\(back)")
        let rerun = try await tool.run("publish", "packages/shop-1.2.0.zip", "--channel", "beta")
        expectClearError(
            rerun, naming: ["beta was rolled back from shop 1.2.0 to 1.0.0 by local:", " at 20", "Z: ", "--again"])
        #expect(try await Self.offers(tool) == ["1.0.0@100"])
        try await tool.run("publish", "packages/shop-1.2.0.zip", "--channel", "beta", "--again").expectSuccess()
        #expect(try await Self.offers(tool) == ["1.2.0@100"])
    }

    @Test func `promote says what it replaces, and offers to everybody only where that was said`() async throws {
        let tool = try await Self.project()
        let promote = ["promote", "shop", "--from", "beta", "--to", "stable"]
        let unclear = try await tool.run(promote)
        expectClearError(unclear, naming: ["beta offers shop 1.1.0 (50 %), 1.0.0", "shop@1.1.0 or shop@1.0.0"])
        let first = ["promote", "shop@1.0.0", "--from", "beta", "--to", "stable"]
        try await Self.expectRefused(
            tool, first,
            saying: ["The registry has no channel stable (it has: beta).", "--new-channel makes the channel", "--yes"])
        try await tool.run(first + ["--new-channel"]).expectSuccess()
        #expect(try await Self.offers(tool, "stable") == ["1.0.0@100"])
        let next = ["promote", "shop@1.1.0", "--from", "beta", "--to", "stable"]
        try await Self.expectRefused(
            tool, next,
            saying: [
                "stable offers shop 1.0.0. Promoting 1.1.0 replaces that on 100 % of the devices", "--rollout", "--yes",
            ])
        let share = try await tool.run(next + ["--rollout", "5"]).expectSuccess()
        #expect(share.standardOutput.contains("stable offers shop 1.1.0 (5 %), then 1.0.0 (before: 1.0.0)"), "\(share)")
        try await Self.expectRefused(tool, next, saying: ["stable offers shop 1.1.0 (5 %), then 1.0.0"])
        try await tool.run(next + ["--yes"]).expectSuccess()
        #expect(try await Self.offers(tool, "stable") == ["1.1.0@100"])
        #expect(try await tool.run(next).exitCode == 2, "nothing to do, and nothing to ask")
        try await Self.expectRefused(
            tool, first + ["--rollout", "5"],
            saying: ["Promoting 1.0.0, which is older, replaces that on 5 % of the devices at once."])
        for wrong in ["shop@9.9.9", "shop@1.2.0"] {
            let refused = try await tool.run("promote", wrong, "--from", "beta", "--to", "stable")
            #expect(refused.exitCode == 1 && !refused.standardError.contains("--yes"), "\(refused)")
        }
        let unknown = try await tool.run("promote", "shop@9.9.9", "--from", "beta", "--to", "stable")
        expectClearError(unknown, naming: ["shop 9.9.9"])
    }

    @Test func `lowering a share says how many devices go back, and to what`() async throws {
        let tool = try await Self.project()
        let lower = ["rollout", "shop", "--channel", "beta", "--percent", "20"]
        try await Self.expectRefused(
            tool, lower, saying: ["shop 1.1.0 to 50 %", "With 20 %, 30 % of all devices", "go back to 1.0.0", "--yes"])
        try await tool.run(lower + ["--yes"]).expectSuccess()
        try await tool.run("rollout", "shop", "--channel", "beta", "--percent", "100").expectSuccess()
        #expect(try await Self.offers(tool) == ["1.1.0@100"])
        try await Self.expectRefused(tool, lower, saying: ["80 % of all devices", "go back to 1.0.0"])
        let help = try await tool.run("rollout", "set", "--help").standardOutput
        #expect(help.replacing("\n", with: " ").contains("A smaller share moves devices back"), "\(help)")
    }

    @Test func `a share that is lowered is one of the audience, in devices where a plan knows them`() async throws {
        let tool = try await Self.project()
        func lowered(_ percent: String) -> [String] { ["rollout", "shop", "--channel", "beta", "--percent", percent] }
        try await tool.run("rollout", "shop", "--channel", "beta", "--audience", "platform=ios", "--yes")
            .expectSuccess()
        try await Self.expectRefused(
            tool, lowered("20"),
            saying: [
                "50 % of the devices with platform=ios", "With 20 %, 30 % of the devices in its audience leave it",
            ])
        try tool.write([
            "plan.json": #"{"devices": 2000, "steps": [{"share": 60, "for": "1d"}, {"share": 100}]}"#
        ])
        let plan = try await tool.run("rollout", "shop", "--channel", "beta", "--plan", "plan.json", "--yes")
        #expect(
            plan.standardOutput.contains(
                "60 % of the devices with platform=ios in place of 50 %: about 200 more of 2,000"), "\(plan)")
        let halted = try await tool.run("rollout", "halt", "shop", "--channel", "beta").expectSuccess()
        #expect(halted.standardOutput.contains("60 % of the devices with platform=ios, as before"), "\(halted)")
        try await Self.expectRefused(
            tool, lowered("50"),
            saying: ["With 50 %, 10 % of the devices in its audience (by its plan about 200 of 2,000) leave it"])
    }

    @Test func `a share of what a rollback or a withdrawal left is changed by its name only`() async throws {
        let tool = try await Self.project()
        try await tool.run("withdraw", "shop@1.1.0", "--reason", "broken", "--yes").expectSuccess()
        let after = try await tool.run("rollout", "shop", "--channel", "beta", "--percent", "100")
        expectClearError(after, naming: ["shop 1.1.0 was taken back", "the newest release on beta is 1.0.0 now"])
        try await tool.run("rollback", "shop", "--channel", "beta", "--to", "embedded").expectSuccess()
        let embedded = try await tool.run("rollout", "shop", "--channel", "beta", "--percent", "10")
        expectClearError(embedded, naming: ["the way back to what the app embeds", "shop@VERSION"])
        #expect(try await Self.offers(tool) == ["embedded@100"])
        let named = try await tool.run("rollout", "shop@1.2.0", "--channel", "beta", "--percent", "10")
        expectClearError(named, naming: ["beta does not offer shop 1.2.0; it offers embedded"])
    }

    @Test func `withdraw lists the channels, their shares and where devices go`() async throws {
        let tool = try await Self.project()
        try await tool.run("promote", "shop@1.1.0", "--from", "beta", "--to", "stable", "--yes").expectSuccess()
        let withdraw = ["withdraw", "shop@1.1.0", "--reason", "broken"]
        try await Self.expectRefused(
            tool, withdraw,
            saying: [
                "Withdrawing shop 1.1.0 is for good", "beta: 50 % of the devices leave shop 1.1.0 and go to 1.0.0",
                "stable: 100 % of the devices leave shop 1.1.0 and keep the version that they run, because no other release is left",
                "--yes",
            ])
        try await tool.run("rollout", "shop", "--channel", "beta", "--percent", "100").expectSuccess()
        try await Self.expectRefused(
            tool, withdraw, saying: ["beta: 100 % of the devices leave shop 1.1.0 and go to 1.0.0"])
        try await tool.run(withdraw + ["--yes"]).expectSuccess()
        #expect(try await Self.offers(tool) == ["1.0.0@100"])
        let unknown = try await tool.run("withdraw", "shop@3.0.0", "--reason", "x")
        expectClearError(unknown, naming: ["shop 3.0.0 is not published (there is: 1.1.0, 1.0.0)"])
    }

    @Test(arguments: [("yes", ["1.1.0@20", "1.0.0@100"]), ("no", ["1.1.0@50", "1.0.0@100"])])
    func `on a terminal the command asks`(answer: String, expected: [String]) async throws {
        let tool = try await Self.project()
        let line = "\(Tool.executable.path) rollout shop --channel beta --percent 20"
        let typed = "(sleep 1; echo \(answer)) | script -qec '\(line)' /dev/null || true"
        // Some runners give their jobs a terminal.
        let job = try await tool.shell(typed, environment: ["CI": "true"])
        #expect(job.standardOutput.contains("Nothing was done. To do it: --yes"), "\(job)")
        #expect(try await Self.offers(tool) == ["1.1.0@50", "1.0.0@100"], "\(job)")
        let outcome = try await tool.shell(typed, environment: ["CI": ""])
        #expect(outcome.standardOutput.contains("Do it? (yes/no)"), "\(outcome)")
        #expect(try await Self.offers(tool) == expected, "\(outcome)")
    }

    @Test func `build --version is not taken for the package's version`() async throws {
        let tool = try await Self.project()
        for arguments in [["build", "dist", "--version", "1.3.0"], ["build", "--version=1.3.0", "dist"]] {
            let outcome = try await tool.run(arguments)
            #expect(outcome.exitCode == 64 && outcome.standardOutput.isEmpty, "\(outcome)")
            #expect(outcome.standardError.contains("The package's version is --package-version"), "\(outcome)")
        }
        #expect(try await tool.run("--version").exitCode == 0)
    }
}
