import Foundation
import PackJSON
import Testing

/// Runners of plans as processes: a server, cron jobs, and kills.
struct RolloutRunnerTests {
    private static let rounds = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == nil ? 14 : 300

    /// The steps that the audit log has, oldest first: who, and the share.
    private static func steps(_ tool: Tool) async throws -> [(actor: String, share: String)] {
        let log = try await tool.run("audit", "--limit", "10000", "--json").json().object().array("entries")
        return try log.map { try $0.object() }.filter {
            ["rollout start", "rollout step", "rollout plan"].contains(try? $0.string("action"))
        }.reversed().compactMap { entry in
            let detail = try entry.string("detail")
            guard let match = detail.firstMatch(of: /([0-9.]+) % of the devices in place of/) else { return nil }
            return (try entry.string("actor"), String(match.1))
        }
    }

    @Test func `of two runners that are killed anywhere each step is taken once, and the plan goes on`() async throws {
        let tool = try await RolloutCommandTests.project()
        let count = Self.rounds / 2
        let shares = (1...count).map { "\(Double($0) * 0.25)".replacing(/\.?0$/, with: "") }
        let steps = shares.map { "{\"share\": \"\($0)\", \"for\": \"1s\"}" }.joined(separator: ",\n")
        try tool.write(["plan.json": "{\"steps\": [\(steps)]}"])
        try await tool.run("rollout", "shop", "--channel", "beta", "--plan", "plan.json", "--yes").expectSuccess()
        let start = ContinuousClock.now
        try await tool.run("rollout", "run").expectSuccess()
        let length = max(ContinuousClock.now - start, .milliseconds(50))
        var killed = 0
        for round in 0..<Self.rounds {
            if round.isMultiple(of: 2) { try await Task.sleep(for: .seconds(1)) }
            let runners = try [tool.start("rollout", "run"), tool.start("rollout", "run")]
            for runner in runners.shuffled() {
                try await Task.sleep(for: length * Double.random(in: 0...0.6))
                if Int.random(in: 0..<4) > 0 { runner.kill(SIGKILL) }
            }
            for runner in runners where await runner.outcome().exitCode != 0 { killed += 1 }
            // What a device sees is whole after each kill, and is a step of the plan.
            let update = try await tool.run(
                "client", "update", "--store", "device", "--channel", "beta", "--root", ".packtool/root.json")
            #expect([0, 2].contains(update.exitCode), "\(update)")
        }
        #expect(killed > 0)
        for _ in 0...count {
            try await Task.sleep(for: .seconds(1))
            let runners = try [tool.start("rollout", "run"), tool.start("rollout", "run")]
            for runner in runners { #expect(await runner.outcome().exitCode == 0) }
            if try await tool.run("rollout", "status", "shop").standardOutput.contains("is completed") { break }
        }
        let taken = try await Self.steps(tool)
        #expect(taken.map(\.share) == shares)
        #expect(taken.dropFirst().allSatisfy { $0.actor == "system:rollout" })
        let status = try await tool.run("rollout", "status", "shop")
        #expect(status.standardOutput.contains("shop 1.1.0 is completed, step \(count) of \(count)"), "\(status)")
    }

    @Test func `a server takes the steps by itself, beside cron jobs over HTTP and in its folder`() async throws {
        let live = try await LiveRegistry()
        for version in ["1.0.0", "1.1.0"] {
            try await live.publish("shop", version, files: ["index.html": "<p>\(version)</p>"])
        }
        let (url, tool) = (live.url, live.tool)
        let token = try await live.token("--release", "--package", "shop", "--channel", "beta")
        let remote = ["--registry", url]
        func run(_ arguments: String...) async throws -> Outcome {
            try await tool.run(arguments + remote, environment: ["PACKTOOL_TOKEN": token])
        }
        try await run("rollout", "shop", "--channel", "beta", "--percent", "0", "--yes").expectSuccess()
        let steps = (1...4).map { "{\"share\": \($0 * 10), \"for\": \"1s\"}" }.joined(separator: ",")
        try tool.write(["plan.json": "{\"steps\": [\(steps), {\"share\": 100}]}"])
        try await run("rollout", "shop", "--channel", "beta", "--plan", "plan.json", "--yes").expectSuccess()
        var state = ""
        for _ in 0..<40 where state != "completed" {
            try await run("rollout", "run").expectSuccess()
            try await tool.run("rollout", "run", "--registry", live.folder).expectSuccess()
            let status = try await run("rollout", "status", "shop", "--json").expectSuccess()
            state = try #require(status.json().object().array("rollouts").first).object().string("state")
            try await Task.sleep(for: .milliseconds(400))
        }
        #expect(state == "completed")
        #expect(try await Self.steps(tool).map(\.share) == ["10", "20", "30", "40", "100"])
        let status = try await tool.run("status", "--registry", live.folder)
        #expect(status.standardOutput.contains("1.1.0") && !status.standardOutput.contains("beta 40 %"), "\(status)")
        // Nobody but the server: the next plan goes on without a cron job.
        try await live.publish("shop", "1.2.0", files: ["index.html": "<p>1.2.0</p>"])
        try await run("rollout", "shop", "--channel", "beta", "--percent", "0", "--yes").expectSuccess()
        try await run("rollout", "shop", "--channel", "beta", "--plan", "plan.json", "--yes").expectSuccess()
        var alone = ""
        for _ in 0..<60 where !alone.contains("shop 1.2.0 is completed") {
            try await Task.sleep(for: .seconds(1))
            alone = try await run("rollout", "status", "shop").standardOutput
        }
        #expect(alone.contains("shop 1.2.0 is completed"), "\(alone)")
    }

    @Test func `of a server and cron jobs over HTTP and in its folder at once each step is taken once`() async throws {
        let live = try await LiveRegistry()
        for version in ["1.0.0", "1.1.0"] {
            try await live.publish("shop", version, files: ["index.html": "<p>\(version)</p>"])
        }
        // A folder has one server: a second one is refused, and changes nothing of the first. A database may have several.
        if !Tool.isOnStorage {
            let second = try await live.tool.run("serve", "--port", "0")
            expectClearError(second, naming: ["another packtool serve has the registry", "stop that one first"])
        }
        let token = ["PACKTOOL_TOKEN": try await live.token("--release", "--channel", "beta")]
        try await live.tool.run(
            ["rollout", "shop", "--channel", "beta", "--percent", "0", "--yes", "--registry", live.url],
            environment: token
        ).expectSuccess()
        let steps = (1...8).map { "{\"share\": \($0 * 10), \"for\": \"1s\"}" }.joined(separator: ",")
        try live.tool.write(["plan.json": "{\"steps\": [\(steps), {\"share\": 100}]}"])
        try await live.tool.run(
            ["rollout", "shop", "--channel", "beta", "--plan", "plan.json", "--yes", "--registry", live.url],
            environment: token
        ).expectSuccess()
        var isComplete = false
        // The plan takes eight seconds; how many rounds fit in them is the machine's.
        let deadline = ContinuousClock.now + .seconds(60)
        while !isComplete, ContinuousClock.now < deadline {
            // The server by itself, and cron in the folder and twice over HTTP, at once.
            let runners = try [live.folder, live.url, live.url].map {
                try live.tool.start(["rollout", "run", "--registry", $0], environment: token)
            }
            for runner in runners {
                let outcome = await runner.outcome()
                #expect(outcome.exitCode == 0, "\(outcome)")
            }
            let status = try await live.tool.run("rollout", "status", "shop", "--registry", live.folder)
            isComplete = status.standardOutput.contains("is completed")
        }
        #expect(isComplete)
        #expect(
            try await Self.steps(live.tool).map(\.share) == ["10", "20", "30", "40", "50", "60", "70", "80", "100"])
    }
}
