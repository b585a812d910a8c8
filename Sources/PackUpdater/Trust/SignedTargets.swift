package import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The signed properties of one file.
package struct SignedFile: Hashable, Sendable {
    package let digest: Digest
    /// The size in bytes.
    package let size: Int
    /// Of a channel's whole file: how many parts there are besides; nil for none.
    package let partCount: Int?

    package init(digest: Digest, size: Int, partCount: Int? = nil) {
        self.digest = digest
        self.size = size
        self.partCount = partCount
    }
}

/// The app's signed targets as the updater uses them. Trust is behind this protocol so that the updater's own rules
/// can be tested without keys. A device uses a TUF client (``TrustedTargets``).
package protocol SignedTargets: Sendable {
    /// Fetches newer metadata and verifies all of it.
    func refresh() async throws
    /// The signed file at a path of `ViewLayout`; nil if no role that may sign the path lists it.
    func file(_ path: String) async throws -> SignedFile?
    /// The names of all channels as of the last refresh, for a message.
    func channelNames() async -> [String]
    /// The verified bytes of a target.
    func target(_ path: String, maximumByteCount: Int) async throws -> [UInt8]
}

extension SignedTargets {
    /// The verified bytes of a target, from a file of the store if they have not changed; else the file has them afterwards.
    func target(
        _ path: String, _ signed: SignedFile, keptIn file: URL, maximumByteCount: Int
    ) async throws -> [UInt8] {
        if let known = try? Durable.read(file, maximumByteCount: maximumByteCount), Digest(of: known) == signed.digest {
            return known
        }
        let bytes = try await target(path, maximumByteCount: maximumByteCount)
        try Durable.makeFolder(file.deletingLastPathComponent())
        try Durable.write(bytes, to: file)
        return bytes
    }
}
