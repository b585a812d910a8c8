package import PackFormat
import PackJSON
package import PackRegistry
package import PackRegistryAPI
import PackRegistrySQL

/// Reports in PostgreSQL, which several servers share.
///
///     let reports = PostgresReportStore(try PostgresAddress("postgres://db.example.com/packtool"))
///     let rows = RegistryRows(shared: database, reports: reports)
///
/// They are in a schema of their own, which the first report makes. Where there is none, there are no reports.
package struct PostgresReportStore: ReportStore {
    package static let schema = "packtool_reports"

    private let reports: PostgresReports
    private let commits: ReportCommits

    package init(
        _ address: PostgresAddress, schema: String = schema, limits: PostgresLimits = PostgresLimits()
    ) {
        let reports = PostgresReports(address, schema: schema, limits: limits)
        self.reports = reports
        commits = ReportCommits(on: { reports.onWriter($0) }) { group in
            try reports.add { connection in
                var writer = PostgresReportWriter(connection)
                return try writer.add(group)
            }
        }
    }

    package func prepare() async throws { _ = try await reports.reading { _ in } }

    package func isUsed() async throws -> Bool {
        try await reports.reading { try !Row.fetchAll($0, sql: "SELECT id FROM sender LIMIT 1").isEmpty } ?? false
    }

    package func add(_ reports: JudgedReports) async throws -> Int {
        reports.events.isEmpty ? 0 : try await commits.add(reports)
    }

    package func delete(_ sender: ReportID) async throws -> Int {
        try await reports.writing { try PostgresReportRemoval(db: $0).delete(sender) } ?? 0
    }

    package func prune(_ retention: ReportRetention, now: Int) async throws {
        // In steps, so that nobody who reports waits long.
        while try await reports.writing({ try PostgresReportRemoval(db: $0).removeSome(retention, now: now) }) ?? false
        {}
        _ = try await reports.writing { try PostgresReportRemoval(db: $0).removeOldSums(retention, now: now) }
    }

    package func events(of sender: ReportID) async throws -> [DeviceEvent] {
        try await reports.reading { db in
            var subjects: [Int: (channel: ChannelName, subject: ReportSubject)] = [:]
            let named = try Row.fetchAll(
                db,
                sql: "SELECT id, channel, package, version, release FROM subject")
            for row in named {
                subjects[try row.integer("id")] = (
                    try row.parsed("channel") { try ChannelName($0) }, try ReportSubject(row)
                )
            }
            let rows = try Row.fetchAll(
                db, sql: "SELECT received, events FROM eventLog WHERE sender = (SELECT id FROM sender WHERE name = ?)",
                arguments: [sender.text])
            var events: [DeviceEvent] = []
            for row in rows {
                guard let entries = EventLog.entries(in: try row.blob("events")) else { throw Row.damaged("events") }
                for entry in entries {
                    guard let (channel, subject) = subjects[entry.subject] else { throw Row.damaged("subject") }
                    let event = entry.event(
                        package: subject.package, version: subject.version, release: subject.release)
                    events.append(DeviceEvent(channel: channel, event: event, received: try row.integer("received")))
                }
            }
            return events.sorted { $0.event.sequence < $1.event.sequence }
        } ?? []
    }

    package func counts(
        on channel: ChannelName, package: PackageID?, from: Int, step: Int
    ) async throws -> [ReportCount] {
        try await reports.reading { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT package, version, release, hour - hour % ?::bigint AS start, min(hour) AS firstHour, max(hour) AS lastHour,
                    code, phase, fault, sum(count)::bigint AS count, sum(measured)::bigint AS measured, sum(wire)::bigint AS wire,
                    sum(zip)::bigint AS zip, sum(local)::bigint AS local, sum(online)::bigint AS online, sum(missed)::bigint AS missed,
                    sum(bytes)::bigint AS bytes
                    FROM subject JOIN counter ON counter.subject = subject.id
                    WHERE channel = ? AND hour >= ? \(package == nil ? "" : "AND package = ?")
                    GROUP BY subject.id, start, code, phase, fault
                    """, arguments: Self.arguments([.integer(step), .text(channel.text), .integer(from)], package)
            ).compactMap { row in
                // A kind that a newer program wrote.
                guard let code = try ReportEvent.Code(rawValue: row.text("code")) else { return nil }
                var count = try ReportCount(
                    ReportCount.Key(
                        subject: ReportSubject(row), hour: row.integer("start"), code: code,
                        phase: ReportEvent.Phase(rawValue: row.text("phase")),
                        fault: ReportEvent.Fault(rawValue: row.text("fault"))))
                (count.first, count.last) = try (row.integer("firstHour"), row.integer("lastHour"))
                count.count = try row.integer("count")
                count.measured = try row.integer("measured")
                count.wireByteCount = try row.integer("wire")
                count.zipByteCount = try row.integer("zip")
                count.web = try WebCounters(
                    local: row.integer("local"), online: row.integer("online"), missed: row.integer("missed"),
                    byteCount: row.integer("bytes"))
                return count
            }
        } ?? []
    }

    package func standings(
        on channel: ChannelName, package: PackageID?, from: Int, recent: Int
    ) async throws -> [StandingCount] {
        try await reports.reading { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT package, version, release, activated >= ? AS isRecent, min(activated) AS activated, outcome,
                    sum(devices)::bigint AS devices
                    FROM subject JOIN standingSum ON standingSum.subject = subject.id
                    WHERE channel = ? AND activated >= ? AND devices > 0 \(package == nil ? "" : "AND package = ?")
                    GROUP BY subject.id, isRecent, outcome
                    """, arguments: Self.arguments([.integer(recent), .text(channel.text), .integer(from)], package)
            ).map { row in
                try StandingCount(
                    subject: ReportSubject(row), activated: row.integer("activated"),
                    outcome: StandingCount.Outcome(rawValue: row.text("outcome")), devices: row.integer("devices"))
            }
        } ?? []
    }

    package func presences(
        on channel: ChannelName, package: PackageID?, from day: Int
    ) async throws -> [PresenceCount] {
        try await reports.reading { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT package, version, facts, sum(devices)::bigint AS devices
                    FROM subject JOIN presenceSum ON presenceSum.subject = subject.id
                    WHERE channel = ? AND day >= ? AND devices > 0 \(package == nil ? "" : "AND package = ?")
                    GROUP BY package, version, facts
                    """, arguments: Self.arguments([.text(channel.text), .integer(day)], package)
            ).map { row in
                try PresenceCount(
                    package: row.parsed("package") { try PackageID($0) },
                    version: row.parsed("version") { try SemanticVersion($0) },
                    facts: row.parsed("facts") {
                        try ReportFacts(json: JSONValue(parsing: Array($0.utf8)).object("facts"))
                    },
                    devices: row.integer("devices"))
            }
        } ?? []
    }

    package func exposures(_ query: ExposureQuery) async throws -> [ExposureCount] {
        try await reports.reading { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT network, activated < ? AS mature, outcome, count(*) AS devices
                    FROM subject JOIN standing ON standing.subject = subject.id
                    WHERE channel = ? AND package = ? AND version = ? AND activated >= ?
                    \(query.release == nil ? "" : "AND release = ?")
                    GROUP BY network, mature, outcome
                    """,
                arguments: StatementArguments(
                    values: [
                        .integer(query.matureBefore), .text(query.channel.text), .text(query.package.text),
                        .text(query.version.description), .integer(query.from),
                    ] + (query.release.map { [.text($0)] } ?? []))
            ).map { row in
                try ExposureCount(
                    network: row.optionalInteger("network"), isMature: row.integer("mature") != 0,
                    outcome: row.optionalText("outcome").flatMap { StandingCount.Outcome(rawValue: $0) },
                    devices: row.integer("devices"))
            }
        } ?? []
    }

    private static func arguments(_ values: [SQLValue], _ package: PackageID?) -> StatementArguments {
        StatementArguments(values: values + (package.map { [.text($0.text)] } ?? []))
    }
}
