import PackFormat
import Synchronization

/// What was read of a store's rows while a view is written: each is read once, because signed documents and files with a digest never change.
final class ReadRows: Sendable {
    private struct Rows {
        var documents: [DocumentID: [UInt8]] = [:]
        var files: [Digest: [UInt8]] = [:]
        var byteCount = 0
    }

    /// Bytes that are kept. A view that is written anew can have a gigabyte.
    private static let maximumByteCount = 4 << 20

    private let rows = Mutex(Rows())

    func document(_ id: DocumentID) -> [UInt8]? { rows.withLock { $0.documents[id] } }

    /// A manifest, a channel file, a group.
    func file(_ digest: Digest) -> [UInt8]? { rows.withLock { $0.files[digest] } }

    func keep(_ facts: RegistryFacts) {
        rows.withLock { rows in
            let files = facts.channelBytes.merging(facts.manifests) { bytes, _ in bytes }
            let byteCount = (Array(facts.documentVersions.values) + files.values).reduce(0) { $0 + $1.count }
            guard rows.byteCount + byteCount <= Self.maximumByteCount else { return }
            rows.byteCount += byteCount
            rows.documents.merge(facts.documentVersions) { bytes, _ in bytes }
            rows.files.merge(files) { bytes, _ in bytes }
        }
    }
}
