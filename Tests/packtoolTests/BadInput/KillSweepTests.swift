import Foundation
import Testing

/// The kill sweep of what is done to a registry.
@Suite(.onFolder) struct KillSweepTests {
    @Test(arguments: ["publish", "withdraw", "prune", "publish-set", "rollback-set"])
    func `killed before any change on the disk, nothing that was acknowledged is lost and the next run goes through`(
        action: String
    ) async throws {
        try await KillSweep.run(action)
    }

    /// The release of a set, its plan, each verb and the runner: a device never sees half of the set, and the plan goes on.
    @Test func `killed in a set's rollout, each device has the whole set and the plan goes on`() async throws {
        let verbs = ["plan", "start", "pause", "resume", "advance", "halt", "complete", "rollback", "retry", "run"]
        // The verbs in the long form only: each costs half a minute.
        let actions = ["release-set"] + (KillSweep.isLong ? verbs : []).map { "rollout-\($0)" }
        let outcome = try await Tool().startScript(
            "kill_sweep.py",
            [Tool.executable.path, "--points", KillSweep.isLong ? "40" : "3"] + actions.flatMap { ["--action", $0] }
        ).outcome()
        #expect(outcome.exitCode == 0, "\(outcome)")
        let counts = outcome.standardOutput.matches(of: /([a-z-]+): [0-9]+ calls, ([0-9]+) points, ([0-9]+) kills/)
        #expect(counts.map { String($0.1) } == actions, "\(outcome)")
        for count in counts {
            let (points, kills) = try (#require(Int(count.2)), #require(Int(count.3)))
            #expect(points >= 3 && kills * 5 >= (points - 1) * 4, "\(count.0)")
        }
    }
}
