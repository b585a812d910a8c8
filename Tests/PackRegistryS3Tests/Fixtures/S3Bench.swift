import Foundation
import PackFormat
import TestSupport

@testable import PackRegistry
@testable import PackRegistryS3

/// A store below a prefix of its own, with the limits of tests.
struct S3Bench: Sendable {
    let storage: SeaweedPrefix
    let limits: S3Limits

    var server: SeaweedServer { storage.server }
    var prefix: String { storage.name }

    /// - Parameter limits: short ones, because tests wait for them.
    init(limits: S3Limits = Self.quick) async throws {
        storage = try await SeaweedPrefix()
        self.limits = limits
    }

    static var quick: S3Limits {
        var limits = S3Limits()
        limits.attempt = .milliseconds(1_500)
        limits.patience = .seconds(10)
        limits.longestPause = .milliseconds(300)
        return limits
    }

    /// - Parameter endpoint: such as that of a proxy.
    func address(endpoint: String? = nil) throws -> S3Address {
        try S3Address(storage.address(endpoint: endpoint))
    }

    func bucket(endpoint: String? = nil, clock: @escaping @Sendable () -> Date = { Date() }) throws -> S3Bucket {
        try S3Store.bucket(
            at: address(endpoint: endpoint), environment: storage.environment, limits: limits, clock: clock)
    }

    func store(endpoint: String? = nil) async throws -> S3Store {
        try await S3Store.open(address(endpoint: endpoint), environment: storage.environment, limits: limits)
    }

    /// What is in the store by its own list.
    func listing() async throws -> [String: Int] {
        var found: [String: Int] = [:]
        var token: String?
        repeat {
            let page = try await bucket().list("", after: token)
            for object in page.objects { found[object.name] = object.size }
            token = page.next
        } while token != nil
        return found
    }
}

/// Bytes that no compression makes smaller, the same each time.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes += $0 } }
    return Array(bytes.prefix(count))
}

extension S3Store {
    /// Its objects, with uploads in the system's temporary folder.
    func content() -> any ContentStore {
        content(scratch: FileManager.default.temporaryDirectory) { _, _ in }
    }
}

extension S3Kind {
    static let bytes = S3Kind(mediaType: "application/octet-stream", cacheControl: CacheControl.immutable)
}
