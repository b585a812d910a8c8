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
        keep(facts.documentVersions, facts.channelBytes.merging(facts.manifests) { bytes, _ in bytes })
    }

    /// Keeps what a change was recorded with.
    func keep(_ facts: RegistryFacts, and changes: ChangeSet) {
        let recorded = changes.documents.map { (DocumentID(role: $0.role, version: $0.version), $0.bytes) }
        let files = changes.channelDocuments.map(\.bytes) + changes.groups.compactMap(\.bytes)
        keep(Dictionary(recorded) { $1 }, Dictionary(files.map { (Digest(of: $0), $0) }) { $1 })
        var read: [DocumentID: [UInt8]] = [:]
        for (role, bytes) in facts.documents {
            if let version = facts.roleVersions[role] { read[DocumentID(role: role, version: version)] = bytes }
        }
        keep(read, [:])
        keep(facts)
    }

    private func keep(_ documents: [DocumentID: [UInt8]], _ files: [Digest: [UInt8]]) {
        let byteCount = (Array(documents.values) + files.values).reduce(0) { $0 + $1.count }
        rows.withLock { rows in
            guard rows.byteCount + byteCount <= Self.maximumByteCount else { return }
            rows.byteCount += byteCount
            rows.documents.merge(documents) { $1 }
            rows.files.merge(files) { $1 }
        }
    }
}
