import Foundation
package import PackFormat
package import PackRegistry
import PackRegistryAPI
import PackTrust

/// The signed metadata and channel files inside one transaction, byte for byte as in the view.
package struct MetadataTable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    func newestBytes(_ role: String) throws -> [UInt8]? {
        try Row.fetchOne(
            db, sql: "SELECT bytes FROM metadata WHERE role = ? ORDER BY version DESC LIMIT 1", arguments: [role]
        )?.blob("bytes")
    }

    func newest<Body: RoleMetadata>(_ role: String, as body: Body.Type = Body.self) throws -> SignedDocument<Body>? {
        guard let bytes = try newestBytes(role) else { return nil }
        do { return try SignedDocument(parsing: bytes, name: role) } catch { throw Row.damaged("metadata", error) }
    }

    /// The versions on which every change is based.
    package func base() throws -> RegistryFacts.Base {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT COALESCE((SELECT MAX(version) FROM metadata WHERE role = ?), 0) AS root,
                COALESCE((SELECT MAX(version) FROM metadata WHERE role = ?), 0) AS timestamp,
                COALESCE((SELECT MAX(sequence) FROM releaseEvent), 0) AS event,
                COALESCE((SELECT MAX(sequence) FROM approvalEvent), 0) AS approval
                """, arguments: [TopLevelRole.root.rawValue, TopLevelRole.timestamp.rawValue])
        guard let row else { return RegistryFacts.Base(root: 0, timestamp: 0) }
        return try RegistryFacts.Base(
            root: row.integer("root"), timestamp: row.integer("timestamp"), event: row.integer("event"),
            approval: row.integer("approval"))
    }

    func put(_ document: ChangeSet.Document) throws {
        let role = document.role
        try db.execute(
            sql: "INSERT INTO metadata (role, version, bytes) VALUES (?, ?, ?)",
            arguments: [role, document.version, document.bytes])
        // Every root is kept for ever: a device that was off for years follows the chain.
        guard role != TopLevelRole.root.rawValue else { return }
        try db.execute(
            sql: "DELETE FROM metadata WHERE role = ? AND version <= ?",
            arguments: [role, document.version - MetadataLifetime.keptVersions])
    }

    func newestVersions() throws -> [DocumentID] {
        try db.rowsOfNames(
            "role", in: "metadata",
            with: "(SELECT MAX(version) FROM metadata WHERE metadata.role = name.role) AS version"
        ).map { row in try DocumentID(role: row.text("role"), version: row.integer("version")) }
    }

    func all() throws -> [DocumentID] {
        try Row.fetchAll(db, sql: "SELECT role, version FROM metadata ORDER BY role, version").map { row in
            try DocumentID(role: row.text("role"), version: row.integer("version"))
        }
    }

    /// nil for a version that is not kept.
    func bytes(of id: DocumentID) throws -> [UInt8]? { try bytes(of: [id])[id] }

    /// Versions that are not kept are left out.
    func bytes(of ids: Set<DocumentID>) throws -> [DocumentID: [UInt8]] {
        let ids = Array(ids)
        var found: [DocumentID: [UInt8]] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.documentsAtOnce) {
            let some = ids[start..<min(start + Self.documentsAtOnce, ids.count)]
            let condition = some.map { _ in "(role = ? AND version = ?)" }.joined(separator: " OR ")
            let rows = try Row.fetchAll(
                db, sql: "SELECT role, version, bytes FROM metadata WHERE \(condition)",
                arguments: StatementArguments(values: some.flatMap { [.text($0.role), .integer($0.version)] }))
            for row in rows {
                let id = DocumentID(role: try row.text("role"), version: try row.integer("version"))
                found[id] = try row.blob("bytes")
            }
        }
        return found
    }

    private static let documentsAtOnce = 64

    /// The digest of the registry's first root, which no other registry has.
    package func firstRoot() throws -> Digest {
        guard let bytes = try bytes(of: DocumentID(role: "root", version: 1)) else {
            throw Self.damaged("1.root.json", "it is missing")
        }
        return Digest(of: bytes)
    }

    func put(_ document: ChangeSet.ChannelDocument) throws {
        let (channel, format) = (document.channel.text, document.format)
        let sequence = try Int.fetchOne(db, sql: "SELECT COALESCE(MAX(sequence), 0) + 1 FROM channelFile") ?? 1
        try db.execute(
            sql: """
                INSERT INTO channelFile (digest, channel, bytes, sequence, format) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (channel, digest) DO UPDATE SET sequence = excluded.sequence
                """,
            arguments: [Digest(of: document.bytes).hex, channel, document.bytes, sequence, format])
        try db.execute(
            sql: """
                DELETE FROM channelFile WHERE channel = ? AND format = ? AND sequence NOT IN
                (SELECT sequence FROM channelFile WHERE channel = ? AND format = ? ORDER BY sequence DESC LIMIT ?)
                """,
            arguments: [channel, format, channel, format, MetadataLifetime.keptVersions])
    }

    /// Every kept channel file.
    func channelDigests() throws -> [Digest] {
        try Row.fetchAll(db, sql: "SELECT digest FROM channelFile").map { row in
            try row.parsed("digest") { try Digest(hex: $0) }
        }
    }

    /// The newest file of a channel. Of one change's files the one that says all of it is written last.
    /// - Throws: ``RegistryError`` of the kind `.unusable` for a file that is damaged. It says more than the releases: the gate,
    ///   rules, the interval, groups. A file that is made without it would switch a gate on again.
    package func channelFile(_ channel: ChannelName) throws -> ChannelFile? {
        let row = try Row.fetchOne(
            db, sql: "SELECT digest, bytes, format FROM channelFile WHERE channel = ? ORDER BY sequence DESC LIMIT 1",
            arguments: [channel.text])
        guard let row else { return nil }
        let (bytes, format) = try (row.blob("bytes"), row.integer("format"))
        let name = ViewLayout.channelTarget(channel, format: format)
        guard try Digest(of: bytes).hex == row.text("digest") else {
            throw Self.damaged(name, "its bytes do not match its SHA-256")
        }
        do { return try ChannelFile(parsing: bytes) } catch { throw Self.damaged(name, "\(error)") }
    }

    private static func damaged(_ name: String, _ reason: String) -> RegistryError {
        RegistryError(
            .unusable,
            "the channel file \(name) in the registry's database is damaged (\(reason)), and nothing was signed in its place. "
                + "Restore it from a backup")
    }

    /// nil for a file that is not kept.
    func channelBytes(_ digest: Digest) throws -> [UInt8]? {
        try Row.fetchOne(db, sql: "SELECT bytes FROM channelFile WHERE digest = ? LIMIT 1", arguments: [digest.hex])?
            .blob("bytes")
    }
}
