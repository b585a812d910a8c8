import GRDB
import PackFormat
import PackRegistry
import PackTrust

/// A file that the view must have, apart from the timestamp, the objects and derived files.
struct ViewFile {
    /// Relative to the view.
    let path: String
    let bytes: () throws -> [UInt8]?

    /// Every one of them.
    static func all(in db: Database) throws -> [ViewFile] {
        let table = MetadataTable(db: db)
        let versions = VersionTable(db: db)
        let manifests = try versions.allManifests().map { manifest in
            ViewFile(path: manifest.path) { try versions.manifestBytes(hex: manifest.digest) }
        }
        let channels = try table.channelFiles().map { file in
            ViewFile(path: file.path) { try table.channelBytes(file.digest) }
        }
        let roles = try table.all().filter { $0.role != TopLevelRole.timestamp.rawValue }
        return manifests + channels + roles.map { ViewFile($0, in: table) }
    }

    init(path: String, bytes: @escaping () throws -> [UInt8]?) {
        self.path = path
        self.bytes = bytes
    }

    /// Signed metadata.
    init(_ stored: MetadataTable.Stored, in table: MetadataTable) {
        path = ViewLayout.metadata(stored.role, version: stored.version)
        bytes = { try table.bytes(of: stored) }
    }

    /// A signed target, by its name and digest: a manifest or a channel file.
    init(target name: String, digest: Digest, in db: Database) {
        path = ViewLayout.file(ofTarget: name, digest: digest)
        bytes = {
            name.hasPrefix("channels/")
                ? try MetadataTable(db: db).channelBytes(digest) : try VersionTable(db: db).manifestBytes(digest)
        }
    }
}
