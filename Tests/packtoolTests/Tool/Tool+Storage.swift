import Foundation
import TestSupport

/// A prefix of a bucket that a tool's registry has its files in.
struct ToolStorage {
    let server: SeaweedServer
    let prefix = "t-\(UUID().uuidString.lowercased())"

    init() async throws { server = try await SeaweedServer.shared() }

    var address: String { server.address(prefix: prefix) }

    /// For the commands of a tool.
    var environment: [String: String] { server.environment.merging(["PACKTOOL_STORAGE": address]) { $1 } }

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
