/// Where a client keeps trusted metadata, by file name: `root.json`, `timestamp.json`, …, and
/// `root_history/N.root.json`.
///
/// Whatever was written is verified again when it is read, so that a damaged or tampered store costs a download and
/// nothing else.
public protocol TrustStore: Sendable {
    /// The bytes under a name; nil if there are none.
    func read(_ name: String) throws -> [UInt8]?

    /// Replaces the bytes under a name. After a power cut either the old or the new bytes are there, complete; after
    /// this returns, the new ones.
    func write(_ bytes: [UInt8], to name: String) throws

    /// Removes a name. It is not an error if the name does not exist.
    func remove(_ name: String) throws
}

extension TrustStore {
    /// The newest root that was verified, whatever became of the refresh since; nil if there is none.
    package func newestRoot() throws -> SignedDocument<RootMetadata>? {
        try read(StoreName.root).map { try SignedDocument<RootMetadata>(parsing: $0) }
    }

    /// Every root that was verified, by its version.
    package func roots() throws -> [Int: [UInt8]] {
        guard let newest = try newestRoot()?.body.version, newest > 0 else { return [:] }
        var roots: [Int: [UInt8]] = [:]
        for version in 1...newest { roots[version] = try read(StoreName.root(version: version)) }
        return roots
    }
}
