import Foundation
import PackJSON
import Testing

/// `packtool renew`, for a folder that no server of ours keeps fresh.
struct RenewTests {
    @Test(.onFolder) func `reading a registry signs nothing and warns when a signature is due, and renew signs it`()
        async throws
    {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        let metadata = ".packtool/registry/view/metadata"
        func later(_ days: Int, _ command: String) async throws -> Outcome {
            try await tool.shell("faketime -f +\(days)d '\(Tool.executable.path)' \(command)")
        }
        let before = try tool.listing(metadata)
        let fresh = try await tool.run("status")
        #expect(fresh.exitCode == 0 && !fresh.standardError.contains("warning"), "\(fresh)")
        let status = try await later(4, "status")
        #expect(status.exitCode == 0 && status.standardError.contains("expire soon"), "\(status)")
        #expect(status.standardError.contains("packtool renew"), "\(status)")
        #expect(try await later(4, "audit").exitCode == 0)
        #expect(try tool.listing(metadata) == before)

        #expect(try await later(4, "renew").standardOutput.contains("signed anew: timestamp"))
        let renewed = try tool.listing(metadata)
        #expect(renewed.filter { before[$0.key] != $0.value }.keys.sorted() == ["timestamp.json"])
        #expect(try await later(4, "renew").standardOutput.contains("nothing expires soon"))
        let all = try await later(20, "renew --json").json().object().array("renewed").map { try $0.string("renewed") }
        #expect(all == ["channels", "snapshot", "timestamp"])
        let log = try await later(20, "audit --json").json().object().array("entries").map { try $0.object() }
        #expect(try log.map { try $0.string("actor") }.prefix(2) == ["system:renewal", "system:renewal"])

        // What changes the registry renews what it builds upon.
        let keys = try await later(60, "keys delegate other")
        #expect(keys.exitCode == 0, "\(keys)")

        let server = try await tool.run("renew", "--registry", "http://127.0.0.1:9")
        expectClearError(server, naming: ["server", "folder"])
        let token = try await tool.run("token", "create", "system:renewal", "--publish")
        expectClearError(token, naming: ["system:", "registry itself"])
    }
}
