import GRDB
import PackFormat

/// The packages that may need derived files, inside one transaction. Every change of the needs adds its package, so
/// that nobody has to search all packages.
struct BuildQueueTable {
    let db: Database

    func add(_ package: PackageID) throws {
        try db.execute(sql: "INSERT OR IGNORE INTO work (package) VALUES (?)", arguments: [package.text])
        try db.execute(sql: "INSERT OR IGNORE INTO siteWork (package) VALUES (?)", arguments: [package.text])
    }

    func remove(_ package: PackageID) throws {
        try db.execute(sql: "DELETE FROM work WHERE package = ?", arguments: [package.text])
    }

    func packages() throws -> [PackageID] {
        try Row.fetchAll(db, sql: "SELECT package FROM work ORDER BY package").map { row in
            try row.parsed("package") { try PackageID($0) }
        }
    }

    var isEmpty: Bool {
        get throws { try Row.fetchOne(db, sql: "SELECT 1 FROM work LIMIT 1") == nil }
    }
}
