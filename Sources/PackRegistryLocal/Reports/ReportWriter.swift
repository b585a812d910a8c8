import GRDB
import PackFormat
import PackJSON
import PackRegistry

/// Writes batches inside one transaction. Events go into the log many at a time; what follows from them is summed up first, so
/// that a crowd that reports the same costs one row and not thousands.
struct ReportWriter {
    struct SubjectKey: Hashable, Sendable {
        let channel: ChannelName
        let subject: ReportSubject
    }

    /// As `ReportCount.Key`, with the number of the subject: a hash of names for each event would cost more than its row.
    private struct CountKey: Hashable {
        let subject: Int64
        let hour: Int
        let code: ReportEvent.Code
        let phase: ReportEvent.Phase?
        let fault: ReportEvent.Fault?

        init(_ event: ReportEvent, _ subject: Int64) {
            self.subject = subject
            hour = event.time - event.time % 3600
            (code, phase, fault) = (event.code, event.phase, event.fault)
        }
    }

    /// What events say about a release on a device.
    private struct Standing {
        var activated: Int?
        var outcome: StandingCount.Outcome?
    }

    /// Rows in one statement, a multiple of which a full batch is.
    private static let rowCount = 50
    private static let columns =
        "(sender, sequence, subject, code, phase, fault, time, received, wire, zip, local, online, missed, bytes, facts)"
    private static let columnCount = 15
    private static let row = "(" + Array(repeating: "?", count: columnCount).joined(separator: ", ") + ")"
    private static let insertOne = "INSERT INTO event \(columns) VALUES \(row)"
    private static let insertMany =
        "INSERT INTO event \(columns) VALUES " + Array(repeating: row, count: rowCount).joined(separator: ", ")

    let db: Database
    let networks: NetworkNumbers
    /// The ids of subjects, by what they are.
    private(set) var subjects: [SubjectKey: Int64]
    private var counts: [CountKey: ReportCount] = [:]

    init(db: Database, networks: NetworkNumbers, subjects: [SubjectKey: Int64]) {
        self.db = db
        self.networks = networks
        self.subjects = subjects
    }

    /// - Returns: how many events were new.
    mutating func add(_ reports: JudgedReports) throws -> Int {
        guard !reports.events.isEmpty else { return 0 }
        let (sender, isNew) = try id(of: reports.sender)
        let events = try newEvents(of: reports, sender, isNew: isNew)
        var ids: [Int64] = []
        ids.reserveCapacity(events.count)
        var standings: [Int64: Standing] = [:]
        // Most batches are about one or two releases.
        var known: (subject: ReportSubject, id: Int64)?
        for event in events {
            let id: Int64
            if let known, known.subject.isSubject(of: event) {
                id = known.id
            } else {
                let subject = ReportSubject(event)
                id = try self.id(of: SubjectKey(channel: reports.channel, subject: subject))
                known = (subject, id)
            }
            ids.append(id)
            counts[CountKey(event, id), default: ReportCount(ReportCount.Key(event))].add(event)
            note(event, in: &standings[id])
            if event.code == .present { try write(event, id, sender, reports.channel) }
        }
        try insert(events, ids, sender, received: reports.received)
        let network = reports.network.map { networks.number(of: $0) }
        for (subject, standing) in standings { try write(standing, subject, sender, network) }
        return events.count
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
                key.subject, key.hour, key.code.rawValue, key.phase?.rawValue ?? "", key.fault?.rawValue ?? "",
                sum.count, sum.measured, sum.wireByteCount, sum.zipByteCount,
                sum.web.local, sum.web.online, sum.web.missed, sum.web.byteCount,
            ])
        }
    }

    // MARK: The log

    /// The events that are not stored yet, each once.
    private func newEvents(of reports: JudgedReports, _ sender: Int64, isNew: Bool) throws -> [ReportEvent] {
        var events = reports.events
        // A device counts up.
        if zip(events, events.dropFirst()).contains(where: { $0.sequence >= $1.sequence }) {
            var seen = Set<Int>(minimumCapacity: events.count)
            events = events.filter { seen.insert($0.sequence).inserted }
        }
        let sequences = events.lazy.map(\.sequence)
        guard !isNew, let first = sequences.min(), let last = sequences.max() else { return events }
        let stored = try db.cachedStatement(
            sql: "SELECT sequence FROM event WHERE sender = ? AND sequence BETWEEN ? AND ?")
        let known = try Set(Int.fetchCursor(stored, arguments: [sender, first, last]))
        return known.isEmpty ? events : events.filter { !known.contains($0.sequence) }
    }

    /// - Parameter ids: of the events' subjects.
    private func insert(_ events: [ReportEvent], _ ids: [Int64], _ sender: Int64, received: Int) throws {
        var first = 0
        while first < events.count {
            let isFull = events.count - first >= Self.rowCount
            let statement = try db.cachedStatement(sql: isFull ? Self.insertMany : Self.insertOne)
            // All NULL. Arguments of GRDB's would cost twice what the rows cost.
            statement.setUncheckedArguments(StatementArguments())
            var column: CInt = 1
            let end = first + (isFull ? Self.rowCount : 1)
            for index in first..<end {
                let event = events[index]
                try bind(statement, column, sender)
                try bind(statement, column + 1, event.sequence)
                try bind(statement, column + 2, ids[index])
                try bind(statement, column + 3, event.code.rawValue)
                if let phase = event.phase { try bind(statement, column + 4, phase.rawValue) }
                if let fault = event.fault { try bind(statement, column + 5, fault.rawValue) }
                try bind(statement, column + 6, event.time)
                try bind(statement, column + 7, received)
                if let wire = event.wireByteCount { try bind(statement, column + 8, wire) }
                if let zip = event.zipByteCount { try bind(statement, column + 9, zip) }
                if let web = event.web {
                    try bind(statement, column + 10, web.local)
                    try bind(statement, column + 11, web.online)
                    try bind(statement, column + 12, web.missed)
                    try bind(statement, column + 13, web.byteCount)
                }
                if let facts = event.facts { try bind(statement, column + 14, Self.text(facts)) }
                column += CInt(Self.columnCount)
            }
            try statement.execute()
            first = end
        }
    }

    /// Of one type at a time: for several in one call Swift looks each type up anew.
    private func bind<Value: StatementBinding>(_ statement: Statement, _ column: CInt, _ value: Value) throws {
        let code = value.bind(to: statement.sqliteStatement, at: column)
        guard code == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    // MARK: Standings

    /// Events may come out of order: each says its part. A failure after a confirmation counts, and no confirmation undoes a
    /// failure.
    private func note(_ event: ReportEvent, in standing: inout Standing?) {
        if event.code == .activated {
            var noted = standing ?? Standing()
            noted.activated = noted.activated ?? event.time
            standing = noted
        } else if let outcome = StandingCount.Outcome(event.code) {
            var noted = standing ?? Standing()
            if noted.outcome != .failed { noted.outcome = outcome }
            standing = noted
        }
    }

    private func write(_ standing: Standing, _ subject: Int64, _ sender: Int64, _ network: Int?) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO standing (subject, sender, activated, outcome, network) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET activated = coalesce(activated, excluded.activated),
                    outcome = CASE WHEN outcome = 'failed' THEN outcome ELSE coalesce(excluded.outcome, outcome) END,
                    network = coalesce(network, excluded.network)
                """
        ).execute(arguments: [subject, sender, standing.activated, standing.outcome?.rawValue, network])
    }

    // MARK: What devices have and are

    /// An event that comes late changes nothing.
    private func write(_ event: ReportEvent, _ subject: Int64, _ sender: Int64, _ channel: ChannelName) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO presence VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET sequence = excluded.sequence, subject = excluded.subject,
                    facts = excluded.facts, day = excluded.day
                WHERE excluded.sequence > sequence
                """
        ).execute(arguments: [
            sender, channel.text, event.package.text, event.sequence, subject,
            Self.text(event.facts ?? ReportFacts()), event.time / 86_400,
        ])
    }

    private static func text(_ facts: ReportFacts) -> String { JSONValue.object(facts.json).compactText }

    // MARK: Names

    private func id(of sender: ReportID) throws -> (Int64, isNew: Bool) {
        let find = try db.cachedStatement(sql: "SELECT id FROM sender WHERE name = ?")
        if let id = try Int64.fetchOne(find, arguments: [sender.text]) { return (id, false) }
        try db.cachedStatement(sql: "INSERT INTO sender (name) VALUES (?)").execute(arguments: [sender.text])
        return (db.lastInsertedRowID, true)
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
