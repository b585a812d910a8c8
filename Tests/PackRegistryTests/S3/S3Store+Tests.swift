import PackRegistryS3
import TestSupport

extension S3Store {
    /// A new one, below a prefix of its own.
    static func ofTests() async throws -> S3Store {
        let storage = try await SeaweedPrefix()
        return try await open(S3Address(storage.address()), environment: storage.environment)
    }
}
