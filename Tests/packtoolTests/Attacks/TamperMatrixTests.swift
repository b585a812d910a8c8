import Foundation
import Testing

/// A mirror tells a device every kind of lie about every kind of file, and every kind of file of its store is damaged. Ten of the
/// rows here; all of them, with other bits each day, under `PACKTOOL_LONG=1` (`make soak`), or by `Tests/Tools/tamper_matrix.py`.
@Suite(.onFolder) struct TamperMatrixTests {
    private func matrix(_ arguments: String...) async throws -> Outcome {
        try await Tool().startScript("tamper_matrix.py", [Tool.executable.path] + arguments).outcome()
    }

    @Test func `whatever a mirror says and whatever the disk has, a page has the bytes of one version or is an error`()
        async throws
    {
        let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] != nil
        let day = Int(Date().timeIntervalSince1970) / 86400
        let outcome = isLong ? try await matrix("--seed", "\(day)") : try await matrix("--points", "10")
        #expect(outcome.exitCode == 0, "\(outcome)")
        let rows = try #require(outcome.standardOutput.firstMatch(of: /([0-9]+) rows, 0 faults/))
        #expect(try #require(Int(rows.1)) >= 10)
    }

    /// Against content that is wrong by one bit, every row that shows a page is a fault.
    @Test func `the matrix sees a wrong bit`() async throws {
        let outcome = try await matrix("--prove-it-fails", "--points", "2", "--action", "store")
        #expect(outcome.exitCode == 0, "\(outcome)")
        #expect(outcome.standardOutput.contains("WRONG BYTES"), "\(outcome)")
    }
}
