package import PackFormat

/// Records which objects are completely stored, inside one transaction, so that a publication need not look for each
/// file.
package struct ObjectTable {
    /// Objects of one statement. A database elsewhere is asked by a journey over the network.
    private static let batchCount = 256

    let db: Database

    package init(db: Database) {
        self.db = db
    }

    package func contains(_ digest: Digest) throws -> Bool {
        try Row.fetchOne(db, sql: "SELECT 1 AS found FROM object WHERE digest = ?", arguments: [digest.hex]) != nil
    }

    /// In the order of their digests.
    package func all() throws -> [Object] {
        try Row.fetchAll(db, sql: "SELECT digest, size FROM object ORDER BY digest").map { row in
            Object(digest: try row.parsed("digest") { try Digest(hex: $0) }, size: try row.integer("size"))
        }
    }

    /// Objects that nothing refers to any more.
    package func remove(_ objects: [Object]) throws {
        for batch in batches(objects) {
            try db.execute(
                sql: "DELETE FROM object WHERE digest IN (\(databaseQuestionMarks(count: batch.count)))",
                arguments: StatementArguments(batch.map(\.digest.hex)))
        }
    }

    /// Knowing one already is fine.
    func add(_ objects: [Object]) throws {
        for batch in batches(objects) {
            let places = Array(repeating: "(?, ?)", count: batch.count).joined(separator: ", ")
            try db.execute(
                sql: "INSERT INTO object (digest, size) VALUES \(places) ON CONFLICT DO NOTHING",
                arguments: StatementArguments(
                    values: batch.flatMap { [.text($0.digest.hex), .integer($0.size)] }))
        }
    }

    func missing(among objects: [Object]) throws -> Set<Digest> {
        var missing = Set(objects.map(\.digest))
        for batch in batches(objects) {
            let rows = try Row.fetchAll(
                db,
                sql: "SELECT digest, size FROM object WHERE digest IN (\(databaseQuestionMarks(count: batch.count)))",
                arguments: StatementArguments(batch.map(\.digest.hex)))
            var sizes: [String: Int] = [:]
            for row in rows { sizes[try row.text("digest")] = try row.integer("size") }
            for object in batch where sizes[object.digest.hex] == object.size { missing.remove(object.digest) }
        }
        return missing
    }

    private func batches(_ objects: [Object]) -> [ArraySlice<Object>] {
        stride(from: 0, to: objects.count, by: Self.batchCount).map {
            objects[$0..<min($0 + Self.batchCount, objects.count)]
        }
    }
}
