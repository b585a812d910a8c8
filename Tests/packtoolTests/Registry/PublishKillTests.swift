import Foundation
import Testing

/// `packtool publish` is killed at random moments; the next run completes, and nothing shows what happened.
@Suite(.onFolder) struct PublishKillTests {
    private static let rounds = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == nil ? 20 : 200

    private static func project(versions: Int) async throws -> Tool {
        let tool = try Tool()
        try #require(try await tool.run("init", "--quiet", "--app", "kill", "--package", "ferries").exitCode == 0)
        for version in 0..<versions {
            try tool.write(["dist/news.html": "<p>news \(version)</p>", "dist/news-\(version).js": "show(\(version))"])
            let built = try await tool.run("build", "dist", "--package-version", "1.0.\(version)", "--quiet")
            try #require(built.exitCode == 0, "\(built)")
        }
        return tool
    }

    /// What stands in the view, but for the metadata, whose versions count the steps that were taken.
    private static func content(_ tool: Tool) throws -> [String: Data] {
        try tool.listing(".packtool/registry/view").filter {
            !$0.key.hasPrefix("metadata/") && !$0.key.hasPrefix("targets/channels/")
        }
    }

    @Test func `a publish that is killed anywhere is completed by the next one`() async throws {
        let tool = try await Self.project(versions: Self.rounds)
        let reference = try Tool()
        try await reference.shell("cp -r '\(tool.folder.path)/.' . && rm -rf .packtool/trust")
        let publish = { (version: Int) in ["publish", "packages/ferries-1.0.\(version).zip", "--channel", "beta"] }

        var longest = Duration.zero
        for version in 0..<Self.rounds {
            let start = ContinuousClock.now
            let outcome = try await reference.run(publish(version))
            try #require(outcome.exitCode == 0, "\(outcome)")
            longest = max(longest, ContinuousClock.now - start)
        }

        var killed = 0
        for version in 0..<Self.rounds {
            let running = try tool.start(publish(version))
            try await Task.sleep(for: .microseconds(Int64.random(in: 0...longest.microseconds)))
            running.kill(SIGKILL)
            if await running.outcome().exitCode != 0 { killed += 1 }
            // Somebody reads the registry in between: what they find is whole, and verifies.
            if version.isMultiple(of: 4) {
                let keys = try await tool.run("keys", "list", "--json")
                #expect(keys.exitCode == 0, "\(keys)")
            }
            let completed = try await tool.run(publish(version))
            #expect(completed.exitCode == 0, "version \(version): \(completed)")
        }
        #expect(killed > 0)
        #expect(try tool.listing(".packtool/registry/uploads").keys.sorted() == ["lock"])
        let (found, expected) = (try Self.content(tool), try Self.content(reference))
        #expect(Set(found.keys).symmetricDifference(expected.keys) == [])
        #expect(found == expected)
        let status = try await tool.run("status", "--json").standardOutput
        #expect(status.contains("\"1.0.\(Self.rounds - 1)\""))
    }
}

extension Duration {
    fileprivate var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
