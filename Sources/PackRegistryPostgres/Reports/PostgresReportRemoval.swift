import PackFormat
import PackRegistry
import PackRegistrySQL

/// Removes reports inside one transaction, with what they are in the sums.
struct PostgresReportRemoval {
    /// Rows of the log in one step.
    private static let rowCount = 5_000

    let db: Database

    /// - Returns: how many events were deleted.
    func delete(_ sender: ReportID) throws -> Int {
        let found = try Int.fetchOne(
            db, sql: "SELECT id FROM sender WHERE name = ?", arguments: StatementArguments([sender.text]))
        guard let id = found else { return 0 }
        let logs = try Row.fetchAll(
            db, sql: "DELETE FROM eventLog WHERE sender = ? RETURNING events", arguments: [id])
        try deleteStandings(where: "sender = ?", [id])
        try deletePresences(where: "sender = ?", [id])
        try db.execute(sql: "DELETE FROM sender WHERE id = ?", arguments: [id])
        // What cannot be read is deleted as well.
        return try logs.reduce(0) { $0 + (EventLog.sequences(in: try $1.blob("events"))?.count ?? 0) }
    }

    /// Removes one step of the log: a day that is too old, or rows.
    /// - Returns: false where nothing was left to remove.
    func removeSome(_ retention: ReportRetention, now: Int) throws -> Bool {
        let cutoff = Self.cutoff(retention, now)
        let over = try Int.fetchOne(
            db, sql: "SELECT min(day) FROM eventDay WHERE (day + 1) * 86400 <= ?", arguments: [cutoff])
        if let over {
            try db.execute(sql: "DROP TABLE \(EventLogCopy.partition(over))")
            try db.execute(sql: "DELETE FROM eventDay WHERE day = ?", arguments: [over])
            return true
        }
        let deleted = try db.execute(
            sql: """
                DELETE FROM eventLog WHERE id IN (SELECT id FROM eventLog ORDER BY id LIMIT \(Self.rowCount))
                AND (received < ? OR total <= ?)
                """,
            arguments: [cutoff, try EventLogCopy.total(db) - retention.maximumEventCount])
        return deleted > 0
    }

    func removeOldSums(_ retention: ReportRetention, now: Int) throws {
        try db.execute(
            sql: "DELETE FROM counter WHERE hour < ?", arguments: [now - retention.counterDays * 86_400])
        // What has an outcome and no beginning is about an activation that is gone.
        try deleteStandings(
            where: """
                activated < ? OR activated IS NULL AND NOT EXISTS
                (SELECT 1 FROM eventLog WHERE eventLog.sender = standing.sender)
                """, [Self.cutoff(retention, now)])
        try db.execute(sql: "DELETE FROM standingSum WHERE devices <= 0")
        try deletePresences(where: "day < ?", [now / 86_400 - PresenceCount.days])
        try db.execute(sql: "DELETE FROM presenceSum WHERE devices <= 0")
        try db.execute(
            sql: """
                DELETE FROM sender WHERE NOT EXISTS (SELECT 1 FROM eventLog WHERE eventLog.sender = sender.id)
                AND NOT EXISTS (SELECT 1 FROM standing WHERE standing.sender = sender.id)
                AND NOT EXISTS (SELECT 1 FROM presence WHERE presence.sender = sender.id)
                """)
    }

    private static func cutoff(_ retention: ReportRetention, _ now: Int) -> Int {
        now - max(retention.days, ReportRetention.leastDays) * 86_400
    }

    private func deleteStandings(where condition: String, _ arguments: StatementArguments) throws {
        try db.execute(
            sql: """
                WITH gone AS (DELETE FROM standing WHERE \(condition) RETURNING subject, activated, coalesce(outcome, '') AS outcome),
                less AS (SELECT subject, activated, outcome, count(*) AS devices FROM gone WHERE activated IS NOT NULL GROUP BY 1, 2, 3)
                UPDATE standingSum SET devices = standingSum.devices - less.devices FROM less
                WHERE standingSum.subject = less.subject AND standingSum.activated = less.activated
                AND standingSum.outcome = less.outcome
                """, arguments: arguments)
    }

    private func deletePresences(where condition: String, _ arguments: StatementArguments) throws {
        try db.execute(
            sql: """
                WITH gone AS (DELETE FROM presence WHERE \(condition) RETURNING subject, day, facts),
                less AS (SELECT subject, day, facts, count(*) AS devices FROM gone GROUP BY 1, 2, 3)
                UPDATE presenceSum SET devices = presenceSum.devices - less.devices FROM less
                WHERE presenceSum.subject = less.subject AND presenceSum.day = less.day AND presenceSum.facts = less.facts
                """, arguments: arguments)
    }
}
