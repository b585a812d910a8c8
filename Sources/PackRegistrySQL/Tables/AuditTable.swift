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

    /// Newest first.
    func newest(_ limit: Int) throws -> [AuditEntry] {
        try Row.fetchAll(
            db, sql: "SELECT * FROM audit ORDER BY sequence DESC LIMIT ?", arguments: [max(0, limit)]
        ).map { row in
            try AuditEntry(
                time: row.date("time"), actor: row.text("actor"), action: row.text("action"),
                subject: row.text("subject"), detail: row.text("detail"))
        }
    }
}
