import PackFormat

/// The files that are to be removed from the view, inside one transaction. Whoever removes one does so in the transaction that takes
/// it from here, so that nobody refers to it meanwhile.
package struct RemovalTable {
    private static let batchCount = 256

    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Paths below the view. Those that are here already are fine.
    package func add(_ paths: [String]) throws {
        for batch in batches(paths) {
            let places = Array(repeating: "(?)", count: batch.count).joined(separator: ", ")
            try db.execute(
                sql: "INSERT INTO removal (path) VALUES \(places) ON CONFLICT DO NOTHING",
                arguments: StatementArguments(Array(batch)))
        }
    }

    package func first(_ count: Int) throws -> [String] {
        try Row.fetchAll(db, sql: "SELECT path FROM removal ORDER BY path LIMIT ?", arguments: [count])
            .map { try $0.text("path") }
    }

    package func remove(_ paths: [String]) throws {
        for batch in batches(paths) {
            try db.execute(
                sql: "DELETE FROM removal WHERE path IN (\(databaseQuestionMarks(count: batch.count)))",
                arguments: StatementArguments(Array(batch)))
        }
    }

    func objects(among objects: [Object]) throws -> Set<Digest> {
        guard try Row.fetchOne(db, sql: "SELECT 1 AS found FROM removal LIMIT 1") != nil else { return [] }
        let paths = Dictionary(
            objects.map { (ViewPath.object($0.digest).description, $0.digest) }, uniquingKeysWith: { first, _ in first }
        )
        var found: Set<Digest> = []
        for batch in batches(Array(paths.keys)) {
            let rows = try Row.fetchAll(
                db, sql: "SELECT path FROM removal WHERE path IN (\(databaseQuestionMarks(count: batch.count)))",
                arguments: StatementArguments(Array(batch)))
            for row in rows { if let digest = paths[try row.text("path")] { found.insert(digest) } }
        }
        return found
    }

    func cancel(_ objects: [Object]) throws { try remove(objects.map { ViewPath.object($0.digest).description }) }

    private func batches(_ paths: [String]) -> [ArraySlice<String>] {
        stride(from: 0, to: paths.count, by: Self.batchCount).map { paths[$0..<min($0 + Self.batchCount, paths.count)] }
    }
}
