import Foundation
package import PackFormat
import PackJSON
package import PackRegistry
import PackRegistryAPI

/// Manifests and the published versions that name them, inside one transaction.
package struct VersionTable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Remembers a manifest whose objects are all in the store. One that is known already was uploaded now, so that it is not taken for an old upload.
    func take(_ sealed: SealedManifest, by actor: Identity, now: Date) throws {
        let (manifest, digest) = (sealed.manifest, sealed.digest)
        try db.execute(
            sql: """
                INSERT INTO manifest
                (digest, package, version, bytes, requiredApp, state, hasEntry, fileCount, size, uploaded, uploadedBy)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET uploaded = excluded.uploaded
                """,
            arguments: [
                digest.hex, manifest.package.text, manifest.version.description, sealed.bytes,
                manifest.requiredApp?.description,
                manifest.state.map { JSONValue.object($0.json).compactText }, manifest.entry != nil,
                manifest.files.count,
                manifest.ownObjects.reduce(0) { $0 + $1.size }, now, actor.name,
            ])
        for pin in manifest.shared.values {
            try db.execute(
                sql: "INSERT INTO pin (bundle, manifest) VALUES (?, ?) ON CONFLICT DO NOTHING",
                arguments: [pin.manifest.hex, digest.hex])
        }
    }

    package func manifestBytes(_ digest: Digest) throws -> [UInt8]? {
        try Row.fetchOne(db, sql: "SELECT bytes FROM manifest WHERE digest = ?", arguments: [digest.hex])?.blob("bytes")
    }

    /// - Throws: ``RegistryError`` if a stored manifest is not what its digest says: the database was edited.
    package func manifest(_ digest: Digest) throws -> Manifest? {
        guard let bytes = try manifestBytes(digest) else { return nil }
        guard Digest(of: bytes) == digest else { throw Row.damaged("manifest") }
        do { return try Manifest(parsing: bytes) } catch { throw Row.damaged("manifest", error) }
    }

    func hasManifest(_ digest: Digest) throws -> Bool {
        try Row.fetchOne(db, sql: "SELECT 1 FROM manifest WHERE digest = ?", arguments: [digest.hex]) != nil
    }

    package func published(_ package: PackageID, _ version: SemanticVersion) throws -> PublishedVersion? {
        try Row.fetchOne(
            db, sql: Self.selection + " WHERE version.package = ? AND version.version = ?",
            arguments: [package.text, version.description]
        ).map(Self.published)
    }

    /// The names of all published versions by their manifests.
    package func names() throws -> [Digest: VersionName] {
        var names: [Digest: VersionName] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT manifest, package, version FROM version") {
            let digest = try row.parsed("manifest") { try Digest(hex: $0) }
            names[digest] = VersionName(
                try row.parsed("package") { try PackageID($0) }, try row.parsed("version") { try SemanticVersion($0) })
        }
        return names
    }

    /// The published versions, not withdrawn, that need a shared bundle's manifest, such as `shop 1.2.0`.
    func users(ofBundle manifest: Digest) throws -> [String] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT version.package, version.version FROM pin JOIN version ON version.manifest = pin.manifest
                WHERE pin.bundle = ? AND version.withdrawn IS NULL ORDER BY version.package, version.sequence
                """, arguments: [manifest.hex]
        ).map { "\(try $0.text("package")) \(try $0.text("version"))" }
    }

    /// The published versions of a package, the oldest publication first.
    func published(_ package: PackageID) throws -> [PublishedVersion] {
        try Row.fetchAll(
            db, sql: Self.selection + " WHERE version.package = ? ORDER BY version.sequence",
            arguments: [package.text]
        ).map(Self.published)
    }

    /// The place in the view of the manifest that was published first.
    func oldestManifest() throws -> ViewPath? { try manifests("ORDER BY sequence LIMIT 1").first }

    /// The place in the view of every published manifest.
    func allManifests() throws -> [ViewPath] { try manifests("") }

    private func manifests(_ clause: String) throws -> [ViewPath] {
        try Row.fetchAll(db, sql: "SELECT package, version, manifest FROM version \(clause)").map { row in
            .manifest(
                try row.parsed("package") { try PackageID($0) }, try row.parsed("version") { try SemanticVersion($0) },
                try row.parsed("manifest") { try Digest(hex: $0) })
        }
    }

    func publish(_ publication: ChangeSet.Publication, by actor: Identity, now: Date) throws {
        let (version, note) = (publication.version, publication.note)
        try db.execute(
            sql: """
                INSERT INTO version (package, version, manifest, published, publishedBy, note, sourceCommit)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                version.package.text, version.version.description, publication.manifest.hex, now, actor.name, note.text,
                note.commit,
            ])
        guard let provenance = note.provenance else { return }
        try db.execute(
            sql: "INSERT INTO provenance (package, version, bytes) VALUES (?, ?, ?)",
            arguments: [version.package.text, version.version.description, provenance])
    }

    func provenance(of version: VersionName) throws -> [UInt8]? {
        try Row.fetchOne(
            db, sql: "SELECT bytes FROM provenance WHERE package = ? AND version = ?",
            arguments: [version.package.text, version.version.description]
        )?.blob("bytes")
    }

    func withdraw(_ version: VersionName, reason: String) throws {
        try db.execute(
            sql: "UPDATE version SET withdrawn = ? WHERE package = ? AND version = ?",
            arguments: [reason, version.package.text, version.version.description])
    }

    /// A version whose files were removed has them again.
    func restore(_ version: VersionName) throws {
        try db.execute(
            sql: "UPDATE version SET pruned = NULL WHERE package = ? AND version = ?",
            arguments: [version.package.text, version.version.description])
    }

    /// Newest publication first.
    /// - Parameter packages: those whose versions are read; nil: all.
    func overview(of packages: Set<PackageID>?) throws -> [PackageID: [RegistryOverview.Version]] {
        guard let packages else { return try overview(where: "", []) }
        var versions: [PackageID: [RegistryOverview.Version]] = [:]
        for package in packages {
            versions[package] = try overview(where: "WHERE version.package = ?", [package.text])[package]
        }
        return versions
    }

    private func overview(
        where clause: String, _ arguments: StatementArguments
    ) throws -> [PackageID: [RegistryOverview.Version]] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT version.*, manifest.fileCount, manifest.size
                FROM version JOIN manifest ON manifest.digest = version.manifest
                \(clause)
                ORDER BY version.sequence DESC
                """, arguments: arguments)
        var sizes: [String: (full: Int?, archive: Int?)] = [:]
        // One after the other: with a hundred thousand versions a join would look each up by itself.
        for row in try Row.fetchAll(
            db,
            sql: """
                SELECT target, kind, size FROM derived WHERE kind IN ('full', 'archive')
                \(clause.isEmpty ? "" : "AND target IN (SELECT manifest FROM version \(clause))")
                """, arguments: arguments)
        {
            let size = try row.optionalInteger("size")
            if try row.text("kind") == "full" {
                sizes[try row.text("target"), default: (nil, nil)].full = size
            } else {
                sizes[try row.text("target"), default: (nil, nil)].archive = size
            }
        }
        var versions: [PackageID: [RegistryOverview.Version]] = [:]
        for row in rows {
            let files = sizes[try row.text("manifest")]
            let version = try RegistryOverview.Version(
                version: row.parsed("version") { try SemanticVersion($0) },
                manifest: row.parsed("manifest") { try Digest(hex: $0) },
                published: row.date("published"), publishedBy: row.text("publishedBy"),
                fileCount: row.integer("fileCount"), size: row.integer("size"),
                fullSize: files?.full, archiveSize: files?.archive,
                withdrawn: row.optionalText("withdrawn"), pruned: row.optionalDate("pruned"),
                note: VersionNote(text: row.optionalText("note"), commit: row.optionalText("sourceCommit")))
            versions[try row.parsed("package") { try PackageID($0) }, default: []].append(version)
        }
        return versions
    }

    private static let selection = """
        SELECT version.package, version.version, version.manifest, version.withdrawn, version.pruned,
               manifest.hasEntry, manifest.requiredApp, manifest.state
        FROM version JOIN manifest ON manifest.digest = version.manifest
        """

    private static func published(_ row: Row) throws -> PublishedVersion {
        try PublishedVersion(
            package: row.parsed("package") { try PackageID($0) },
            version: row.parsed("version") { try SemanticVersion($0) },
            manifest: row.parsed("manifest") { try Digest(hex: $0) },
            hasEntry: row.integer("hasEntry") != 0,
            requiredApp: row.optionalText("requiredApp") == nil
                ? nil : row.parsed("requiredApp") { try VersionRange($0) },
            withdrawn: row.optionalText("withdrawn"), state: state(row), pruned: row.optionalDate("pruned"))
    }

    /// The column `state` of a manifest.
    static func state(_ row: Row) throws -> Manifest.State? {
        guard try row.optionalText("state") != nil else { return nil }
        return try row.parsed("state") { try Manifest.State(json: JSONValue(parsing: Array($0.utf8)).object("state")) }
    }
}
