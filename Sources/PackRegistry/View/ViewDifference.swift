import PackFormat
import PackTrust

/// What one whole has that an older one, which the view shows, has not: found by comparing the signed documents from the
/// snapshot down.
struct ViewDifference: Sendable {
    private(set) var files: [ViewFile] = []
    /// Metadata that the registry does not keep any more.
    private(set) var outdated: [ViewPath] = []
    /// The versions of the channels role that are kept, if it changed.
    private var keptChannels: [DocumentID] = []
    private let documents: ViewDocuments

    init(since shown: ViewDocuments.Whole, to newest: ViewDocuments.Whole, _ documents: ViewDocuments) async throws {
        self.documents = documents
        add(TopLevelRole.snapshot.rawValue, after: shown.snapshot.version, to: newest.snapshot.version)
        addRecent(after: shown.snapshot.version, to: newest.snapshot.version)
        var changed: [(old: DocumentID, new: [DocumentID])] = []
        for entry in newest.snapshot.files.entries where entry.name.hasSuffix(".json") {
            let name = String(entry.name.dropLast(".json".count))
            let old = shown.snapshot[role: name]?.version ?? 0
            guard entry.value.version != old else { continue }
            // With those that were recorded and never shown, because a process was killed in between: they are kept as the others.
            let added = add(name, after: old, to: entry.value.version)
            let new = DocumentID(role: name, version: entry.value.version)
            changed.append((DocumentID(role: name, version: old), added.filter { $0 != new } + [new]))
        }
        let targets = try await documents.targets(changed.flatMap { [$0.old] + $0.new })
        for change in changed {
            guard let newest = change.new.last, targets[newest] != nil else { throw StaleView() }
            var added: Set<ViewPath> = []
            for entry in change.new.compactMap({ targets[$0] }).flatMap(\.targets.entries)
            where targets[change.old]?.targets[entry.name] != entry.value {
                guard let file = documents.file(ofTarget: entry.name, entry.value) else { continue }
                if added.insert(file.path).inserted { files.append(file) }
            }
        }
    }

    /// The versions of a role that the newer whole has kept and the older one had not.
    /// - Returns: them.
    @discardableResult
    private mutating func add(_ role: String, after old: Int, to new: Int) -> [DocumentID] {
        let ids = MetadataLifetime.keptVersions(of: role, newest: new)
        let added = ids.filter { $0 > old }.map { DocumentID(role: role, version: $0) }
        files += added.compactMap { documents.file($0) }
        if role == ViewLayout.channelsRole { keptChannels = ids.map { DocumentID(role: role, version: $0) } }
        guard old > 0 else { return added }
        // What was kept then and is not now.
        outdated += MetadataLifetime.keptVersions(of: role, newest: old).filter { !ids.contains($0) }
            .compactMap { ViewPath(role: role, version: $0) }
        return added
    }

    private mutating func addRecent(after old: Int, to new: Int) {
        let kept = RecentMetadata.keptVersions(newest: new)
        files += kept.filter { $0 > old }.map { RecentMetadata(documents).file(ofSnapshot: $0) }
        outdated += RecentMetadata.keptVersions(newest: old).filter { !kept.contains($0) }
            .map { ViewPath.recent(snapshot: $0) }
    }

    /// The channel files that only metadata lists which is not kept any more.
    func outdatedChannelFiles(in view: any ViewStore) async throws -> [ViewPath] {
        var listed: Set<ViewPath> = []
        for path in outdated {
            guard case .metadata(.channels, _) = path,
                let bytes = try await view.read(path, maximumByteCount: .max),
                // What cannot be read keeps its files until somebody looks for all of them.
                let document = try? SignedDocument<TargetsMetadata>(parsing: bytes, name: ViewLayout.channelsRole)
            else { continue }
            listed.formUnion(Self.paths(document.body))
        }
        guard !listed.isEmpty else { return [] }
        for targets in try await documents.targets(keptChannels).values { listed.subtract(Self.paths(targets)) }
        return Array(listed)
    }

    private static func paths(_ targets: TargetsMetadata) -> [ViewPath] {
        targets.targets.entries.compactMap { entry in
            entry.value.digest.flatMap { ViewPath(target: entry.name, digest: $0) }
        }
    }
}
