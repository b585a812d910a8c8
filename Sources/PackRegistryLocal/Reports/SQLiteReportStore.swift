import Foundation
import GRDB
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI
import Synchronization

/// Reports in `reports.sqlite`. The file is made by the first report; where there is none, there are no reports.
final class SQLiteReportStore: ReportStore {
    private struct Opened {
        let database: ReportDatabase
        let commits: ReportCommits
    }

    /// What was read of the file, and does not change.
    private final class Known: Sendable {
        struct Values {
            /// The ids of subjects.
            var subjects: [ReportWriter.SubjectKey: Int64] = [:]
            var networks: NetworkNumbers?
        }

        let values = Mutex(Values())
    }

    private let folder: RegistryFolder
    private let opened = Mutex<Opened?>(nil)
    /// Held while the file is opened, and perhaps migrated for minutes: who only asks whether it is open does not wait.
    private let opening = Mutex<Void>(())

    init(folder: RegistryFolder) {
        self.folder = folder
    }

    func prepare() async throws { _ = try await read(otherwise: 0) { _ in 0 } }

    func isUsed() async throws -> Bool { folder.hasReports }

    func add(_ reports: JudgedReports) async throws -> Int {
        guard !reports.events.isEmpty else { return 0 }
        let commits: ReportCommits
        if let known = opened.withLock({ $0?.commits }) {
            commits = known
        } else {
            commits = try await BlockingWork.run { [self] in try open().commits }
        }
        return try await commits.add(reports)
    }

    func counts(on channel: ChannelName, package: PackageID?, from: Int, step: Int) async throws -> [ReportCount] {
        try await read(otherwise: []) { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT subject.id AS subject, hour - hour % ? AS start, min(hour) AS first, max(hour) AS last,
                    code, phase, fault, sum(count) AS count, sum(measured) AS measured, sum(wire) AS wire, sum(zip) AS zip, sum(local) AS local,
                    sum(online) AS online, sum(missed) AS missed, sum(bytes) AS bytes
                    FROM subject JOIN counter ON counter.subject = subject.id
                    WHERE channel = ? AND hour >= ? \(package == nil ? "" : "AND package = ?")
                    GROUP BY subject.id, start, code, phase, fault
                    """, arguments: Self.arguments([step, channel.text, from], package))
            var names = try SubjectNames(db)
            var counts: [ReportCount] = []
            while let row = try rows.next() {
                // A kind that a newer program wrote.
                guard let code = try ReportEvent.Code(rawValue: row.text("code")) else { continue }
                var count = try ReportCount(
                    ReportCount.Key(
                        subject: names.name(of: row.integer("subject")).subject, hour: row.integer("start"), code: code,
                        phase: ReportEvent.Phase(rawValue: row.text("phase")),
                        fault: ReportEvent.Fault(rawValue: row.text("fault"))))
                (count.first, count.last) = try (row.integer("first"), row.integer("last"))
                count.count = try row.integer("count")
                count.measured = try row.integer("measured")
                count.wireByteCount = try row.integer("wire")
                count.zipByteCount = try row.integer("zip")
                count.web = try WebCounters(
                    local: row.integer("local"), online: row.integer("online"), missed: row.integer("missed"),
                    byteCount: row.integer("bytes"))
                counts.append(count)
            }
            return counts
        }
    }

    func standings(
        on channel: ChannelName, package: PackageID?, from: Int, recent: Int
    ) async throws -> [StandingCount] {
        try await read(otherwise: []) { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT package, version, release, activated >= ? AS isRecent, min(activated) AS activated, outcome,
                    sum(devices) AS devices
                    FROM subject JOIN standingSum ON standingSum.subject = subject.id
                    WHERE channel = ? AND activated >= ? AND devices > 0 \(package == nil ? "" : "AND package = ?")
                    GROUP BY subject.id, isRecent, outcome
                    """, arguments: Self.arguments([recent, channel.text, from], package)
            ).map { row in
                try StandingCount(
                    subject: SubjectNames.subject(row), activated: row.integer("activated"),
                    outcome: StandingCount.Outcome(rawValue: row.text("outcome")), devices: row.integer("devices"))
            }
        }
    }

    func presences(on channel: ChannelName, package: PackageID?, from day: Int) async throws -> [PresenceCount] {
        try await read(otherwise: []) { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT package, version, facts, sum(devices) AS devices
                    FROM subject JOIN presenceSum ON presenceSum.subject = subject.id
                    WHERE channel = ? AND day >= ? AND devices > 0 \(package == nil ? "" : "AND package = ?")
                    GROUP BY package, version, facts
                    """, arguments: Self.arguments([channel.text, day], package)
            ).map { row in
                try PresenceCount(
                    package: row.parsed("package") { try PackageID($0) },
                    version: row.parsed("version") { try SemanticVersion($0) },
                    facts: row.parsed("facts") { try ReportFacts(json: JSONValue(parsing: $0).object()) },
                    devices: row.integer("devices"))
            }
        }
    }

    func exposures(_ query: ExposureQuery) async throws -> [ExposureCount] {
        try await read(otherwise: []) { db in
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
                    [
                        query.matureBefore, query.channel.text, query.package.text, query.version.description,
                        query.from,
                    ] as [any DatabaseValueConvertible] + (query.release.map { [$0] } ?? []))
            ).map { row in
                try ExposureCount(
                    network: row.optionalInteger("network"), isMature: row.integer("mature") != 0,
                    outcome: row.optionalText("outcome").flatMap { StandingCount.Outcome(rawValue: $0) },
                    devices: row.integer("devices"))
            }
        }
    }

    func events(of sender: ReportID) async throws -> [DeviceEvent] {
        try await read(otherwise: []) { db in
            var names = try SubjectNames(db)
            let rows = try Row.fetchCursor(
                db, sql: "SELECT received, events FROM eventLog WHERE sender = (SELECT id FROM sender WHERE name = ?)",
                arguments: [sender.text])
            var events: [DeviceEvent] = []
            while let row = try rows.next() {
                let received = try row.integer("received")
                guard let entries = try EventLog.entries(in: Array(row.data("events"))) else {
                    throw Row.damaged("events")
                }
                for entry in entries {
                    let name = try names.name(of: entry.subject)
                    let event = entry.event(
                        package: name.subject.package, version: name.subject.version, release: name.subject.release)
                    events.append(DeviceEvent(channel: name.channel, event: event, received: received))
                }
            }
            return events.sorted { $0.event.sequence < $1.event.sequence }
        }
    }

    func delete(_ sender: ReportID) async throws -> Int {
        try await write { db in
            guard let id = try Int64.fetchOne(db, sql: "SELECT id FROM sender WHERE name = ?", arguments: [sender.text])
            else { return 0 }
            let logs = try Data.fetchAll(db, sql: "SELECT events FROM eventLog WHERE sender = ?", arguments: [id])
            // What cannot be read is deleted as well.
            let deleted = logs.map { EventLog.sequences(in: Array($0))?.count ?? 0 }.reduce(0, +)
            try db.execute(sql: "DELETE FROM eventLog WHERE sender = ?", arguments: [id])
            try db.execute(sql: "DELETE FROM standing WHERE sender = ?", arguments: [id])
            try db.execute(sql: "DELETE FROM presence WHERE sender = ?", arguments: [id])
            try db.execute(sql: "DELETE FROM sender WHERE id = ?", arguments: [id])
            return deleted
        } ?? 0
    }

    func prune(_ retention: ReportRetention, now: Int) async throws {
        let cutoff = now - max(retention.days, ReportRetention.leastDays) * 86_400
        // In steps, so that nobody who reports waits long.
        while let deleted = try await write({ db in
            let total = try EventLogRow.total(db)
            try db.execute(
                sql: """
                    DELETE FROM eventLog WHERE id IN (SELECT id FROM eventLog ORDER BY id LIMIT 5000)
                    AND (received < ? OR total <= ?)
                    """, arguments: [cutoff, max(0, total) - retention.maximumEventCount])
            return db.changesCount
        }), deleted > 0 {}
        _ = try await write { db in
            try db.execute(
                sql: "DELETE FROM counter WHERE hour < ?", arguments: [now - retention.counterDays * 86_400])
            // What has an outcome and no beginning is about an activation that is gone.
            try db.execute(
                sql: """
                    DELETE FROM standing WHERE activated < ? OR activated IS NULL AND NOT EXISTS
                    (SELECT 1 FROM eventLog WHERE eventLog.sender = standing.sender)
                    """, arguments: [cutoff])
            try db.execute(sql: "DELETE FROM standingSum WHERE devices = 0")
            try db.execute(
                sql: "DELETE FROM presence WHERE day < ?", arguments: [now / 86_400 - PresenceCount.days])
            try db.execute(sql: "DELETE FROM presenceSum WHERE devices = 0")
            try db.execute(
                sql: """
                    DELETE FROM sender WHERE NOT EXISTS (SELECT 1 FROM eventLog WHERE eventLog.sender = sender.id)
                    AND NOT EXISTS (SELECT 1 FROM standing WHERE standing.sender = sender.id)
                    AND NOT EXISTS (SELECT 1 FROM presence WHERE presence.sender = sender.id)
                    """)
        }
    }

    // MARK: The file

    private func open() throws -> Opened {
        if let known = opened.withLock({ $0 }) { return known }
        return try opening.withLock { _ in
            if let known = opened.withLock({ $0 }) { return known }
            let database = try ReportDatabase(folder)
            let new = Opened(database: database, commits: Self.commits(to: database))
            opened.withLock { $0 = new }
            return new
        }
    }

    /// Whoever publishes or looks for updates meanwhile comes first.
    private static func commits(to database: ReportDatabase) -> ReportCommits {
        let known = Known()
        return ReportCommits(on: { PatientThread.run("reports", $0) }) { group in
            let before = known.values.withLock { $0 }
            let (added, after) = try database.write { db in
                let networks = try before.networks ?? NetworkNumbers(db)
                var writer = ReportWriter(db: db, networks: networks, subjects: before.subjects)
                let added = try group.map { try writer.add($0) }
                try writer.finish()
                return (added, Known.Values(subjects: writer.subjects, networks: networks))
            }
            // After the commit: what was rolled back has no id.
            known.values.withLock { $0 = after }
            return added
        }
    }

    private func read<Value: Sendable>(
        otherwise none: Value, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await BlockingWork.run { [self] in
            guard folder.hasReports else { return none }
            return try open().database.read(body)
        }
    }

    /// - Returns: nil if there is no file.
    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value? {
        try await BlockingWork.run { [self] in
            guard folder.hasReports else { return nil }
            return try open().database.write(body)
        }
    }

    private static func arguments(
        _ values: [(any DatabaseValueConvertible)?], _ package: PackageID?
    ) -> StatementArguments {
        var all = values
        if let package { all.append(package.text) }
        return StatementArguments(all)
    }
}
