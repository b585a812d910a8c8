import Foundation
import GRDB
import PackFormat
import PackJSON
import PackRegistry
import struct PackRegistrySQL.EventLog

/// Moves events that have a row each, as programs of before wrote them, into rows of many events.
struct EventRows {
    /// Events in one row.
    private static let count = 500

    private struct Place: Equatable {
        let sender: Int64
        let received: Int
    }

    let db: Database

    func move() throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT event.*, package, version, release FROM event JOIN subject ON subject.id = event.subject
                ORDER BY event.id
                """)
        var (log, total) = (EventLog(), 0)
        var (first, last) = (0, 0)
        var place: Place?
        func write() throws {
            guard let place else { return }
            total += log.count
            try db.cachedStatement(
                sql: "INSERT INTO eventLog (sender, first, last, received, total, events) VALUES (?, ?, ?, ?, ?, ?)"
            ).execute(arguments: [place.sender, first, last, place.received, total, Data(log.bytes)])
        }
        while let row = try rows.next() {
            // A kind that a newer program wrote.
            guard let event = try Self.event(row) else { continue }
            let own = try Place(sender: Int64(row.integer("sender")), received: row.integer("received"))
            // What the writer of rows keeps to: rising sequences, and few of them from the first to the last.
            if own != place || event.sequence <= last || event.sequence - first >= Self.count {
                try write()
                (place, log, first) = (own, EventLog(), event.sequence)
            }
            last = event.sequence
            try log.append(event, subject: row.integer("subject"))
        }
        try write()
        try db.execute(sql: "DROP TABLE event")
    }

    private static func event(_ row: Row) throws -> ReportEvent? {
        guard let code = try ReportEvent.Code(rawValue: row.text("code")) else { return nil }
        let subject = try SubjectNames.subject(row)
        var event = try ReportEvent(
            sequence: row.integer("sequence"), code: code, time: row.integer("time"), package: subject.package,
            version: subject.version, release: subject.release)
        event.phase = try row.optionalText("phase").flatMap { ReportEvent.Phase(rawValue: $0) }
        event.fault = try row.optionalText("fault").flatMap { ReportEvent.Fault(rawValue: $0) }
        event.wireByteCount = try row.optionalInteger("wire")
        event.zipByteCount = try row.optionalInteger("zip")
        event.facts = try row.optionalText("facts").map { text in
            try ReportFacts(json: JSONValue(parsing: text).object())
        }
        if code == .session {
            event.web = try WebCounters(
                local: row.integer("local"), online: row.integer("online"), missed: row.integer("missed"),
                byteCount: row.integer("bytes"))
        }
        return event
    }
}
