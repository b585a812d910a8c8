import Foundation
import PackJSON
import Testing

/// `packtool rollout` with plans, as a release manager uses it.
struct RolloutCommandTests {
    /// A registry whose channel offers shop 1.0.0, and has 1.1.0 published.
    static func project(_ versions: String...) async throws -> Tool {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        for version in versions.isEmpty ? ["1.0.0", "1.1.0"] : versions {
            try tool.write(["dist/index.html": "<title>\(version)</title><script>packtool.confirm()</script>"])
            try await tool.run(
                "build", "dist", "--package", "shop", "--package-version", version, "--out", "packages"
            ).expectSuccess()
            let offer = version == "1.0.0" ? ["--channel", "beta"] : ["--channel", "beta", "--rollout", "0"]
            try await tool.run(["publish", "packages/shop-\(version).zip", "--no-wait"] + offer).expectSuccess()
        }
        return tool
    }

    private static let plan = """
        {
          "steps": [{"share": 1, "for": "4h"}, {"share": 10, "for": "1d"}, {"share": 100}], // careful
          "devices": 2000,
        }
        """

    @Test func `a plan for an older version says that it takes devices back`() async throws {
        let tool = try await Self.project("1.0.0")
        for (version, more) in [("0.9.0", ["--yes"]), ("1.1.0", ["--channel", "beta"])] {
            try await tool.run(
                "build", "dist", "--package", "shop", "--package-version", version, "--out", "packages"
            ).expectSuccess()
            try await tool.run(["publish", "packages/shop-\(version).zip", "--no-wait"] + more).expectSuccess()
        }
        try tool.write(["plan.json": Self.plan])
        let plan = ["rollout", "shop@0.9.0", "--channel", "beta", "--plan", "plan.json"]
        let dry = try await tool.run(plan + ["--dry-run"])
        #expect(
            dry.standardOutput.contains(
                "; it is older than 1.1.0, so devices of the share that have that go back to it"), "\(dry)")
        expectClearError(try await tool.run(plan), naming: ["0.9.0 is older than 1.1.0", "--yes"])
    }

    @Test func `a gate has defaults that are said, holds the second step, and says what it sees and waits for`()
        async throws
    {
        let tool = try await Self.project()
        let gate = ["rollout", "shop", "--channel", "beta", "--gate"]
        let dry = try await tool.run(gate + ["--dry-run"])
        for part in ["GATE", "halts above +0.5, goes on below +3 of 200", "1     1 %    1d", "4     100 %"] {
            #expect(dry.standardOutput.contains(part), "\(part): \(dry)")
        }
        try await tool.run(gate + ["--yes"]).expectSuccess()
        let status = try await tool.run("rollout", "status", "shop")
        for part in ["is running, step 1 of 4", "gate: 0 of 0 devices failed", "waits for 200 judged devices: 0 are"] {
            #expect(status.standardOutput.contains(part), "\(part): \(status)")
        }
        let why = try await tool.run("explain", "shop", "--channel", "beta", "--device", "a")
        #expect(why.standardOutput.contains("gate: 0 of 0 devices failed"), "\(why)")
        let both = try await tool.run(gate + ["--percent", "5"])
        #expect(both.exitCode == 64 && both.standardError.contains("--gate"), "\(both)")
    }

    @Test func `a webhook is added, shows its secret once, and is listed, tried and removed`() async throws {
        let tool = try await Self.project("1.0.0")
        let made = try await tool.run("webhook", "add", "https://hooks.example.com/x")
        #expect(made.exitCode == 0 && made.standardOutput.contains("whsec_"), "\(made)")
        let id = try #require(made.standardOutput.split(separator: " ").first.map(String.init))
        let list = try await tool.run("webhook", "list")
        #expect(list.standardOutput.contains(id) && !list.standardOutput.contains("whsec_"), "\(list)")
        try tool.write(["secret": "whsec_c2VjcmV0IG9mIHR3ZW50eSBmb3VyIGJ5dGVz\n"])
        let own = try await tool.run("webhook", "add", "https://hooks.example.com/y", "--secret-file", "secret")
        #expect(own.exitCode == 0 && !own.standardOutput.contains("whsec_"), "\(own)")
        let none = try await tool.run("webhook", "add", "https://hooks.example.com/y", "--secret-variable", "NOT_SET")
        #expect(none.exitCode == 1 && none.standardError.contains("NOT_SET is not set"), "\(none)")
        let tried = try await tool.run("webhook", "test", id)
        #expect(tried.exitCode == 0 && tried.standardError.contains("packtool serve"), "\(tried)")
        #expect(try await tool.run("webhook", "dead-letters").standardOutput.contains("nothing was given up"))
        try await tool.run("webhook", "remove", id).expectSuccess()
        let gone = try await tool.run("webhook", "remove", id)
        #expect(gone.exitCode == 1 && gone.standardError.contains("packtool webhook list"), "\(gone)")
        let odd = try await tool.run("webhook", "add", "https://a.example/", "--events", "hallt")
        #expect(odd.exitCode == 64 && odd.standardError.contains("there is no event hallt"), "\(odd)")
    }

    @Test func `a plan is looked at, put on a release, stopped, gone on with, and taken back`() async throws {
        let tool = try await Self.project()
        try tool.write(["plan.json": Self.plan])
        let plan = ["rollout", "shop", "--channel", "beta", "--plan", "plan.json"]
        let dry = try await tool.run(plan + ["--dry-run"])
        #expect(dry.exitCode == 0, "\(dry)")
        for part in [
            "STEP  SHARE", "1     1 %", "200", "100 %  -    2,000", "expected", "times are of UTC", "starts: 1 %",
        ] {
            #expect(dry.standardOutput.contains(part), "\(part): \(dry)")
        }
        let asks = try await tool.run(plan)
        #expect(asks.exitCode == 3 && asks.standardError.contains("about 20 more of 2,000"), "\(asks)")
        #expect(asks.standardError.contains("To do it: --yes"), "\(asks)")
        let none = try await tool.run("rollout", "status", "shop")
        #expect(none.standardOutput.contains("no release of shop has a plan"), "\(none)")
        let done = try await tool.run(plan + ["--yes"])
        #expect(done.exitCode == 0 && done.standardOutput.contains("2     10 %   1d   200      expected"), "\(done)")
        #expect(done.standardError.contains("packtool rollout run"), "\(done)")
        #expect(try await tool.run(plan + ["--yes"]).exitCode == 2)

        let words = ["shop", "--channel", "beta"]
        let paused = try await tool.run(["rollout", "pause"] + words + ["--reason", "lunch"])
        #expect(paused.exitCode == 0 && paused.standardOutput.contains("until packtool rollout resume"), "\(paused)")
        #expect(try await tool.run(["rollout", "pause"] + words).exitCode == 2)
        let state = try await tool.run("rollout", "status", "shop")
        for part in ["beta: shop 1.1.0 is paused, step 1 of 3: 1 %", "about 20 of 2,000", "lunch", "local:"] {
            #expect(state.standardOutput.contains(part), "\(part): \(state)")
        }
        try await tool.run(["rollout", "resume"] + words).expectSuccess()
        let early = try await tool.run("rollout", "run")
        #expect(early.exitCode == 0 && early.standardOutput.contains("nothing is due\nnext: "), "\(early)")
        let advance = try await tool.run(["rollout", "advance"] + words)
        #expect(
            advance.exitCode == 3 && advance.standardError.contains("10 % of the devices in place of 1 %"), "\(advance)"
        )
        try await tool.run(["rollout", "advance"] + words + ["--yes"]).expectSuccess()
        #expect(try await tool.run(["rollout", "advance"] + words + ["--step", "2", "--yes"]).exitCode == 2)
        let status = try await tool.run("status")
        #expect(status.standardOutput.contains("beta 10 %"), "\(status)")
        let wrong = try await tool.run(["rollout", "advance"] + words + ["--step", "9", "--yes"])
        expectClearError(wrong, naming: ["no step 9", "1 to 3"])
        let dryBack = try await tool.run(["rollout", "rollback"] + words + ["--dry-run"])
        #expect(dryBack.exitCode == 0 && dryBack.standardOutput.contains("about 200 devices"), "\(dryBack)")
        try await tool.run(["rollout", "rollback"] + words + ["--yes"]).expectSuccess()
        let after = try await tool.run("rollout", "status", "shop")
        #expect(after.standardOutput.contains("shop 1.1.0 is rolled back"), "\(after)")
        let again = try await tool.run(["rollout", "shop@1.1.0"] + plan.dropFirst(2) + ["--yes"])
        expectClearError(again, naming: ["rolled back", "--again"])
    }

    @Test func `a share is changed as ever, with and without the word set`() async throws {
        let tool = try await Self.project()
        for command in [["rollout"], ["rollout", "set"]] {
            try await tool.run(command + ["shop", "--channel", "beta", "--percent", "5"]).expectSuccess()
            let dry = try await tool.run(command + ["shop", "--channel", "beta", "--percent", "7", "--dry-run"])
            #expect(dry.standardOutput.contains("7 % of the devices in place of 5 %"), "\(dry)")
            #expect(try await tool.run("status").standardOutput.contains("beta 5 %"))
            try await tool.run(command + ["shop", "--channel", "beta", "--percent", "0", "--yes"]).expectSuccess()
        }
        let both = try await tool.run(
            "rollout", "shop", "--channel", "beta", "--percent", "5", "--plan", "plan.json")
        #expect(both.exitCode == 64, "\(both)")
    }

    @Test func `a plan with a mistake is refused with its place, and nothing is changed`() async throws {
        let tool = try await Self.project()
        let steps = String(repeating: "{\"share\": 1, \"for\": \"1h\"},\n", count: 50_000)
        let plans: [(String, [String])] = [
            (
                "{\n  \"steps\": [{\"share\": 10, \"for\": \"1h\"}, {\"share\": 5}]}",
                ["plan.json:2:", "steps[1].share", "only grows"]
            ),
            (
                "{\"steps\": [{\"share\": 1}], \"hours\": {\"zone\": \"Mars/Olympus\", \"windows\": []}}",
                ["hours.zone", "Mars/Olympus"]
            ),
            ("{\"steps\": [\(steps)]}", ["plan.json", "262144 at most"]),
            ("{\"steps\": [{\"share\": 1}], \"newDevicesPerHour\": 3}", ["newDevicesPerHour", "--devices COUNT"]),
        ]
        let before = try tool.listing(".packtool/registry/view")
        for (text, parts) in plans {
            try tool.write(["plan.json": text])
            let refused = try await tool.run("rollout", "shop", "--channel", "beta", "--plan", "plan.json", "--yes")
            expectClearError(refused, naming: parts)
        }
        let missing = try await tool.run("rollout", "shop", "--channel", "beta", "--plan", "plna.json", "--yes")
        expectClearError(missing, naming: ["plna.json"])
        try tool.write(["plan.json": Self.plan])
        let misspelt = try await tool.run("rollout", "shp", "--channel", "beta", "--plan", "plan.json", "--yes")
        expectClearError(misspelt, naming: ["shp", "it has: shop"])
        #expect(try tool.listing(".packtool/registry/view") == before)
    }

    /// Every plan of docs/ROLLOUTS.md, and the schema for editors.
    @Test func `the documented plans are plans, by packtool and by the schema`() async throws {
        let tool = try await Self.project()
        let plans = try tool.writeExamples(with: "steps")
        for plan in plans {
            let dry = try await tool.run("rollout", "shop", "--channel", "beta", "--plan", plan, "--dry-run")
            #expect(dry.exitCode == 0, "\(dry)")
        }
        try await tool.expectSchema(
            "plan", allows: plans,
            refuses: """
                ({}, {"steps": []}, {"steps": [{"share": 0}]}, {"steps": [{"share": 1, "for": "soon"}]},
                 {"steps": [{"share": 1}], "stepps": 1}, {"steps": [{"share": 1}], "hours": {"zone": "UTC"}})
                """)
    }
}
