package import PackFormat

/// The packages that may need derived files, inside one transaction. Every change of the needs adds its package, so
/// that nobody has to search all packages.
package struct BuildQueueTable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    package func add(_ package: PackageID) throws {
        try db.execute(sql: "INSERT INTO work (package) VALUES (?) ON CONFLICT DO NOTHING", arguments: [package.text])
        try db.execute(
            sql: "INSERT INTO siteWork (package) VALUES (?) ON CONFLICT DO NOTHING", arguments: [package.text])
    }

    package func remove(_ package: PackageID) throws {
        try db.execute(sql: "DELETE FROM work WHERE package = ?", arguments: [package.text])
    }

    package func packages() throws -> [PackageID] {
        try Row.fetchAll(db, sql: "SELECT package FROM work ORDER BY package").map { row in
            try row.parsed("package") { try PackageID($0) }
        }
    }

    package var isEmpty: Bool {
        get throws { try Row.fetchOne(db, sql: "SELECT 1 FROM work LIMIT 1") == nil }
    }
}
