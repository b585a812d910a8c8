import Foundation
import PackFormat
import PackRegistry

/// The files of channels' groups inside one transaction.
struct GroupTable {
    /// Old files of a group that stay readable for devices in the middle of a check. They are large.
    static let keptVersions = 4

    let db: Database

    /// A group that is removed keeps its last files for a while: only the signed metadata says that it is gone.
    func put(_ document: ChangeSet.GroupDocument) throws {
        guard let bytes = document.bytes else { return }
        let (channel, name) = (document.channel.text, document.name)
        let sequence = try Int.fetchOne(db, sql: "SELECT COALESCE(MAX(sequence), 0) + 1 FROM groupFile") ?? 1
        try db.execute(
            sql: """
                INSERT INTO groupFile (digest, channel, name, bytes, sequence) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (channel, name, digest) DO UPDATE SET sequence = excluded.sequence
                """,
            arguments: [Digest(of: bytes).hex, channel, name, bytes, sequence])
        try db.execute(
            sql: """
                DELETE FROM groupFile WHERE channel = ? AND name = ? AND sequence NOT IN
                (SELECT sequence FROM groupFile WHERE channel = ? AND name = ? ORDER BY sequence DESC LIMIT ?)
                """,
            arguments: [channel, name, channel, name, Self.keptVersions])
    }

    /// Every kept file.
    func digests() throws -> [Digest] {
        try Row.fetchAll(db, sql: "SELECT digest FROM groupFile").map { row in
            try row.parsed("digest") { try Digest(hex: $0) }
        }
    }

    /// nil for a file that is not a group's.
    func bytes(_ digest: Digest) throws -> [UInt8]? {
        try Row.fetchOne(db, sql: "SELECT bytes FROM groupFile WHERE digest = ?", arguments: [digest.hex])?.blob(
            "bytes")
    }
}
