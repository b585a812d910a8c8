import Foundation
import GRDB
import PackFormat
import PackJSON
import PackRegistry
import struct PackRegistrySQL.EventLog

/// Writes batches inside one transaction. The events of a batch are one row of the log (`EventLog`); what follows from them is summed up
/// first, so that a crowd that reports the same costs one row and not thousands.
struct ReportWriter {
    struct SubjectKey: Hashable, Sendable {
        let channel: ChannelName
        let subject: ReportSubject
    }

    /// As `ReportCount.Key`, with numbers: a hash of names for each event would cost more than its part of a row.
    private struct CountKey: Hashable {
        let subject: Int64
        let hour: Int
        let kind: Int

        init(_ event: ReportEvent, _ subject: Int64) {
            self.subject = subject
            hour = event.time - event.time % 3600
            kind = EventLog.kind(of: event)
        }
    }

    /// What events say about a release on a device.
    private struct Standing {
        var activated: Int?
        var outcome: StandingCount.Outcome?
    }

    /// The most sequences from the first to the last of one row of the log.
    private static let span = 1024

    let db: Database
    let networks: NetworkNumbers
    /// The ids of subjects, by what they are.
    private(set) var subjects: [SubjectKey: Int64]
    private var counts: [CountKey: ReportCount] = [:]
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
        var standings: [Int64: Standing] = [:]
        // Most batches are about one or two releases.
        var known: (subject: ReportSubject, id: Int64)?
        // By place: an event has so many names that a copy costs as much as all else that is done with it.
        for place in events.indices {
            let id: Int64
            if let known, known.subject.isSubject(of: events[place]) {
                id = known.id
            } else {
                let subject = ReportSubject(events[place])
                id = try self.id(of: SubjectKey(channel: reports.channel, subject: subject))
                known = (subject, id)
            }
            ids.append(id)
            counts[CountKey(events[place], id), default: ReportCount(ReportCount.Key(events[place]))].add(events[place])
            note(events[place], in: &standings[id])
            if events[place].code == .present { try write(events[place], id, sender, reports.channel) }
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
                key.subject, key.hour, sum.key.code.rawValue, sum.key.phase?.rawValue ?? "",
                sum.key.fault?.rawValue ?? "", sum.count, sum.measured, sum.wireByteCount, sum.zipByteCount,
                sum.web.local, sum.web.online, sum.web.missed, sum.web.byteCount,
            ])
        }
    }

    // MARK: The log

    /// The events that are not stored yet, each once, in the order of their sequences.
    private func newEvents(of reports: JudgedReports, _ sender: Int64, isNew: Bool) throws -> [ReportEvent] {
        var events = reports.events
        // A device counts up.
        if zip(events, events.dropFirst()).contains(where: { $0.sequence >= $1.sequence }) {
            var seen = Set<Int>(minimumCapacity: events.count)
            events = events.filter { seen.insert($0.sequence).inserted }.sorted { $0.sequence < $1.sequence }
        }
        guard !isNew else { return events }
        let find = try db.cachedStatement(
            sql: "SELECT events FROM eventLog WHERE sender = ? AND last BETWEEN ? AND ?")
        var known = Set<Int>()
        for run in Self.runs(events) {
            let (first, last) = (events[run.lowerBound].sequence, events[run.upperBound - 1].sequence)
            let logs = try Data.fetchCursor(find, arguments: [sender, first, last.saturatingAdd(Self.span)])
            while let log = try logs.next() {
                for entry in try Row.entries(log) where entry.sequence >= first && entry.sequence <= last {
                    known.insert(entry.sequence)
                }
            }
        }
        return known.isEmpty ? events : events.filter { !known.contains($0.sequence) }
    }

    /// Parts of which none spans more than ``span``: so that those who look for a sequence read few rows, whatever a sender sends.
    private static func runs(_ events: [ReportEvent]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for place in events.indices where events[place].sequence - events[start].sequence >= span {
            runs.append(start..<place)
            start = place
        }
        if start < events.count { runs.append(start..<events.count) }
        return runs
    }

    /// - Parameter ids: of the events' subjects.
    private mutating func insert(_ events: [ReportEvent], _ ids: [Int64], _ sender: Int64, received: Int) throws {
        let insert = try db.cachedStatement(
            sql: "INSERT INTO eventLog (sender, first, last, received, total, events) VALUES (?, ?, ?, ?, ?, ?)")
        for run in Self.runs(events) {
            var log = EventLog()
            for place in run { log.append(events[place], subject: Int(ids[place])) }
            let total = try self.total ?? Int.fetchOne(db, sql: ReportSchema.total) ?? 0
            self.total = total + log.count
            try insert.execute(arguments: [
                sender, events[run.lowerBound].sequence, events[run.upperBound - 1].sequence, received,
                total + log.count, Data(log.bytes),
            ])
        }
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
