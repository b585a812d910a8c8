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
        let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] != nil
        let points = isLong ? [] : ["--points", "12"]
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
}
