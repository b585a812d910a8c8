package import Foundation
package import PackFormat
package import PackRegistry
import PackRegistryAPI

/// The files of a registry in S3-compatible storage: the view that devices and CDNs read, and in it the objects.
///
///     let address = try S3Address("s3://packages/shop?region=eu-central-1")
///     let store = try await S3Store.open(address)
///     try await store.view.put(files)
///
/// Everything is below the address' prefix, under the same names as in the folder `view` of a registry on disk. So
/// `https://BUCKET.ENDPOINT/PREFIX/`, or a CDN with that origin, is the base URL for devices.
package struct S3Store: Sendable {
    package let address: S3Address
    private let bucket: S3Bucket
    private let files: S3ViewStore

    private init(_ bucket: S3Bucket, at address: S3Address) {
        self.address = address
        self.bucket = bucket
        files = S3ViewStore(bucket)
    }

    /// Connects, and finds out whether the store can have a registry.
    /// - Parameter environment: with the variables of AWS's tools.
    /// - Throws: ``RegistryError``: unreachable, refused, no bucket, no conditional writes.
    package static func open(
        _ address: S3Address, environment: [String: String] = ProcessInfo.processInfo.environment,
        limits: S3Limits = S3Limits(), clock: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> S3Store {
        let store = try connect(address, environment: environment, limits: limits, clock: clock)
        try await store.prepare()
        return store
    }

    /// The store without a look at it.
    /// - Parameter authorities: certificates in PEM form that are trusted besides the system's; empty: none.
    /// - Throws: ``RegistryError`` of the kind `.invalid` where neither address nor environment has a region.
    package static func connect(
        _ address: S3Address, environment: [String: String] = ProcessInfo.processInfo.environment,
        authorities: String = "", limits: S3Limits = S3Limits(), clock: @escaping @Sendable () -> Date = { Date() }
    ) throws -> S3Store {
        S3Store(
            try bucket(at: address, environment: environment, limits: limits, authorities: authorities, clock: clock),
            at: address)
    }

    /// The bucket without a look at it.
    static func bucket(
        at address: S3Address, environment: [String: String], limits: S3Limits = S3Limits(),
        hosts: [String: String] = [:], authorities: String = "", clock: @escaping @Sendable () -> Date = { Date() }
    ) throws -> S3Bucket {
        let connections = try HTTPConnections(
            count: limits.connections, connecting: limits.connecting, silence: limits.silence, hosts: hosts,
            authorities: authorities)
        let chain = CredentialChain(environment: environment, connections, now: clock)
        let client = S3Client(
            try S3Location(address, environment: environment), name: "\(address)", limits: limits, connections, chain,
            now: clock)
        return S3Bucket(client)
    }
}

extension S3Store: RemoteStorage {
    /// The object beside the folders of the view that says whose they are.
    static let markName = "registry.id"
    private static let markByteCount = 200

    package var name: String { "\(address)" }
    package var view: any RemoteViewStore { files }

    package func content(
        scratch: URL, keeping keep: @escaping @Sendable (Object, URL) -> Void
    ) -> any ContentStore {
        S3ContentStore(bucket, scratch: scratch, keeping: keep)
    }

    package func prepare() async throws { try await ConditionalWrites(bucket).check() }

    package func readMark() async throws -> String? {
        guard let part = try await bucket.read(Self.markName, from: 0, maximumByteCount: Self.markByteCount) else {
            return nil
        }
        guard part.bytes.count == part.size else { throw bucket.unusable("has a \(Self.markName) that is none") }
        return String(decoding: part.bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    package func writeMark(_ mark: String) async throws -> Bool {
        let kind = S3Kind(mediaType: "text/plain; charset=utf-8", cacheControl: CacheControl.none)
        switch try await bucket.put(Self.markName, Array("\(mark)\n".utf8), as: kind, if: .isAbsent) {
        case .stored: return true
        // The answer of the first try may have been lost.
        case .refused: return try await readMark() == mark
        }
    }
}
