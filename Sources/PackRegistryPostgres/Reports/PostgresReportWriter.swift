import PackFormat
import PackJSON
import PackRegistry
import PackRegistrySQL

/// Adds batches inside one transaction, alone among all writers. Each statement is for all of them: a database on another machine
/// answers a dozen questions for a hundred devices. Nothing is kept for the next transaction, because a database that went back to an
/// older state has other numbers.
struct PostgresReportWriter {
    private struct SubjectKey: Hashable {
        let channel: ChannelName
        let subject: ReportSubject
    }

    private let connection: PostgresConnection
    private let db: Database
    private var senders: [String: Int] = [:]
    private var subjects: [SubjectKey: Int] = [:]
    private var sums = ReportSums()
    private var standings: [StandingRow.Key: DeviceStanding] = [:]
    private var presences: [PresenceRow.Key: PresenceRow] = [:]

    init(_ connection: PostgresConnection) {
        self.connection = connection
        db = Database(connection, .postgres)
    }

    /// - Returns: how many events of each batch were new.
    mutating func add(_ group: [JudgedReports]) throws -> [Int] {
        senders = try ids(ofSenders: Set(group.map(\.sender.text)))
        subjects = try ids(
            ofSubjects: Set(
                group.flatMap { reports in
                    Set(reports.events.map { ReportSubject($0) }).map {
                        SubjectKey(channel: reports.channel, subject: $0)
                    }
                }))
        let networks = try group.contains { $0.network != nil } ? networkNumbers() : nil
        let batches = group.map { (reports: $0, events: EventLog.ordered($0.events)) }
        var stored = try sequences(near: batches)
        var log = EventLogCopy(total: try EventLogCopy.total(db))
        var counts: [Int] = []
        for (reports, all) in batches {
            let sender = try id(of: reports.sender)
            let events = all.filter { stored[sender, default: []].insert($0.sequence).inserted }
            let ids = try events.map { try id(of: $0, on: reports.channel) }
            for (event, subject) in zip(events, ids) {
                sums.add(event, subject: subject)
                if let standing = DeviceStanding(event) {
                    standings[StandingRow.Key(subject: subject, sender: sender), default: DeviceStanding()].add(
                        standing)
                }
                if event.code == .present { note(event, subject, sender, reports.channel) }
            }
            let network = reports.network.flatMap { networks?.number(of: $0) }
            for key in Set(ids).map({ StandingRow.Key(subject: $0, sender: sender) }) {
                standings[key]?.add(DeviceStanding(network: network))
            }
            log.append(events, ids, sender: sender, received: reports.received)
            counts.append(events.count)
        }
        try log.write(connection, db)
        try StandingRow.write(standings, db)
        try PresenceRow.write(presences, db)
        try writeSums()
        return counts
    }

    private func writeSums() throws {
        let rows = sums.all.map { subject, sum in
            JSONValue.object([
                "subject": .integer(subject), "hour": .integer(sum.key.hour), "code": .string(sum.key.code.rawValue),
                "phase": .string(sum.key.phase?.rawValue ?? ""), "fault": .string(sum.key.fault?.rawValue ?? ""),
                "count": .integer(sum.count), "measured": .integer(sum.measured), "wire": .integer(sum.wireByteCount),
                "zip": .integer(sum.zipByteCount), "local": .integer(sum.web.local), "online": .integer(sum.web.online),
                "missed": .integer(sum.web.missed), "bytes": .integer(sum.web.byteCount),
            ])
        }
        try db.execute(
            // 2^52: sums over all rows stay numbers, whatever is reported.
            """
            INSERT INTO counter AS old SELECT * FROM json_to_recordset(?::json) AS new(
                subject bigint, hour bigint, code text, phase text, fault text, count bigint, measured bigint, wire bigint, zip bigint,
                local bigint, online bigint, missed bigint, bytes bigint)
            ON CONFLICT (subject, hour, code, phase, fault) DO UPDATE SET count = old.count + excluded.count,
                measured = old.measured + excluded.measured, wire = least(old.wire + excluded.wire, 4503599627370496),
                zip = least(old.zip + excluded.zip, 4503599627370496), local = old.local + excluded.local,
                online = old.online + excluded.online, missed = old.missed + excluded.missed,
                bytes = least(old.bytes + excluded.bytes, 4503599627370496)
            """, rows: rows)
    }

    private mutating func note(_ event: ReportEvent, _ subject: Int, _ sender: Int, _ channel: ChannelName) {
        let key = PresenceRow.Key(sender: sender, channel: channel.text, package: event.package.text)
        // An event that comes late changes nothing.
        guard event.sequence > presences[key]?.sequence ?? -1 else { return }
        presences[key] = PresenceRow(
            sequence: event.sequence, subject: subject,
            facts: JSONValue.object((event.facts ?? ReportFacts()).json).compactText, day: event.time / 86_400)
    }

    // MARK: What is there

    /// The sequences that are stored of each sender, near those that came.
    private func sequences(
        near batches: [(reports: JudgedReports, events: [ReportEvent])]
    ) throws -> [Int: Set<Int>] {
        var wanted: [JSONValue] = []
        for (reports, events) in batches {
            let sender = try id(of: reports.sender)
            for run in EventLog.runs(events) {
                let (first, last) = (events[run.lowerBound].sequence, events[run.upperBound - 1].sequence)
                wanted.append(
                    .object([
                        "sender": .integer(sender), "first": .integer(first),
                        "last": .integer(last.saturatingAdd(EventLog.span)),
                    ]))
            }
        }
        let rows = try db.rows(
            """
            SELECT DISTINCT eventLog.sender, eventLog.events FROM json_to_recordset(?::json) AS wanted(
                sender bigint, first bigint, last bigint)
            JOIN eventLog ON eventLog.sender = wanted.sender AND eventLog.last BETWEEN wanted.first AND wanted.last
            """, of: wanted)
        var stored: [Int: Set<Int>] = [:]
        for row in rows {
            // A damaged row must not keep others out: at worst an event counts twice.
            stored[try row.integer("sender"), default: []].formUnion(
                EventLog.sequences(in: try row.blob("events")) ?? [])
        }
        return stored
    }

    // MARK: Numbers of names

    private func id(of sender: ReportID) throws -> Int {
        guard let id = senders[sender.text] else { throw Row.damaged("sender") }
        return id
    }

    private func id(of event: ReportEvent, on channel: ChannelName) throws -> Int {
        guard let id = subjects[SubjectKey(channel: channel, subject: ReportSubject(event))] else {
            throw Row.damaged("subject")
        }
        return id
    }

    private func ids(ofSenders names: Set<String>) throws -> [String: Int] {
        var ids: [String: Int] = [:]
        func take(_ rows: [Row]) throws {
            for row in rows { ids[try row.text("name")] = try row.integer("id") }
        }
        let wanted = names.map { JSONValue.object(["name": .string($0)]) }
        try take(
            db.rows(
                """
                SELECT sender.id, sender.name FROM json_to_recordset(?::json) AS wanted(name text)
                JOIN sender ON sender.name = wanted.name COLLATE "C"
                """, of: wanted))
        let new = names.filter { ids[$0] == nil }.map { JSONValue.object(["name": .string($0)]) }
        try take(
            db.rows(
                "INSERT INTO sender (name) SELECT name FROM json_to_recordset(?::json) AS new(name text) RETURNING id, name",
                of: new))
        return ids
    }

    private func ids(ofSubjects keys: Set<SubjectKey>) throws -> [SubjectKey: Int] {
        var ids: [SubjectKey: Int] = [:]
        func take(_ rows: [Row]) throws {
            for row in rows {
                let key = try SubjectKey(
                    channel: row.parsed("channel") { try ChannelName($0) }, subject: ReportSubject(row))
                ids[key] = try row.integer("id")
            }
        }
        func json(_ key: SubjectKey) -> JSONValue {
            .object([
                "channel": .string(key.channel.text), "package": .string(key.subject.package.text),
                "version": .string(key.subject.version?.description ?? ""),
                "release": .string(key.subject.release ?? ""),
            ])
        }
        let columns = "channel text, package text, version text, release text"
        try take(
            db.rows(
                """
                SELECT subject.* FROM json_to_recordset(?::json) AS wanted(\(columns)) JOIN subject
                ON subject.channel = wanted.channel COLLATE "C" AND subject.package = wanted.package COLLATE "C"
                AND subject.version = wanted.version COLLATE "C" AND subject.release = wanted.release COLLATE "C"
                """, of: keys.map(json)))
        try take(
            db.rows(
                """
                INSERT INTO subject (channel, package, version, release)
                SELECT channel, package, version, release FROM json_to_recordset(?::json) AS new(\(columns)) RETURNING *
                """, of: keys.filter { ids[$0] == nil }.map(json)))
        return ids
    }

    private func networkNumbers() throws -> NetworkNumbers {
        let rows = try Row.fetchAll(db, sql: "SELECT value FROM secret WHERE name = 'network'")
        if let row = rows.first { return NetworkNumbers(key: try row.blob("value")) }
        let key = NetworkNumbers.newKey()
        try db.execute(
            sql: "INSERT INTO secret (name, value) VALUES ('network', ?)", arguments: StatementArguments([key]))
        return NetworkNumbers(key: key)
    }
}
