package import Foundation
package import PackRegistry
package import PackRegistryAPI

/// The append-only log of who did what. An entry is written in the transaction of its change.
package struct AuditTable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    package func append(_ line: ChangeSet.AuditLine, by actor: Identity, now: Date) throws {
        try db.execute(
            sql: "INSERT INTO audit (time, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?)",
            arguments: [now, actor.name, line.action, line.subject, line.detail])
    }

    /// Newest first. What is asked for is looked for here, some entries at a time, and means the same with each database.
    func newest(_ query: AuditQuery) throws -> [AuditEntry] {
        let step = query.isForAll ? query.limit : max(query.limit, Self.searchedCount)
        let earliest = query.earliest ?? Date(timeIntervalSince1970: 0)
        var found: [AuditEntry] = []
        var end = Int.max
        while found.count < query.limit {
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM audit WHERE sequence < ? AND time >= ? ORDER BY sequence DESC LIMIT ?",
                arguments: [end, earliest, step])
            for row in rows {
                let entry = try AuditEntry(
                    time: row.date("time"), actor: row.text("actor"), action: row.text("action"),
                    subject: row.text("subject"), detail: row.text("detail"))
                if query.matches(entry) { found.append(entry) }
            }
            guard rows.count == step, let last = rows.last else { break }
            end = try last.integer("sequence")
        }
        return Array(found.prefix(query.limit))
    }

    private static let searchedCount = 1_000
}
