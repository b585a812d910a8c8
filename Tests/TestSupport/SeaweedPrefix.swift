import Foundation

/// A prefix of its own in the bucket of the tests' S3-compatible store.
///
///     let storage = try await SeaweedPrefix()
///     let address = storage.address()                    // s3://packages/t-…?endpoint=…
package struct SeaweedPrefix: Sendable {
    package let server: SeaweedServer
    package let name = "t-\(UUID().uuidString.lowercased())"

    package init() async throws { server = try await SeaweedServer.shared() }

    /// - Parameter endpoint: another one than the server's, such as that of a proxy.
    package func address(endpoint: String? = nil) -> String { server.address(prefix: name, endpoint: endpoint) }

    /// The credentials, as an environment has them.
    package var environment: [String: String] { server.environment }
}
