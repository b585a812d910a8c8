import Foundation
import GRDB
import PackFormat
import PackJSON
import PackRegistry

/// Moves events that have a row each, as earlier programs wrote them, into rows of many events. A row that breaks a rule is left out:
/// one odd row must not make all reports unusable.
struct EventLogMigration {
    private struct Batch: Equatable {
        let sender: Int64
        let received: Int
    }

    let db: Database

    func run() throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT event.*, package, version, release FROM event JOIN subject ON subject.id = event.subject
                ORDER BY event.id
                """)
        var (log, total) = (EventLog(), 0)
        var (first, last) = (0, 0)
        var batch: Batch?
        func write() throws {
            guard let batch, log.count > 0 else { return }
            let row = EventLogRow(sender: batch.sender, first: first, last: last, received: batch.received)
            total = try row.insert(log, after: total, db)
        }
        while let row = try rows.next() {
            guard let event = try? Self.event(row), let sender = try? row.integer("sender"),
                let received = try? row.integer("received"), let subject = try? row.integer("subject")
            else { continue }
            let own = Batch(sender: Int64(sender), received: received)
            if own != batch || event.sequence <= last || event.sequence - first >= EventLog.span {
                try write()
                (batch, log, first) = (own, EventLog(), event.sequence)
            }
            last = event.sequence
            log.append(event, subject: Int64(subject))
        }
        try write()
        try db.execute(sql: "DROP TABLE event")
    }

    /// - Returns: nil for a kind that a newer program wrote, and for numbers that no device sends.
    private static func event(_ row: Row) throws -> ReportEvent? {
        let (sequence, time) = try (row.integer("sequence"), row.integer("time"))
        guard let code = try ReportEvent.Code(rawValue: row.text("code")),
            (1...ReportEvent.largestSequence).contains(sequence), (0...ReportEvent.largestTime).contains(time)
        else { return nil }
        let subject = try SubjectNames.subject(row)
        var event = ReportEvent(
            sequence: sequence, code: code, time: time, package: subject.package, version: subject.version,
            release: subject.release)
        event.phase = try row.optionalText("phase").flatMap { ReportEvent.Phase(rawValue: $0) }
        event.fault = try row.optionalText("fault").flatMap { ReportEvent.Fault(rawValue: $0) }
        event.wireByteCount = try row.optionalInteger("wire").map(inRange)
        event.zipByteCount = try row.optionalInteger("zip").map(inRange)
        event.facts = try row.optionalText("facts").map { text in
            try ReportFacts(json: JSONValue(parsing: text).object())
        }
        if code == .session {
            event.web = try WebCounters(
                local: inRange(row.integer("local")), online: inRange(row.integer("online")),
                missed: inRange(row.integer("missed")), byteCount: inRange(row.integer("bytes")))
        }
        return event
    }

    private static func inRange(_ count: Int) -> Int { min(max(count, 0), ReportEvent.largestByteCount) }
}
