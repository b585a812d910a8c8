import Foundation
import GRDB
import PackFormat
import PackRegistry

/// A row of the log: events of one sender that came together.
struct EventLogRow {
    let sender: Int64
    /// The sequences of the first and the last event.
    let first: Int
    let last: Int
    /// Seconds since 1970.
    let received: Int

    /// How many events were ever added.
    static func total(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT total FROM eventLog ORDER BY id DESC LIMIT 1") ?? 0
    }

    /// - Parameter total: how many events were added before.
    /// - Returns: how many were added with these.
    func insert(_ log: EventLog, after total: Int, _ db: Database) throws -> Int {
        let sum = total.saturatingAdd(log.count)
        try db.cachedStatement(
            sql: "INSERT INTO eventLog (sender, first, last, received, total, events) VALUES (?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [sender, first, last, received, sum, Data(log.bytes)])
        return sum
    }
}
