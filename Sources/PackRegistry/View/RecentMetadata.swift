import PackFormat
import PackJSON
import PackPatch
import PackTrust

/// The signed metadata that changed last, in one file for each version of the snapshot (`metadata/N.recent.zst`). A device that
/// was here lately asks for it after a change, in place of each document.
///
/// It only saves requests. Each document in it is a file of the view, and a device verifies it as if it had come alone, in the
/// same order.
struct RecentMetadata: Sendable {
    /// What so many snapshots changed is in it. A publication and the change of a channel make one each.
    private static let snapshotCount = 4
    /// The most bytes of all documents. A device asks for the others by their own names.
    private static let maximumByteCount = 64 << 10

    private let documents: ViewDocuments

    init(_ documents: ViewDocuments) {
        self.documents = documents
    }

    /// The versions of the snapshot whose file is kept: those for which all earlier snapshots that it is made from are kept as well,
    /// so that a file that is made again is the same.
    static func keptVersions(newest: Int) -> [Int] {
        MetadataLifetime.keptVersions(of: TopLevelRole.snapshot.rawValue, newest: newest).filter {
            $0 <= snapshotCount || $0 > newest - MetadataLifetime.keptVersions + snapshotCount
        }
    }

    /// The snapshot, and the one since which documents are in its file.
    static func snapshots(of version: Int) -> [DocumentID] {
        [version, version - snapshotCount].map { DocumentID(role: TopLevelRole.snapshot.rawValue, version: $0) }
    }

    func file(ofSnapshot version: Int) -> ViewFile {
        ViewFile(.recent(snapshot: version)) { try await bytes(ofSnapshot: version) }
    }

    /// The documents that the file is made from besides the snapshots.
    func documents(ofSnapshot version: Int) async throws -> [DocumentID] {
        let parts = try await parts(ofSnapshot: version)
        return parts.changed + [DocumentID(role: ViewLayout.channelsRole, version: parts.oldChannels ?? 0)]
    }

    /// - Returns: The snapshot, the documents that changed, and the earlier version of the channels' role.
    /// - Throws: ``StaleView`` where the registry does not keep the snapshot any more.
    private func parts(
        ofSnapshot version: Int
    ) async throws -> (snapshot: [UInt8], changed: [DocumentID], oldChannels: Int?) {
        let (id, before) = (Self.snapshots(of: version)[0], Self.snapshots(of: version)[1])
        let found = try await documents.bytes(of: [id, before])
        guard let bytes = found[id], let newest: SnapshotMetadata = try documents.parse(bytes, id) else {
            throw StaleView()
        }
        let old: SnapshotMetadata? = try documents.parse(found[before], before)
        let changed = newest.files.entries.compactMap { entry -> DocumentID? in
            guard entry.name.hasSuffix(".json") else { return nil }
            let role = String(entry.name.dropLast(".json".count))
            return old?[role: role]?.version == entry.value.version
                ? nil : DocumentID(role: role, version: entry.value.version)
        }
        return (bytes, changed, old?[role: ViewLayout.channelsRole]?.version)
    }

    private func bytes(ofSnapshot version: Int) async throws -> [UInt8] {
        let parts = try await parts(ofSnapshot: version)
        var files = [(path: ViewPath.metadata(.snapshot, version: version), bytes: parts.snapshot)]
        for (id, bytes) in try await documents.bytes(of: parts.changed) {
            guard let path = ViewPath(role: id.role, version: id.version) else { continue }
            files.append((path, bytes))
            guard id.role == ViewLayout.channelsRole else { continue }
            files += try await channelFiles(since: parts.oldChannels, to: id.version)
        }
        return try Self.compressed(files)
    }

    /// The channel files, and groups, that these versions of their role brought.
    private func channelFiles(since old: Int?, to new: Int) async throws -> [(path: ViewPath, bytes: [UInt8])] {
        let ids = [old ?? 0, new].map { DocumentID(role: ViewLayout.channelsRole, version: $0) }
        let listed = try await documents.targets(ids)
        var files: [(path: ViewPath, bytes: [UInt8])] = []
        for entry in listed[ids[1]]?.targets.entries ?? [] {
            guard listed[ids[0]]?.targets[entry.name] != entry.value, entry.value.length <= Self.maximumByteCount,
                let file = documents.file(ofTarget: entry.name, entry.value)
            else { continue }
            files.append((file.path, try await file.bytes()))
        }
        return files
    }

    /// `{"files": {PATH: TEXT}, "format": 1}` as a zstd frame.
    private static func compressed(_ files: [(path: ViewPath, bytes: [UInt8])]) throws -> [UInt8] {
        var left = maximumByteCount
        var texts = JSONObject()
        // The small ones first: a large document is worth a request of its own.
        let sorted = files.map { (path: $0.path.description, bytes: $0.bytes) }
            .sorted { ($0.bytes.count, $0.path) < ($1.bytes.count, $1.path) }
        for file in sorted {
            guard file.bytes.count <= left, let text = String(validating: file.bytes, as: UTF8.self) else { break }
            left -= file.bytes.count
            texts[file.path] = .string(text)
        }
        let document = JSONValue.object(["format": 1, "files": .object(texts)])
        return try document.canonicalBytes.withUnsafeBytes { try ContentFrame.compress($0) }
    }
}
