import Foundation
import TestSupport
import Testing

/// Real web builds, from `packtool init` to the screens of two engines, beside a plain static server: `make soak` only. It fetches
/// them from PyPI (`Benchmarks/apps.json`).
struct RealBuildTests {
    private static let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] != nil

    @Test(.enabled(if: isLong))
    func `twelve real builds work as on a static server, and stay so through ten minutes of clicking each way`()
        async throws
    {
        let tool = try Tool()
        let fetched = try await tool.run(
            Tool.project.appendingPathComponent("scripts/fetch-datasets.sh"), [],
            environment: ["DATASETS": "Benchmarks/apps.json", "PATH": "/usr/bin:/bin:/usr/local/bin"])
        try #require(fetched.exitCode == 0, "\(fetched)")
        let products = BuiltProgram.beside("packtool").deletingLastPathComponent().path
        let outcome = try await tool.startScript("real_builds.py", products, "--minutes", "10").outcome()
        #expect(outcome.exitCode == 0, "\(outcome)")
        #expect(outcome.standardOutput.contains("12 builds, 0 faults"), "\(outcome)")
    }
}
