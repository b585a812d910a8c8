import Foundation
import PackJSON
import Testing

/// A plan that is not on what the channel offers now, or does not stay there: whoever gives a command is told.
struct PlanPlaceTests {
    private static let beta = ["--channel", "beta"]

    /// shop 1.1.0 runs by a plan, at 10 %; 1.2.0 is built.
    private static func running() async throws -> Tool {
        let tool = try await RolloutCommandTests.project()
        try tool.write([
            "plan.json": #"{"steps": [{"share": 10, "for": "1d"}, {"share": 50, "for": "1d"}, {"share": 100}]}"#,
            "dist/index.html": "<title>1.2.0</title><script>packtool.confirm()</script>",
        ])
        try await tool.run(["rollout", "shop"] + beta + ["--plan", "plan.json", "--yes"]).expectSuccess()
        try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.2.0", "--out", "packages")
            .expectSuccess()
        return tool
    }

    @Test func `whoever publishes over a plan is told that it is paused, before and after`() async throws {
        let tool = try await Self.running()
        let told =
            "the plan of shop 1.1.0 on beta (running, step 1 of 3) is paused: beta then offers the newer shop 1.2.0"
        let publish = ["publish", "packages/shop-1.2.0.zip", "--no-wait"] + Self.beta
        let nobody = try await tool.run(publish + ["--rollout", "0", "--dry-run"]).expectSuccess()
        #expect(!nobody.standardOutput.contains("is paused"), "\(nobody)")
        let dry = try await tool.run(publish + ["--rollout", "20", "--dry-run"]).expectSuccess()
        #expect(dry.standardOutput.contains(told), "\(dry)")
        let made = try await tool.run(publish + ["--rollout", "20"]).expectSuccess()
        #expect(made.standardError.contains(told), "\(made)")
        try await tool.run("rollout", "run").expectSuccess()
        let status = try await tool.run("rollout", "status", "shop")
        #expect(status.standardOutput.contains("shop 1.1.0 is paused"), "\(status)")
        // It is paused already: nothing more is said of it.
        let again = try await tool.run(publish + ["--rollout", "30"]).expectSuccess()
        #expect(!again.standardError.contains("is paused"), "\(again)")
    }

    @Test func `a share by hand and another plan say what they do to the plan that runs`() async throws {
        let tool = try await Self.running()
        let shared = try await tool.run(["rollout", "shop"] + Self.beta + ["--percent", "20"]).expectSuccess()
        #expect(
            shared.standardOutput.contains(
                "the plan of shop 1.1.0 on beta (running, step 1 of 3) is paused: the share is set by hand"),
            "\(shared)")
        try await tool.run(["rollout", "resume", "shop"] + Self.beta).expectSuccess()
        try tool.write(["other.json": #"{"steps": [{"share": 30, "for": "1d"}, {"share": 100}]}"#])
        let other = ["rollout", "shop"] + Self.beta + ["--plan", "other.json"]
        let dry = try await tool.run(other + ["--dry-run"]).expectSuccess()
        let told = "it takes the place of the plan that was running, between step 1 (10 %) and step 2 (50 %) of 3"
        #expect(dry.standardOutput.contains(told) && !dry.standardOutput.contains("by hand"), "\(dry)")
        let made = try await tool.run(other + ["--yes"]).expectSuccess()
        #expect(made.standardOutput.contains(told), "\(made)")
        // A plan for a newer version pauses the one before.
        try await tool.run(["publish", "packages/shop-1.2.0.zip", "--no-wait", "--rollout", "0"] + Self.beta)
            .expectSuccess()
        let newer = try await tool.run(["rollout", "shop@1.2.0"] + Self.beta + ["--plan", "plan.json", "--dry-run"])
        #expect(
            newer.standardOutput.contains(
                "the plan of shop 1.1.0 on beta (running, step 1 of 2) is paused: beta then offers the newer shop 1.2.0"
            ),
            "\(newer)")
    }

    @Test func `a word that stops a rollout does not go to the plan of what devices no longer get`() async throws {
        let tool = try await Self.running()
        try await tool.run(["publish", "packages/shop-1.2.0.zip", "--no-wait", "--rollout", "50"] + Self.beta)
            .expectSuccess()
        for word in ["halt", "pause", "rollback"] {
            let refused = try await tool.run(["rollout", word, "shop"] + Self.beta + ["--yes"])
            expectClearError(
                refused,
                naming: [
                    "beta offers shop 1.2.0 now, which has no plan",
                    "packtool rollout shop@1.2.0 --channel beta --percent 0 takes it back",
                    "packtool rollout \(word) shop@1.1.0 --channel beta",
                ])
        }
        // Devices on which it failed: the newest is meant.
        let retry = try await tool.run(["rollout", "retry", "shop"] + Self.beta).expectSuccess()
        #expect(retry.standardOutput.contains("shop 1.2.0 on beta failed try it again"), "\(retry)")
        try await tool.run(["rollout", "halt", "shop@1.1.0"] + Self.beta).expectSuccess()
        try await tool.run(["rollback", "shop", "--yes"] + Self.beta).expectSuccess()
        let gone = try await tool.run(["rollout", "rollback", "shop"] + Self.beta + ["--yes"])
        #expect(gone.exitCode == 2 && gone.standardOutput.contains("was taken back"), "\(gone)")
    }

    @Test func `a rollback by plan that was made already does not speak for what came after it`() async throws {
        let tool = try await Self.running()
        let rollback = ["rollout", "rollback", "shop"] + Self.beta + ["--yes"]
        try await tool.run(rollback).expectSuccess()
        #expect(try await tool.run(rollback).exitCode == 2)
        try await tool.run(["publish", "packages/shop-1.2.0.zip", "--no-wait", "--rollout", "50"] + Self.beta)
            .expectSuccess()
        expectClearError(
            try await tool.run(rollback),
            naming: ["beta offers shop 1.2.0 now, which has no plan", "packtool rollout shop@1.2.0"])
        #expect(try await tool.run("status").standardOutput.contains("beta 50 %"))
    }

    @Test func `a plan that is past is refused, and advance says that it goes on with a paused one`() async throws {
        let tool = try await Self.running()
        try tool.write([
            "past.json": #"{"steps": [{"share": 30, "for": "1d"}, {"share": 100}], "end": "2020-01-01T00:00:00Z"}"#
        ])
        let past = try await tool.run(["rollout", "shop"] + Self.beta + ["--plan", "past.json", "--yes"])
        expectClearError(past, naming: ["the plan ends at 2020-01-01T00:00:00", "is past"])
        try await tool.run(["rollout", "pause", "shop"] + Self.beta + ["--reason", "lunch"]).expectSuccess()
        let advance = try await tool.run(["rollout", "advance", "shop"] + Self.beta + ["--dry-run"]).expectSuccess()
        #expect(
            advance.standardOutput.contains("it was paused (") && advance.standardOutput.contains("lunch"), "\(advance)"
        )
        let none = try await tool.run(["rollout", "halt", "shop@1.0.0"] + Self.beta)
        expectClearError(none, naming: ["no release of shop 1.0.0 on beta has a plan"])
        #expect(!none.standardError.contains("packtool rollback"), "\(none)")
    }

    @Test func `status of a plan names its audience, and explain its place`() async throws {
        let tool = try await Self.running()
        try await tool.run(
            ["rollout", "shop"] + Self.beta + ["--audience", "platform=linux", "--percent", "20", "--yes"]
        )
        .expectSuccess()
        let status = try await tool.run("rollout", "status", "shop").expectSuccess()
        #expect(status.standardOutput.contains("for platform=linux: the shares are of these devices"), "\(status)")
        let json = try await tool.run("rollout", "status", "shop", "--json").json().object()
        let entry = try #require(json.array("rollouts").first).object()
        #expect(try entry.array("audiences").map { try $0.string("audience") } == ["platform=linux"])
        let why = try await tool.run(["explain", "shop", "--device", "a", "--platform", "linux"] + Self.beta)
        #expect(why.standardOutput.contains("between step 1 (10 %) and step 2 (50 %) of 3, paused"), "\(why)")
    }

    @Test func `a plan that has not begun is paused though devices get an older release`() async throws {
        let tool = try await RolloutCommandTests.project()
        try tool.write(["plan.json": #"{"steps": [{"share": 10, "for": "1d"}, {"share": 100}], "start": "manual"}"#])
        try await tool.run(["rollout", "shop"] + Self.beta + ["--plan", "plan.json", "--yes"]).expectSuccess()
        try await tool.run(["rollout", "pause", "shop"] + Self.beta).expectSuccess()
        let status = try await tool.run("rollout", "status", "shop")
        #expect(status.standardOutput.contains("shop 1.1.0 is paused, before step 1 of 2"), "\(status)")
    }

    /// help and shop in versions 1.0.0, 1.1.0 and 1.2.0; 1.1.0 of both is a set with a plan, which help has.
    private static func set() async throws -> Tool {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        for version in ["1.0.0", "1.1.0", "1.2.0"] {
            for package in ["help", "shop"] {
                try tool.write([
                    "dist/index.html": "<title>\(package) \(version)</title><script>packtool.confirm()</script>"
                ])
                try await tool.run(
                    "build", "dist", "--package", package, "--package-version", version, "--out", "packages"
                ).expectSuccess()
            }
        }
        func publish(_ version: String, _ share: String) async throws {
            try await tool.run(
                [
                    "publish", "packages/help-\(version).zip", "packages/shop-\(version).zip", "--no-wait", "--rollout",
                    share,
                ]
                    + beta
            ).expectSuccess()
        }
        try await publish("1.0.0", "100")
        try await publish("1.1.0", "10")
        try tool.write(["plan.json": #"{"steps": [{"share": 10, "for": "1d"}, {"share": 100}]}"#])
        try await tool.run(["rollout", "help"] + beta + ["--plan", "plan.json", "--yes"]).expectSuccess()
        return tool
    }

    @Test func `the plan of a set is named too, whichever of its packages something is offered of`() async throws {
        let tool = try await Self.set()
        let told = "the plan of help 1.1.0 on beta (running, step 1 of 2) is paused: "
        let publish = ["publish", "packages/shop-1.2.0.zip", "--no-wait", "--rollout", "20"] + Self.beta
        let dry = try await tool.run(publish + ["--dry-run"]).expectSuccess()
        #expect(dry.standardOutput.contains(told + "beta then offers the newer shop 1.2.0"), "\(dry)")
        let share = try await tool.run(["rollout", "shop"] + Self.beta + ["--percent", "20", "--dry-run"])
        #expect(share.standardOutput.contains(told + "the share is set by hand"), "\(share)")
        let both = try await tool.run(
            ["publish", "packages/help-1.2.0.zip", "packages/shop-1.2.0.zip", "--no-wait", "--rollout", "50"]
                + Self.beta)
        #expect(both.exitCode == 0 && both.standardError.contains(told), "\(both)")
        for package in ["help", "shop"] {
            let halt = try await tool.run(["rollout", "halt", package] + Self.beta)
            expectClearError(halt, naming: ["beta offers \(package) 1.2.0 now, which has no plan", "\(package)@1.1.0"])
        }
    }

    @Test
    func `who approves a release sees the plan that it pauses`() async throws {
        let tool = try await Self.running()
        try await tool.run(["channel", "beta", "--approvals", "1"]).expectSuccess()
        let proposed = try await tool.run(
            ["publish", "packages/shop-1.2.0.zip", "--no-wait", "--rollout", "20", "--propose"] + Self.beta
        ).expectSuccess()
        let told = "the plan of shop 1.1.0 on beta (running, step 1 of 3) is paused"
        let shown = try await tool.run("changes", "show", "2")
        #expect(shown.standardOutput.contains(told), "\(shown)\n\(proposed)")
    }
}
