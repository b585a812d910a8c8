import PackFormat
import PackRegistryAPI
import PackTrust

/// The signed documents of a store, and the files of the view that follow from them.
struct ViewDocuments: Sendable {
    /// What one timestamp leads to.
    struct Whole: Sendable {
        let timestamp: TimestampMetadata
        let snapshot: SnapshotMetadata
    }

    private let store: any RegistryStore
    private let rows: ReadRows

    /// - Parameter rows: What is known of the store already.
    init(_ store: any RegistryStore, _ rows: ReadRows = ReadRows()) {
        self.store = store
        self.rows = rows
    }

    // MARK: Documents

    /// What a timestamp leads to; nil where the store does not have it: it is damaged, or of another registry.
    func whole(of timestamp: [UInt8]) async throws -> Whole? {
        let role = TopLevelRole.timestamp.rawValue
        guard let parsed = try? SignedDocument<TimestampMetadata>(parsing: timestamp, name: role) else { return nil }
        let ids = [
            DocumentID(role: role, version: parsed.body.version),
            DocumentID(role: TopLevelRole.snapshot.rawValue, version: parsed.body.snapshot.version),
        ]
        let found = try await bytes(of: ids)
        guard found[ids[0]] == timestamp, let snapshot: SnapshotMetadata = try parse(found[ids[1]], ids[1]) else {
            return nil
        }
        return Whole(timestamp: parsed.body, snapshot: snapshot)
    }

    /// Whether a timestamp is signed with a key that counts today, and not one that the store had or will have.
    ///
    /// One of an earlier key is none: rotating the key is how devices accept older rows. Of one that the store no longer keeps nobody can tell.
    func lack(_ timestamp: [UInt8], _ facts: RegistryFacts) async throws -> Bool {
        let role = TopLevelRole.timestamp
        guard let shown = try? SignedDocument<TimestampMetadata>(parsing: timestamp, name: role.rawValue) else {
            return false
        }
        let rootID = DocumentID(role: TopLevelRole.root.rawValue, version: facts.base.root)
        let id = DocumentID(role: role.rawValue, version: shown.body.version)
        let found = try await bytes(of: [rootID, id])
        guard let root: RootMetadata = try parse(found[rootID], rootID),
            (try? shown.verify(by: root.authority(for: role))) != nil
        else { return false }
        return shown.body.version > facts.base.timestamp || (found[id].map { $0 != timestamp } ?? false)
    }

    /// - Throws: ``StaleView`` where the store does not have it any more.
    func requiredWhole(of timestamp: [UInt8]) async throws -> Whole {
        guard let whole = try await whole(of: timestamp) else { throw StaleView() }
        return whole
    }

    /// What each of these versions of roles lists; versions that are not kept are left out.
    func targets(_ ids: [DocumentID]) async throws -> [DocumentID: TargetsMetadata] {
        var targets: [DocumentID: TargetsMetadata] = [:]
        for (id, bytes) in try await bytes(of: ids) { targets[id] = try parse(bytes, id) }
        return targets
    }

    /// Versions that are not kept are left out.
    func bytes(of ids: [DocumentID]) async throws -> [DocumentID: [UInt8]] {
        var found: [DocumentID: [UInt8]] = [:]
        for id in ids { found[id] = rows.document(id) }
        var query = FactsQuery.unsigned
        query.documents = Set(ids).subtracting(found.keys)
        guard !query.documents.isEmpty else { return found }
        return try await read(query).documentVersions.merging(found) { bytes, _ in bytes }
    }

    private func read(_ query: FactsQuery) async throws -> RegistryFacts {
        let facts = try await store.facts(query)
        rows.keep(facts)
        return facts
    }

    /// Most files that ``read(for:)`` is of use for.
    private static let filesAtOnce = 64

    /// Reads at once what some files are made from, so that none of them asks the store. Of many, each asks when its turn comes.
    func read(for files: [ViewFile]) async throws {
        guard files.count <= Self.filesAtOnce else { return }
        var query = FactsQuery.unsigned
        for path in files.map(\.path) {
            switch path {
            case .metadata(let role, let version):
                query.documents.insert(DocumentID(role: role.name, version: version))
            case .recent(let snapshot): query.documents.formUnion(RecentMetadata.snapshots(of: snapshot))
            case .channelFile(_, _, let digest), .channelHead(_, let digest), .channelPart(_, _, let digest),
                .group(_, _, let digest):
                query.channelFiles.insert(digest)
            case .manifest(_, _, let digest): query.manifests.insert(digest)
            case .timestamp, .object, .patch, .manifestPatch, .updateFile, .archive: break
            }
        }
        query.documents = query.documents.filter { rows.document($0) == nil }
        _ = try await read(query)
        // These follow from the snapshots.
        var further: Set<DocumentID> = []
        for file in files {
            guard case .recent(let snapshot) = file.path else { continue }
            further.formUnion(try await RecentMetadata(self).documents(ofSnapshot: snapshot))
        }
        _ = try await bytes(of: Array(further))
    }

    func parse<Body: RoleMetadata>(_ bytes: [UInt8]?, _ id: DocumentID) throws -> Body? {
        guard let bytes else { return nil }
        do { return try SignedDocument<Body>(parsing: bytes, name: id.role).body } catch {
            throw RegistryError(
                .unusable,
                "the registry's database is damaged: the metadata of \(id.role) is not valid (\(error)). Restore "
                    + "it from a backup")
        }
    }

    // MARK: Files

    /// nil for a role that no registry has.
    func file(_ id: DocumentID) -> ViewFile? {
        ViewPath(role: id.role, version: id.version).map { path in
            ViewFile(path) {
                guard let bytes = try await bytes(of: [id])[id] else { throw StaleView() }
                return bytes
            }
        }
    }

    func file(ofTarget name: String, _ info: TargetInfo) -> ViewFile? {
        guard let digest = info.digest, let path = ViewPath(target: name, digest: digest) else { return nil }
        switch path {
        case .channelFile, .channelHead, .channelPart, .group:
            return ViewFile(path) {
                if let known = rows.file(digest) { return known }
                var query = FactsQuery.unsigned
                query.channelFiles = [digest]
                guard let bytes = try await store.facts(query).channelBytes[digest] else { throw StaleView() }
                return bytes
            }
        default: return manifest(path)
        }
    }

    private func manifest(_ path: ViewPath) -> ViewFile? {
        guard let digest = path.digest else { return nil }
        return ViewFile(path) {
            if let known = rows.file(digest) { return known }
            var query = FactsQuery.unsigned
            query.manifests = [digest]
            guard let bytes = try await store.facts(query).manifests[digest] else { throw StaleView() }
            return bytes
        }
    }

    /// The few files that every device reads: without one of them the view is not what it was.
    func frame(of whole: Whole, oldest: ViewPath?) async throws -> [ViewFile] {
        var files = [file(DocumentID(role: TopLevelRole.snapshot.rawValue, version: whole.snapshot.version))]
        files.append(RecentMetadata(self).file(ofSnapshot: whole.snapshot.version))
        for role in [TopLevelRole.targets.rawValue, ViewLayout.channelsRole] {
            guard let version = whole.snapshot[role: role]?.version else { continue }
            let id = DocumentID(role: role, version: version)
            files.append(file(id))
            guard role == ViewLayout.channelsRole, let channels = try await targets([id])[id] else { continue }
            files += channels.targets.entries.map { file(ofTarget: $0.name, $0.value) }
        }
        // Every whole since has shown the oldest.
        if let oldest { files.append(manifest(oldest)) }
        return files.compactMap { $0 }
    }

    func roots(from oldest: Int, through newest: Int) -> [ViewFile] {
        guard newest > 0 else { return [] }
        return (max(1, oldest)...newest).compactMap { file(DocumentID(role: TopLevelRole.root.rawValue, version: $0)) }
    }

    /// Every file but the timestamp.
    func everything(_ facts: RegistryFacts) async throws -> [ViewFile] {
        let kept = facts.keptDocuments.filter { $0.role != TopLevelRole.timestamp.rawValue }
        let channels = try await targets(kept.filter { $0.role == ViewLayout.channelsRole })
        var listed: [ViewPath: ViewFile] = [:]
        for entry in channels.values.flatMap(\.targets.entries) {
            guard let file = file(ofTarget: entry.name, entry.value), let digest = file.path.digest,
                facts.keptChannelFiles.contains(digest)
            else { continue }
            listed[file.path] = file
        }
        let snapshots = kept.filter { $0.role == TopLevelRole.snapshot.rawValue }.map(\.version)
        let recent = RecentMetadata.keptVersions(newest: snapshots.max() ?? 0).filter { snapshots.contains($0) }
        return facts.publishedManifests.compactMap { manifest($0) } + listed.values + kept.compactMap { file($0) }
            + recent.map { RecentMetadata(self).file(ofSnapshot: $0) }
    }
}

extension TargetInfo {
    /// The SHA-256 that is signed; nil where there is none, or it is not one.
    var digest: Digest? { hashes.sha256.flatMap { try? Digest(hex: $0) } }
}
