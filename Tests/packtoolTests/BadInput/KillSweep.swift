import Foundation
import Testing

/// Every call of packtool that changes something on a disk is the last one of some run. A dozen of each action here; all of
/// them under `PACKTOOL_LONG=1` (`make soak`), or by `Tests/Tools/kill_sweep.py`.
enum KillSweep {
    static let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] != nil

    /// Kills one action, and expects that it really was killed, at calls that were spread over all of them.
    static func run(_ action: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let points = isLong ? [] : ["--points", "12"]
        let outcome = try await Tool().startScript(
            "kill_sweep.py", [Tool.executable.path, "--action", action] + points
        ).outcome()
        #expect(outcome.exitCode == 0, "\(outcome)", sourceLocation: sourceLocation)
        let counts = try #require(
            outcome.standardOutput.firstMatch(of: /: ([0-9]+) calls, ([0-9]+) points, ([0-9]+) kills/),
            sourceLocation: sourceLocation)
        let (calls, kills) = try (#require(Int(counts.1)), #require(Int(counts.3)))
        // Some runs have a few calls less than the one that was counted.
        #expect(kills * 4 >= min(calls, 12) * 3, "\(outcome)", sourceLocation: sourceLocation)
    }
}
