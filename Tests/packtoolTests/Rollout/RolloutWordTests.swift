import Foundation
import PackJSON
import Testing

/// The words for a plan, as a release manager says them: what each one does to how many devices is said before it is done.
struct RolloutWordTests {
    private struct Word {
        let command: [String]
        /// The first line of what it says, before and after it.
        let effect: String
        /// Whether somebody has to say yes first.
        let asks: Bool
        /// The share and the state after it, as `packtool rollout status` has them.
        let state: String
    }

    private static let words = [
        Word(
            command: ["start"],
            effect: "start shop 1.1.0 on beta: 10 % of the devices in place of 0 %: about 200 more of 2,000",
            asks: true, state: "is running, step 1 of 3: 10 %"),
        Word(
            command: ["advance", "--step", "2"],
            effect: "advance shop 1.1.0 on beta: 50 % of the devices in place of 10 %: about 800 more of 2,000",
            asks: true, state: "is running, step 2 of 3: 50 %"),
        Word(
            command: ["pause"],
            effect: "pause shop 1.1.0 on beta: 50 % of the devices, as before: about 1,000 of 2,000", asks: false,
            state: "is paused, step 2 of 3: 50 %"),
        Word(
            command: ["resume"],
            effect: "resume shop 1.1.0 on beta: 50 % of the devices, as before: about 1,000 of 2,000", asks: false,
            state: "is running, step 2 of 3: 50 %"),
        Word(
            command: ["halt"],
            effect: "halt shop 1.1.0 on beta: 50 % of the devices, as before: about 1,000 of 2,000", asks: false,
            state: "is halted, step 2 of 3: 50 %"),
        Word(
            command: ["resume"],
            effect: "resume shop 1.1.0 on beta: 50 % of the devices, as before: about 1,000 of 2,000", asks: false,
            state: "is running, step 2 of 3: 50 %"),
        Word(
            command: ["complete"],
            effect: "complete shop 1.1.0 on beta: 100 % of the devices in place of 50 %: about 1,000 more of 2,000",
            asks: true, state: "is completed, step 3 of 3"),
        Word(
            command: ["rollback"],
            effect: "100 % of the devices, about 2,000 devices, leave shop 1.1.0 on beta and go to 1.0.0", asks: true,
            state: "is rolled back"),
    ]

    @Test func `each word says what it does to how many devices before it does it, and said again does nothing`()
        async throws
    {
        let tool = try await RolloutCommandTests.project()
        try tool.write([
            "plan.json": """
            {"start": "manual", "steps": [{"share": 10, "for": "1d"}, {"share": 50, "for": "1d"}, {"share": 100}], "devices": 2000}
            """
        ])
        try await tool.run("rollout", "shop", "--channel", "beta", "--plan", "plan.json", "--yes").expectSuccess()
        var before = try await tool.run("rollout", "status", "shop").standardOutput
        for word in Self.words {
            let said = ["rollout", word.command[0], "shop", "--channel", "beta"] + word.command.dropFirst()
            let dry = try await tool.run(said + ["--dry-run"]).expectSuccess()
            #expect(dry.standardOutput.hasPrefix(word.effect + "\n"), "\(dry)")
            if word.asks {
                let asks = try await tool.run(said)
                #expect(asks.exitCode == 3 && asks.standardError.contains("error: \(word.effect)\n"), "\(asks)")
                #expect(asks.standardError.contains("Nothing was done. To do it: --yes"), "\(asks)")
            }
            #expect(try await tool.run("rollout", "status", "shop").standardOutput == before, "\(word.command)")
            let done = try await tool.run(said + (word.asks ? ["--yes"] : [])).expectSuccess()
            #expect(done.standardOutput.hasPrefix(word.effect + "\n"), "\(done)")
            let after = try await tool.run("rollout", "status", "shop").standardOutput
            #expect(after.contains("shop 1.1.0 \(word.state)"), "\(after)")
            let again = try await tool.run(said + ["--yes"])
            #expect(again.exitCode == 2 && again.standardOutput.hasPrefix("nothing to do: "), "\(again)")
            before = try await tool.run("rollout", "status", "shop").standardOutput
            #expect(before == after, "\(word.command)")
        }
        let log = try await tool.run("audit", "--json").json().object().array("entries")
        let actions = try log.reversed().map { try $0.object().string("action") }.filter { $0.hasPrefix("rollout ") }
        #expect(actions == ["rollout plan"] + Self.words.map { "rollout \($0.command[0])" })
    }
}
