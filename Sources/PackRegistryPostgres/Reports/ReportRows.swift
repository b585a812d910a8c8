import PackFormat
import PackJSON
import PackRegistry
import PackRegistrySQL

extension Database {
    /// Runs a statement with many rows as its one parameter, JSON for `json_to_recordset`. Without rows nothing is asked.
    func rows(_ sql: String, of rows: [JSONValue]) throws -> [Row] {
        guard !rows.isEmpty else { return [] }
        return try Row.fetchAll(
            self, sql: sql, arguments: StatementArguments([JSONValue.array(rows).compactText]))
    }

    func execute(_ sql: String, rows: [JSONValue]) throws {
        guard !rows.isEmpty else { return }
        try execute(sql: sql, arguments: StatementArguments([JSONValue.array(rows).compactText]))
    }
}

extension ReportSubject {
    /// From columns of the table `subject`.
    init(_ row: Row) throws {
        let (version, release) = try (row.text("version"), row.text("release"))
        try self.init(
            package: row.parsed("package") { try PackageID($0) },
            version: version.isEmpty ? nil : row.parsed("version") { try SemanticVersion($0) },
            release: release.isEmpty ? nil : release)
    }
}

/// Rows of the table `standing`, and the sums that follow from them.
enum StandingRow {
    struct Key: Hashable {
        let subject: Int
        let sender: Int

        var json: JSONObject { ["subject": .integer(subject), "sender": .integer(sender)] }
    }

    private struct SumKey: Hashable {
        let subject: Int
        let activated: Int
        let outcome: String
    }

    /// Adds what new events say to what is there.
    static func write(_ new: [Key: DeviceStanding], _ db: Database) throws {
        var old: [Key: DeviceStanding] = [:]
        let found = try db.rows(
            """
            SELECT standing.* FROM json_to_recordset(?::json) AS wanted(subject bigint, sender bigint)
            JOIN standing ON standing.subject = wanted.subject AND standing.sender = wanted.sender
            """, of: new.keys.map { .object($0.json) })
        for row in found {
            old[try Key(subject: row.integer("subject"), sender: row.integer("sender"))] = try DeviceStanding(
                activated: row.optionalInteger("activated"),
                outcome: row.optionalText("outcome").flatMap { StandingCount.Outcome(rawValue: $0) },
                network: row.optionalInteger("network"))
        }
        var rows: [JSONValue] = []
        var changes: [SumKey: Int] = [:]
        for (key, more) in new {
            var standing = old[key] ?? DeviceStanding()
            standing.add(more)
            guard standing != old[key] else { continue }
            if let sum = sumKey(key, old[key]) { changes[sum, default: 0] -= 1 }
            if let sum = sumKey(key, standing) { changes[sum, default: 0] += 1 }
            var json = key.json
            json["activated"] = standing.activated.map { .integer($0) } ?? .null
            json["outcome"] = standing.outcome.map { .string($0.rawValue) } ?? .null
            json["network"] = standing.network.map { .integer($0) } ?? .null
            rows.append(.object(json))
        }
        try db.execute(
            """
            INSERT INTO standing (subject, sender, activated, outcome, network)
            SELECT subject, sender, activated, outcome, network FROM json_to_recordset(?::json) AS new(
                subject bigint, sender bigint, activated bigint, outcome text, network bigint)
            ON CONFLICT (subject, sender) DO UPDATE SET activated = excluded.activated, outcome = excluded.outcome,
                network = excluded.network
            """, rows: rows)
        try db.execute(
            """
            INSERT INTO standingSum AS old SELECT * FROM json_to_recordset(?::json) AS new(
                subject bigint, activated bigint, outcome text, devices bigint)
            ON CONFLICT (subject, activated, outcome) DO UPDATE SET devices = old.devices + excluded.devices
            """,
            rows: changes.filter { $0.value != 0 }.map { sum, devices in
                .object([
                    "subject": .integer(sum.subject), "activated": .integer(sum.activated),
                    "outcome": .string(sum.outcome), "devices": .integer(devices),
                ])
            })
    }

    /// The sum in which a device counts; nil before its release became active.
    private static func sumKey(_ key: Key, _ standing: DeviceStanding?) -> SumKey? {
        standing?.activated.map {
            SumKey(subject: key.subject, activated: $0, outcome: standing?.outcome?.rawValue ?? "")
        }
    }
}

/// A row of the table `presence` without its key, and the sums that follow from such rows.
struct PresenceRow: Hashable {
    struct Key: Hashable {
        let sender: Int
        let channel: String
        let package: String

        var json: JSONObject {
            ["sender": .integer(sender), "channel": .string(channel), "package": .string(package)]
        }
    }

    private struct SumKey: Hashable {
        let subject: Int
        let day: Int
        let facts: String
    }

    let sequence: Int
    let subject: Int
    let facts: String
    let day: Int

    private var sumKey: SumKey { SumKey(subject: subject, day: day, facts: facts) }

    /// Puts newer rows in the place of older ones.
    static func write(_ new: [Key: PresenceRow], _ db: Database) throws {
        var old: [Key: PresenceRow] = [:]
        let found = try db.rows(
            """
            SELECT presence.* FROM json_to_recordset(?::json) AS wanted(sender bigint, channel text, package text)
            JOIN presence ON presence.sender = wanted.sender AND presence.channel = wanted.channel COLLATE "C"
            AND presence.package = wanted.package COLLATE "C"
            """, of: new.keys.map { .object($0.json) })
        for row in found {
            let key = try Key(
                sender: row.integer("sender"), channel: row.text("channel"), package: row.text("package"))
            old[key] = try PresenceRow(
                sequence: row.integer("sequence"), subject: row.integer("subject"), facts: row.text("facts"),
                day: row.integer("day"))
        }
        var rows: [JSONValue] = []
        var changes: [SumKey: Int] = [:]
        for (key, row) in new where row.sequence > old[key]?.sequence ?? -1 {
            if let before = old[key] { changes[before.sumKey, default: 0] -= 1 }
            changes[row.sumKey, default: 0] += 1
            var json = key.json
            json["sequence"] = .integer(row.sequence)
            json["subject"] = .integer(row.subject)
            json["facts"] = .string(row.facts)
            json["day"] = .integer(row.day)
            rows.append(.object(json))
        }
        try db.execute(
            """
            INSERT INTO presence (sender, channel, package, sequence, subject, facts, day)
            SELECT sender, channel, package, sequence, subject, facts, day FROM json_to_recordset(?::json) AS new(
                sender bigint, channel text, package text, sequence bigint, subject bigint, facts text, day bigint)
            ON CONFLICT (sender, channel, package) DO UPDATE SET sequence = excluded.sequence, subject = excluded.subject,
                facts = excluded.facts, day = excluded.day
            """, rows: rows)
        try db.execute(
            """
            INSERT INTO presenceSum AS old SELECT * FROM json_to_recordset(?::json) AS new(
                subject bigint, day bigint, facts text, devices bigint)
            ON CONFLICT (subject, day, facts) DO UPDATE SET devices = old.devices + excluded.devices
            """,
            rows: changes.filter { $0.value != 0 }.map { sum, devices in
                .object([
                    "subject": .integer(sum.subject), "day": .integer(sum.day), "facts": .string(sum.facts),
                    "devices": .integer(devices),
                ])
            })
    }
}
