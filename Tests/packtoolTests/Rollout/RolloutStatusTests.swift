import Foundation
import PackJSON
import Testing

/// `packtool rollout status` and `rollout run`, as somebody reads them who did not make the plan.
struct RolloutStatusTests {
    private static let beta = ["--channel", "beta"]

    private static func planned() async throws -> Tool {
        let tool = try await RolloutCommandTests.project()
        try tool.write([
            "plan.json": """
            {"steps": [{"share": 10, "for": "1d"}, {"share": 50, "for": "1d"}, {"share": 80}], "devices": 2000}
            """
        ])
        try await tool.run(["rollout", "shop"] + beta + ["--plan", "plan.json", "--yes"]).expectSuccess()
        return tool
    }

    @Test func `a share that somebody set is said to be between two steps, below the first, or above the last`()
        async throws
    {
        let tool = try await Self.planned()
        func status() async throws -> String {
            try await tool.run("rollout", "status", "shop").expectSuccess().standardOutput
        }
        #expect(try await status().contains("shop 1.1.0 is running, step 1 of 3: 10 % of the devices"))
        for (percent, place) in [
            ("30", "between step 1 (10 %) and step 2 (50 %) of 3: 30 %"), ("5", "below step 1 (10 %) of 3: 5 %"),
            ("90", "above the last, step 3 (80 %), of 3: 90 %"), ("50", "step 2 of 3: 50 %"),
        ] {
            try await tool.run(["rollout", "shop"] + Self.beta + ["--percent", percent, "--yes"]).expectSuccess()
            let text = try await status()
            #expect(text.contains("shop 1.1.0 is paused, \(place) of the devices"), "\(text)")
            // The first share paused the plan; the others came after that.
            #expect(text.contains("the share was set to 30 % by hand"), "\(text)")
            if percent != "30" { #expect(text.contains("set the share to \(percent) % by hand after that"), "\(text)") }
        }
    }

    @Test func `a version that was taken back and is offered again is not said to reach nobody`() async throws {
        let tool = try await Self.planned()
        try await tool.run(["rollout", "rollback", "shop"] + Self.beta + ["--yes"]).expectSuccess()
        let gone = try await tool.run("rollout", "status", "shop").standardOutput
        #expect(gone.contains("shop 1.1.0 is rolled back, step 1 of 3: nobody gets it, before it was 10 %"), "\(gone)")
        try await tool.run(["release", "shop@1.1.0", "--again", "--rollout", "40", "--yes"] + Self.beta).expectSuccess()
        let status = try await tool.run("rollout", "status", "shop").standardOutput
        #expect(
            status.contains(
                "shop 1.1.0 is rolled back, and offered again, without this plan, to 40 % of the devices, step 1 of 3: by "
                    + "the plan it was 10 % of the devices"), "\(status)")
        let line = try await tool.run("rollout", "status").standardOutput
        #expect(line.contains("rolled back, offered again") && line.contains("40 %"), "\(line)")
        let json = try await tool.run("rollout", "status", "--json").json().object().array("rollouts")
        #expect(try json.first?.object().string("offeredAgain").isEmpty == false, "\(json)")
    }

    @Test func `a rollback says that a release which waits for its plan goes too`() async throws {
        let tool = try await Self.planned()
        try tool.write(["dist/index.html": "<title>1.2.0</title><script>packtool.confirm()</script>"])
        try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.2.0", "--out", "packages")
            .expectSuccess()
        try await tool.run(["publish", "packages/shop-1.2.0.zip", "--no-wait", "--rollout", "0"] + Self.beta)
            .expectSuccess()
        try tool.write(["later.json": #"{"start": "manual", "steps": [{"share": 10, "for": "1d"}, {"share": 100}]}"#])
        try await tool.run(["rollout", "shop@1.2.0"] + Self.beta + ["--plan", "later.json", "--yes"]).expectSuccess()
        let dry = try await tool.run(["rollout", "rollback", "shop@1.1.0", "--dry-run"] + Self.beta).expectSuccess()
        #expect(dry.standardOutput.contains("nobody gets shop 1.2.0, which has a plan"), "\(dry)")
    }

    @Test func `a release that a newer one for all devices hides is superseded, and has no share`() async throws {
        let tool = try await RolloutCommandTests.project()
        try tool.write(["plan.json": "{\"steps\": [{\"share\": 30, \"for\": \"1d\"}, {\"share\": 100}]}"])
        try await tool.run(["rollout", "shop@1.1.0"] + Self.beta + ["--plan", "plan.json", "--yes"]).expectSuccess()
        try tool.write(["dist/index.html": "<title>1.3.0</title><script>packtool.confirm()</script>"])
        try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.3.0", "--out", "packages")
            .expectSuccess()
        try await tool.run(["publish", "packages/shop-1.3.0.zip", "--no-wait"] + Self.beta).expectSuccess()
        let status = try await tool.run("rollout", "status", "shop").standardOutput
        #expect(
            status.contains(", and superseded by 1.3.0, step 1 of 2: nobody gets it, before it was 30 %"), "\(status)")
        #expect(status.contains("next: nothing by itself: all devices get 1.3.0"), "\(status)")
        let line = try await tool.run("rollout", "status").standardOutput
        #expect(line.contains("0 %") && !line.contains("30 %"), "\(line)")
        // A smaller share leads to each release that lies beneath.
        let fewer = try await tool.run(["rollout", "shop@1.3.0"] + Self.beta + ["--percent", "50"])
        #expect(
            fewer.standardError.contains(
                "go back to the newest release that admits them: 1.1.0 (30 % of the devices), then 1.0.0"), "\(fewer)")
    }

    @Test func `rollout run says what is next, and status without a package has a line for each plan`() async throws {
        let tool = try await Self.planned()
        let none = try await tool.run("rollout", "run").expectSuccess().standardOutput
        #expect(none.hasPrefix("nothing is due\nnext: ") && none.contains("Z: shop 1.1.0 on beta to 50 %"), "\(none)")
        let next = try await tool.run("rollout", "run", "--json").json().object()
        let subject = try next.object("nextOf")
        #expect(try subject.string("package") == "shop" && subject.string("channel") == "beta")
        #expect(try subject.integer("percent") == 50 && !next.string("next").isEmpty)
        let soon = Date().addingTimeInterval(3_600).formatted(.iso8601)
        try await tool.run(["gate", "shop"] + Self.beta + ["--off", "--yes", "--at", soon]).expectSuccess()
        let change = try await tool.run("rollout", "run").expectSuccess().standardOutput
        #expect(change.contains("next: \(soon): change 1 on beta"), "\(change)")

        for name in ["promote", "plan"] {
            let arguments =
                name == "promote"
                ? ["promote", "shop", "--from", "beta", "--to", "gamma", "--rollout", "0", "--yes"]
                : ["rollout", "shop", "--channel", "gamma", "--plan", "plan.json", "--yes"]
            // The version that everybody of beta has.
            try await tool.run(arguments.map { $0 == "shop" && name == "promote" ? "shop@1.0.0" : $0 }).expectSuccess()
        }
        try await tool.run("rollout", "halt", "shop", "--channel", "gamma", "--reason", "no").expectSuccess()
        let all = try await tool.run("rollout", "status").expectSuccess().standardOutput.split(separator: "\n")
        #expect(all.count == 3 && all[0].hasPrefix("PACKAGE  VERSION  CHANNEL  STATE"), "\(all)")
        #expect(all[1].contains("beta") && all[1].contains("running") && all[1].contains("50 % at "), "\(all)")
        #expect(all[2].contains("gamma") && all[2].contains("halted") && all[2].contains("1.0.0"), "\(all)")
        let one = try await tool.run("rollout", "status", "--channel", "gamma", "--json").json().object()
        #expect(try one.array("rollouts").count == 1)
        let status = try await tool.run("status").expectSuccess().standardOutput
        let line = try #require(status.split(separator: "\n").first { $0.contains("(halted)") }, "\(status)")
        #expect(line.contains("1.0.0") && line.contains("gamma"), "\(line)")
        #expect(try await tool.run("status", "--json").json().object().array("halted").count == 1)
        #expect(try await tool.run("status", "--channel", "beta", "--json").json().object().array("halted").isEmpty)
    }

    @Test func `a retry is counted as people count`() async throws {
        let tool = try await Self.planned()
        for word in ["first", "second", "third", "4th"] {
            let retry = try await tool.run(["rollout", "retry", "shop"] + Self.beta).expectSuccess()
            #expect(retry.standardOutput.contains("try it again, for the \(word) time"), "\(retry)")
        }
    }

    @Test func `a halted rollout is not completed before somebody goes on with it, who is told why it was halted`()
        async throws
    {
        let tool = try await Self.planned()
        try await tool.run(["rollout", "halt", "shop"] + Self.beta + ["--reason", "orders are lost"]).expectSuccess()
        for dry in [[], ["--dry-run"]] {
            let refused = try await tool.run(["rollout", "complete", "shop"] + Self.beta + ["--yes"] + dry)
            expectClearError(
                refused,
                naming: ["shop 1.1.0 on beta is halted", "orders are lost", "packtool rollout resume comes first"])
        }
        #expect(try await tool.run("status").standardOutput.contains("beta 10 %"))
        try await tool.run(["rollout", "resume", "shop"] + Self.beta).expectSuccess()
        try await tool.run(["rollout", "complete", "shop"] + Self.beta + ["--yes"]).expectSuccess()
        #expect(try await !tool.run("status").standardOutput.contains("beta 10 %"))
    }
}
