import Foundation
import Testing

/// Every call of packtool that changes something on a disk is the last one of some run. A dozen of each action here; all of
/// them under `PACKTOOL_LONG=1` (`make soak`), or by `Tests/Tools/kill_sweep.py`.
struct KillSweepTests {
    @Test(arguments: [
        "publish", "withdraw", "update", "start", "confirm", "arrive", "publish-set", "rollback-set", "update-set",
    ])
    func `killed before any change on the disk, nothing that was acknowledged is lost and the next run goes through`(
        action: String
    ) async throws {
        let points = Self.isLong ? [] : ["--points", "12"]
        let outcome = try await Tool().startScript(
            "kill_sweep.py", [Tool.executable.path, "--action", action] + points
        ).outcome()
        #expect(outcome.exitCode == 0, "\(outcome)")
        let counts = try #require(
            outcome.standardOutput.firstMatch(of: /: ([0-9]+) calls, ([0-9]+) points, ([0-9]+) kills/))
        // It really was killed, and at calls that were spread over all of them.
        let (calls, kills) = try (#require(Int(counts.1)), #require(Int(counts.3)))
        // Some runs have a few calls less than the one that was counted.
        #expect(kills * 4 >= min(calls, 12) * 3, "\(outcome)")
    }

    /// The release of a set, its plan, each verb and the runner: a device never sees half of the set, and the plan goes on.
    @Test func `killed in a set's rollout, each device has the whole set and the plan goes on`() async throws {
        let verbs = ["plan", "start", "pause", "resume", "advance", "halt", "complete", "rollback", "retry", "run"]
        // The verbs in the long form only: each costs half a minute.
        let actions = ["release-set"] + (Self.isLong ? verbs : []).map { "rollout-\($0)" }
        let outcome = try await Tool().startScript(
            "kill_sweep.py",
            [Tool.executable.path, "--points", Self.isLong ? "40" : "3"] + actions.flatMap { ["--action", $0] }
        ).outcome()
        #expect(outcome.exitCode == 0, "\(outcome)")
        let counts = outcome.standardOutput.matches(of: /([a-z-]+): [0-9]+ calls, ([0-9]+) points, ([0-9]+) kills/)
        #expect(counts.map { String($0.1) } == actions, "\(outcome)")
        for count in counts {
            let (points, kills) = try (#require(Int(count.2)), #require(Int(count.3)))
            #expect(points >= 3 && kills * 5 >= (points - 1) * 4, "\(count.0)")
        }
    }

    private static let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] != nil
}
