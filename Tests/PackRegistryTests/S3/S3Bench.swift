import Foundation
import PackRegistryS3
import TestSupport

/// A prefix of its own in the tests' S3-compatible store.
enum S3Bench {
    static func store() async throws -> S3Store {
        let server = try await SeaweedServer.shared()
        let address = try S3Address(server.address(prefix: "t-\(UUID().uuidString.lowercased())"))
        return try await S3Store.open(address, environment: server.environment)
    }
}
