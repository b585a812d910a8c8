import Foundation
import PackJSON
import Testing

/// `state` in packtool.json, from the build to the rollback that it stops.
struct StateCommandTests {
    @Test func `a rollback that would lose stored data is refused with versions and numbers`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--template", "config").expectSuccess()
        func build(_ version: String, _ state: String) async throws -> Outcome {
            try tool.write(["site/index.html": "<p>\(version)</p>", "packtool.json": "{\(state)\"package\": \"shop\"}"])
            return try await tool.run("build", "site", "--package-version", version, "--out", "packages")
        }
        try await build("1.0.0", #""state": {"version": 1},"#).expectSuccess()
        try await tool.run("publish", "packages/shop-1.0.0.zip", "--channel", "beta").expectSuccess()
        let second = try await build("2.0.0", #""state": {"version": 2, "reads": [1, 2]},"#)
        #expect(second.exitCode == 0 && !second.standardError.contains("stored data"), "\(second)")
        try await tool.run("publish", "packages/shop-2.0.0.zip", "--channel", "beta").expectSuccess()
        let shown = try await tool.run("inspect", "shop@2.0.0")
        #expect(shown.standardOutput.contains("state     2, reads 1 to 2"), "\(shown)")
        let difference = try await tool.run("diff", "shop@1.0.0", "shop@2.0.0")
        #expect(difference.standardOutput.contains("state: 1, reads 1 → 2, reads 1 to 2"), "\(difference)")

        let refused = try await tool.run("rollback", "shop", "--channel", "beta")
        #expect(refused.exitCode == 1)
        #expect(
            refused.standardError.contains(
                "shop 1.0.0 reads stored data of state 1 only, and devices of beta may have data of state 2, which shop 2.0.0 "
                    + "writes"), "\(refused)")
        let withdrawal = try await tool.run("withdraw", "shop@2.0.0", "--reason", "a fault", "--yes")
        #expect(withdrawal.exitCode == 1 && withdrawal.standardError.contains("--despite-state"), "\(withdrawal)")
        let older = try await tool.run("publish", "packages/shop-1.0.0.zip", "--channel", "beta", "--yes")
        #expect(older.exitCode == 1 && older.standardError.contains("--despite-state"), "\(older)")
        try await tool.run("rollback", "shop", "--channel", "beta", "--despite-state").expectSuccess()
        #expect(try await tool.run("status").standardOutput.contains("1.0.0"))

        let dropped = try await build("2.1.0", "")
        #expect(dropped.standardError.contains("does not say which stored data it reads"), "\(dropped)")
        let wrong = try await build("2.2.0", #""state": {"version": 3, "reads": [1, 2]},"#)
        #expect(wrong.exitCode == 1 && wrong.standardError.contains("it must read what it writes itself"), "\(wrong)")
        #expect(wrong.standardError.contains("packtool.json:1:"), "\(wrong)")
    }
}
