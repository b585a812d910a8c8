import Foundation
import GRDB
import PackFormat
import PackRegistry
import PackSystem
import PackTrust

/// How far the view is behind the database.
enum ViewStatus {
    /// It shows the newest commit.
    case current
    /// The view shows an older commit completely; its snapshot is given.
    case behind(since: SignedDocument<SnapshotMetadata>)
    /// The view shows something that the database does not know, or nothing, or a file that every state has is
    /// missing.
    case unknown

    /// Every commit ends with a new timestamp, but for a new root alone.
    init(folder: RegistryFolder, db: Database) throws {
        let table = MetadataTable(db: db)
        let role = TopLevelRole.timestamp.rawValue
        let root = folder.view.path(percentEncoded: false)
        func has(_ path: String) -> Bool { SystemCall.size(ofPath: root + path) != nil }
        guard SystemCall.size(of: folder.viewCheck) != nil,
            let shown = FileManager.default.contents(atPath: root + ViewLayout.metadata(role, version: 0)).map(
                Array.init)
        else {
            self = .unknown
            return
        }
        let timestamp: SignedDocument<TimestampMetadata>
        do {
            timestamp = try SignedDocument(parsing: shown, name: role)
        } catch {
            self = .unknown
            return
        }
        let snapshotVersion = timestamp.body.snapshot.version
        guard try table.storedBytes(role, version: timestamp.body.version) == shown,
            let snapshot: SignedDocument<SnapshotMetadata> = try table.document(
                TopLevelRole.snapshot.rawValue, version: snapshotVersion),
            has(ViewLayout.metadata(TopLevelRole.snapshot.rawValue, version: snapshotVersion)),
            try Self.hasFrame(of: snapshot.body, table, has)
        else {
            self = .unknown
            return
        }
        let newestRoot = try table.newestVersion(TopLevelRole.root.rawValue) ?? 0
        let isNewest = try table.newestVersion(role) == timestamp.body.version
        let hasRoot = has(ViewLayout.metadata(TopLevelRole.root.rawValue, version: newestRoot))
        self = isNewest && hasRoot ? .current : .behind(since: snapshot)
    }

    /// Whether the few files stand that every device reads, so that a folder that was removed is noticed at once.
    private static func hasFrame(
        of snapshot: SnapshotMetadata, _ table: MetadataTable, _ has: (String) -> Bool
    ) throws -> Bool {
        for role in [TopLevelRole.targets.rawValue, ViewLayout.channelsRole] {
            guard let meta = snapshot[role: role] else { continue }
            guard has(ViewLayout.metadata(role, version: meta.version)) else { return false }
        }
        guard let version = snapshot[role: ViewLayout.channelsRole]?.version,
            let channels: SignedDocument<TargetsMetadata> = try table.document(
                ViewLayout.channelsRole, version: version)
        else { return true }
        for entry in channels.body.targets.entries {
            guard let digest = entry.value.digest, has(ViewLayout.file(ofTarget: entry.name, digest: digest)) else {
                return false
            }
        }
        // The oldest was shown by every whole since.
        guard let manifest = try VersionTable(db: table.db).oldestManifest() else { return true }
        return has(manifest.path)
    }
}

extension TargetInfo {
    /// The SHA-256 that is signed; nil if there is none, or it is not one.
    var digest: Digest? { hashes.sha256.flatMap { try? Digest(hex: $0) } }
}
