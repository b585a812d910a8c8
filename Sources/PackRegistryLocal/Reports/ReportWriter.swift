import Foundation
import GRDB
import PackFormat
import PackJSON
import PackRegistry

/// Writes batches inside one transaction. The events of a batch are one row of the log (`EventLog`); what follows from them is summed up
/// first, so that a crowd that reports the same costs one row and not thousands.
struct ReportWriter {
    struct SubjectKey: Hashable, Sendable {
        let channel: ChannelName
        let subject: ReportSubject
    }

    let db: Database
    let networks: NetworkNumbers
    /// The ids of subjects, by what they are.
    private(set) var subjects: [SubjectKey: Int64]
    private var sums = ReportSums()
    /// How many events were ever added to the log.
    private var total: Int?

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
        var standings: [Int64: DeviceStanding] = [:]
        // Most batches are about one or two releases.
        var known: (subject: ReportSubject, id: Int64)?
        // By index: a copy of an event costs as much as the rest of the work on it, because it has so many names.
        for index in events.indices {
            let id: Int64
            if let known, known.subject.isSubject(of: events[index]) {
                id = known.id
            } else {
                let subject = ReportSubject(events[index])
                id = try self.id(of: SubjectKey(channel: reports.channel, subject: subject))
                known = (subject, id)
            }
            ids.append(id)
            sums.add(events[index], subject: Int(id))
            if let standing = DeviceStanding(events[index]) {
                standings[id, default: DeviceStanding()].add(standing)
            }
            if events[index].code == .present { try write(events[index], id, sender, reports.channel) }
        }
        try insert(events, ids, sender, received: reports.received)
        let network = reports.network.map { networks.number(of: $0) }
        for (subject, standing) in standings {
            var standing = standing
            standing.network = network
            try write(standing, subject, sender)
        }
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
        for (subject, sum) in sums.all {
            try upsert.execute(arguments: [
                subject, sum.key.hour, sum.key.code.rawValue, sum.key.phase?.rawValue ?? "",
                sum.key.fault?.rawValue ?? "", sum.count, sum.measured, sum.wireByteCount, sum.zipByteCount,
                sum.web.local, sum.web.online, sum.web.missed, sum.web.byteCount,
            ])
        }
    }

    // MARK: The log

    /// The events that are not stored yet, each once, in the order of their sequences.
    private func newEvents(of reports: JudgedReports, _ sender: Int64, isNew: Bool) throws -> [ReportEvent] {
        let events = EventLog.ordered(reports.events)
        guard !isNew else { return events }
        let find = try db.cachedStatement(
            sql: "SELECT events FROM eventLog WHERE sender = ? AND last BETWEEN ? AND ?")
        var known = Set<Int>()
        for run in EventLog.runs(events) {
            let (first, last) = (events[run.lowerBound].sequence, events[run.upperBound - 1].sequence)
            let logs = try Data.fetchCursor(find, arguments: [sender, first, last.saturatingAdd(EventLog.span)])
            while let log = try logs.next() {
                // A damaged row must not keep others out: at worst an event counts twice.
                for sequence in EventLog.sequences(in: Array(log)) ?? [] where sequence >= first && sequence <= last {
                    known.insert(sequence)
                }
            }
        }
        return known.isEmpty ? events : events.filter { !known.contains($0.sequence) }
    }

    /// - Parameter ids: of the events' subjects.
    private mutating func insert(_ events: [ReportEvent], _ ids: [Int64], _ sender: Int64, received: Int) throws {
        for run in EventLog.runs(events) {
            var log = EventLog()
            for index in run { log.append(events[index], subject: ids[index]) }
            let row = EventLogRow(
                sender: sender, first: events[run.lowerBound].sequence, last: events[run.upperBound - 1].sequence,
                received: received)
            total = try row.insert(log, after: total ?? EventLogRow.total(db), db)
        }
    }

    // MARK: Standings

    private func write(_ standing: DeviceStanding, _ subject: Int64, _ sender: Int64) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO standing (subject, sender, activated, outcome, network) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET activated = coalesce(activated, excluded.activated),
                    outcome = CASE WHEN outcome = 'failed' THEN outcome ELSE coalesce(excluded.outcome, outcome) END,
                    network = coalesce(network, excluded.network)
                """
        ).execute(arguments: [subject, sender, standing.activated, standing.outcome?.rawValue, standing.network])
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
