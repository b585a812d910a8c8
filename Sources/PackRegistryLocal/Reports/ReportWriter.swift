import GRDB
import PackFormat
import PackRegistry

/// Writes batches inside one transaction. Counters are summed up first, so that a crowd that reports the same costs one
/// row and not thousands.
struct ReportWriter {
    struct SubjectKey: Hashable, Sendable {
        let channel: ChannelName
        let subject: ReportSubject
    }

    private struct CountKey: Hashable {
        let subject: Int64
        let key: ReportCount.Key
    }

    let db: Database
    /// The ids of subjects, by what they are.
    private(set) var subjects: [SubjectKey: Int64]
    private var counts: [CountKey: ReportCount] = [:]

    init(db: Database, subjects: [SubjectKey: Int64]) {
        self.db = db
        self.subjects = subjects
    }

    /// - Returns: how many events were new.
    mutating func add(_ reports: JudgedReports) throws -> Int {
        guard !reports.events.isEmpty else { return 0 }
        let sender = try id(of: reports.sender)
        let insert = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO event
                (sender, sequence, subject, code, phase, fault, time, received, wire, zip, local, online, missed, bytes)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        var added = 0
        for event in reports.events {
            let subject = try id(of: SubjectKey(channel: reports.channel, subject: ReportSubject(event)))
            let web = event.web
            try insert.execute(arguments: [
                sender, event.sequence, subject, event.code.rawValue, event.phase?.rawValue, event.fault?.rawValue,
                event.time, reports.received, event.wireByteCount, event.zipByteCount, web?.local, web?.online,
                web?.missed, web?.byteCount,
            ])
            guard db.changesCount > 0 else { continue }
            added += 1
            let key = CountKey(subject: subject, key: ReportCount.Key(event))
            counts[key, default: ReportCount(key.key)].add(event)
            try note(event, subject, sender)
        }
        return added
    }

    /// Adds the sums to the counters. Call it once, at the end.
    func finish() throws {
        let upsert = try db.cachedStatement(
            sql: """
                INSERT INTO counter VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET count = count + excluded.count, measured = measured + excluded.measured,
                -- 2^52: sums over all rows stay below what SQLite's sum() takes, whatever is reported.
                wire = min(wire + excluded.wire, 4503599627370496), zip = min(zip + excluded.zip, 4503599627370496),
                local = local + excluded.local, online = online + excluded.online, missed = missed + excluded.missed,
                bytes = min(bytes + excluded.bytes, 4503599627370496)
                """)
        for (key, sum) in counts {
            try upsert.execute(arguments: [
                key.subject, key.key.hour, key.key.code.rawValue, key.key.phase?.rawValue ?? "",
                key.key.fault?.rawValue ?? "", sum.count, sum.measured, sum.wireByteCount, sum.zipByteCount,
                sum.web.local, sum.web.online, sum.web.missed, sum.web.byteCount,
            ])
        }
    }

    /// Events may come out of order: each says its part.
    private func note(_ event: ReportEvent, _ subject: Int64, _ sender: Int64) throws {
        if event.code == .activated {
            try db.cachedStatement(
                sql: """
                    INSERT INTO standing (subject, sender, activated) VALUES (?, ?, ?)
                    ON CONFLICT DO UPDATE SET activated = coalesce(activated, excluded.activated)
                    """
            ).execute(arguments: [subject, sender, event.time])
        } else if let outcome = StandingCount.Outcome(event.code) {
            // A failure after a confirmation counts, and no confirmation undoes a failure.
            try db.cachedStatement(
                sql: """
                    INSERT INTO standing (subject, sender, outcome) VALUES (?, ?, ?)
                    ON CONFLICT DO UPDATE SET outcome =
                        CASE WHEN outcome = 'failed' THEN outcome ELSE excluded.outcome END
                    """
            ).execute(arguments: [subject, sender, outcome.rawValue])
        }
    }

    private func id(of sender: ReportID) throws -> Int64 {
        let find = try db.cachedStatement(sql: "SELECT id FROM sender WHERE name = ?")
        if let id = try Int64.fetchOne(find, arguments: [sender.text]) { return id }
        try db.cachedStatement(sql: "INSERT INTO sender (name) VALUES (?)").execute(arguments: [sender.text])
        return db.lastInsertedRowID
    }

    private mutating func id(of key: SubjectKey) throws -> Int64 {
        if let known = subjects[key] { return known }
        let subject = key.subject
        let values: StatementArguments = [
            key.channel.text, subject.package.text, subject.version?.description ?? "", subject.release ?? "",
        ]
        let find = try db.cachedStatement(
            sql: "SELECT id FROM subject WHERE channel = ? AND package = ? AND version = ? AND release = ?")
        let id: Int64
        if let found = try Int64.fetchOne(find, arguments: values) {
            id = found
        } else {
            try db.cachedStatement(
                sql: "INSERT INTO subject (channel, package, version, release) VALUES (?, ?, ?, ?)"
            ).execute(arguments: values)
            id = db.lastInsertedRowID
        }
        subjects[key] = id
        return id
    }
}
