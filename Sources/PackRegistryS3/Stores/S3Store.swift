package import Foundation

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
    package let view: S3ViewStore
    package let content: S3ContentStore

    /// Connects, and finds out whether the store can have a registry.
    /// - Parameter scratch: where an upload's objects are until they are stored; a folder for each upload.
    /// - Parameter environment: with the variables of AWS's tools.
    /// - Throws: ``RegistryError``: unreachable, refused, no bucket, no conditional writes.
    package static func open(
        _ address: S3Address, scratch: URL = FileManager.default.temporaryDirectory,
        environment: [String: String] = ProcessInfo.processInfo.environment, limits: S3Limits = S3Limits(),
        clock: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> S3Store {
        let bucket = try bucket(at: address, environment: environment, limits: limits, clock: clock)
        try await ConditionalWrites(bucket).check()
        return S3Store(
            address: address, view: S3ViewStore(bucket), content: S3ContentStore(bucket, scratch: scratch))
    }

    /// The bucket without a look at it.
    static func bucket(
        at address: S3Address, environment: [String: String], limits: S3Limits = S3Limits(),
        hosts: [String: String] = [:], clock: @escaping @Sendable () -> Date = { Date() }
    ) throws -> S3Bucket {
        let connections = HTTPConnections(
            count: limits.connections, connecting: limits.connecting, silence: limits.silence, hosts: hosts)
        let chain = CredentialChain(environment: environment, connections, now: clock)
        let client = S3Client(
            try S3Location(address, environment: environment), name: "\(address)", limits: limits, connections, chain,
            now: clock)
        return S3Bucket(client)
    }
}
