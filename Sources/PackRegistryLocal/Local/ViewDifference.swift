import GRDB
import PackFormat
import PackRegistry
import PackTrust

/// The files that the database's newest state has and an older state in the view lacks. They are found by comparing
/// the signed documents from the snapshot down.
struct ViewDifference {
    private(set) var files: [ViewFile] = []
    /// Paths of metadata that the database no longer keeps.
    private(set) var outdated: [String] = []
    private(set) var changesChannels = false

    init(since shown: SignedDocument<SnapshotMetadata>, in db: Database) throws {
        let table = MetadataTable(db: db)
        let role = TopLevelRole.snapshot.rawValue
        guard let newest: SignedDocument<SnapshotMetadata> = try table.newest(role) else { return }
        try add(role, after: shown.body.version, to: newest.body.version, table)
        for entry in newest.body.files.entries where entry.name.hasSuffix(".json") {
            let name = String(entry.name.dropLast(".json".count))
            let old = shown.body[role: name]?.version ?? 0
            guard entry.value.version != old else { continue }
            try add(name, after: old, to: entry.value.version, table)
            try addTargets(of: name, after: old, to: entry.value.version, table)
        }
        // Roots are not in the snapshot, and all of them are kept.
        for stored in try table.all(of: TopLevelRole.root.rawValue) { files.append(ViewFile(stored, in: table)) }
    }

    /// The versions of a role that the database has and the older whole had not.
    private mutating func add(_ role: String, after old: Int, to new: Int, _ table: MetadataTable) throws {
        for stored in try table.all(of: role) where stored.version > old { files.append(ViewFile(stored, in: table)) }
        // What was kept then and is not now.
        let first = max(1, old - MetadataTable.keptVersions + 1)
        let end = min(old, new - MetadataTable.keptVersions)
        guard first <= end else { return }
        outdated += (first...end).map { ViewLayout.metadata(role, version: $0) }
    }

    /// The manifests or channel files that a role lists and did not list before.
    private mutating func addTargets(of role: String, after old: Int, to new: Int, _ table: MetadataTable) throws {
        guard let document: SignedDocument<TargetsMetadata> = try table.document(role, version: new) else { return }
        let before: SignedDocument<TargetsMetadata>? = try table.document(role, version: old)
        if role == ViewLayout.channelsRole { changesChannels = true }
        for entry in document.body.targets.entries where before?.body.targets[entry.name] != entry.value {
            guard let digest = entry.value.digest else { continue }
            files.append(ViewFile(target: entry.name, digest: digest, in: table.db))
        }
    }
}
