import Foundation
import TestSupport

/// A prefix of a bucket that a tool's registry has its files in.
struct ToolStorage {
    private let storage: SeaweedPrefix

    init() async throws { storage = try await SeaweedPrefix() }

    var server: SeaweedServer { storage.server }
    var prefix: String { storage.name }
    var address: String { storage.address() }

    /// For the commands of a tool.
    var environment: [String: String] { storage.environment.merging(["PACKTOOL_STORAGE": address]) { $1 } }

    /// A file of the bucket by curl, which signs the request itself; nil where there is none.
    func read(_ name: String, with tool: Tool) async throws -> String? {
        let outcome = try await tool.shell(
            """
            curl -s -w '\\n%{http_code}' --aws-sigv4 aws:amz:\(SeaweedServer.region):s3 \
            --user '\(SeaweedServer.keyID):\(SeaweedServer.secret)' \
            '\(server.endpoint)/\(SeaweedServer.bucket)/\(prefix)/\(name)'
            """)
        var lines = outcome.standardOutput.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.popLast() == "200" else { return nil }
        return lines.joined(separator: "\n")
    }
}
