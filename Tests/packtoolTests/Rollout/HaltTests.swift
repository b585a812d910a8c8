import Foundation
import Testing

/// A halted release, and a person or a CI job that does not know of the halt.
struct HaltTests {
    private static let beta = ["--channel", "beta"]

    @Test func `a halted release is not tried again, and whoever promotes it is told of the halt`() async throws {
        let tool = try await RolloutCommandTests.project()
        try tool.write(["plan.json": #"{"steps": [{"share": 10, "for": "1d"}, {"share": 100}]}"#])
        try await tool.run(["rollout", "shop"] + Self.beta + ["--plan", "plan.json", "--yes"]).expectSuccess()
        try await tool.run(["release", "shop@1.0.0", "--channel", "stable", "--new-channel"]).expectSuccess()
        try await tool.run(["rollout", "halt", "shop"] + Self.beta + ["--reason", "orders are lost"]).expectSuccess()
        expectClearError(
            try await tool.run(["rollout", "retry", "shop"] + Self.beta),
            naming: ["shop 1.1.0 on beta is halted and cannot retry", ": orders are lost)", "resume comes first"])
        let promote = ["promote", "shop@1.1.0", "--from", "beta", "--to", "stable"]
        let told = "The rollout of shop 1.1.0 on beta is halted (by "
        let asked = try await tool.run(promote)
        #expect(asked.exitCode == 3 && asked.standardError.contains(told), "\(asked)")
        #expect(asked.standardError.contains(": orders are lost). stable offers shop 1.0.0"), "\(asked)")
        let made = try await tool.run(promote + ["--yes"]).expectSuccess()
        #expect(made.standardError.contains(told), "\(made)")
        try await tool.run(["rollout", "resume", "shop"] + Self.beta).expectSuccess()
        try await tool.run(["rollout", "retry", "shop"] + Self.beta).expectSuccess()
    }

    @Test func `a CI job that runs again, a share and a new plan are told of the halt, also in a dry run`() async throws
    {
        let tool = try await RolloutCommandTests.project()
        try tool.write([
            "plan.json": #"{"steps": [{"share": 10, "for": "1d"}, {"share": 100}]}"#,
            "plan2.json": #"{"steps": [{"share": 50, "for": "1d"}, {"share": 100}]}"#,
        ])
        try await tool.run(["rollout", "shop"] + Self.beta + ["--plan", "plan.json", "--yes"]).expectSuccess()
        try await tool.run(["rollout", "halt", "shop"] + Self.beta + ["--reason", "orders are lost"]).expectSuccess()
        let doors = [
            ["rollout", "shop", "--plan", "plan2.json"], ["rollout", "shop", "--gate"],
            ["rollout", "shop", "--percent", "50"], ["publish", "packages/shop-1.1.0.zip", "--rollout", "100"],
            ["release", "shop@1.1.0", "--rollout", "100"],
        ]
        for door in doors {
            for consent in ["--yes", "--dry-run"] {
                let refused = try await tool.run(door + Self.beta + [consent])
                expectClearError(
                    refused,
                    naming: [
                        "shop 1.1.0 on beta is halted and cannot ", ": orders are lost)",
                        "packtool rollout resume comes first", "packtool rollout rollback takes the release back",
                    ])
            }
        }
        #expect(try await tool.run("status").standardOutput.contains("beta 10 %"))
        // The same job without a share changes nothing, and fails nobody's build.
        try await tool.run(["publish", "packages/shop-1.1.0.zip", "--no-wait"] + Self.beta).expectSuccess()
        #expect(try await tool.run("status").standardOutput.contains("beta 10 %"))
        try await tool.run(["rollout", "shop"] + Self.beta + ["--percent", "5", "--yes"]).expectSuccess()
        try await tool.run(["rollout", "resume", "shop"] + Self.beta).expectSuccess()
        try await tool.run(["rollout", "shop"] + Self.beta + ["--plan", "plan2.json", "--yes"]).expectSuccess()
        #expect(try await tool.run("status").standardOutput.contains("beta 50 %"))
    }
}
