import GRDB
import PackFormat

/// Records which objects are completely stored, inside one transaction, so that a publication need not look for each
/// file.
struct ObjectTable {
    let db: Database

    /// Knowing one already is fine.
    func add(_ objects: [Object]) throws {
        let statement = try db.cachedStatement(sql: "INSERT OR IGNORE INTO object (digest, size) VALUES (?, ?)")
        for object in objects { try statement.execute(arguments: [object.digest.hex, object.size]) }
    }

    func missing(among objects: [Object]) throws -> Set<Digest> {
        guard !objects.isEmpty else { return [] }
        let statement = try db.cachedStatement(sql: "SELECT size FROM object WHERE digest = ?")
        var missing: Set<Digest> = []
        for object in objects {
            let size = try Int.fetchOne(statement, arguments: [object.digest.hex])
            if size != object.size { missing.insert(object.digest) }
        }
        return missing
    }
}
