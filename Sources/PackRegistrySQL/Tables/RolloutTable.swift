import Foundation
import PackFormat
import PackJSON
package import PackRegistry
import PackRegistryAPI

/// Releases with a plan and their events, inside one transaction.
package struct RolloutTable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// The number of the newest event of any release.
    func newestEvent() throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COALESCE(MAX(sequence), 0) FROM releaseEvent") ?? 0
    }

    /// The packages and channels that have a plan with something left to do: of a release that is offered, and not complete.
    package func open() throws -> [RegistryFacts.OpenRollout] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT DISTINCT release.package, release.channel FROM releaseEvent AS plan
                JOIN release ON release.id = plan.release
                WHERE plan.kind = 'plan' AND release.removed IS NULL AND NOT EXISTS (
                    SELECT 1 FROM releaseEvent AS later
                    WHERE later.release = plan.release AND later.sequence > plan.sequence AND later.kind = 'rollout'
                        AND \(db.dialect.jsonText("later.content", "action")) = 'complete')
                ORDER BY release.channel, release.package
                """
        ).map { row in
            RegistryFacts.OpenRollout(
                package: try row.parsed("package") { try PackageID($0) },
                channel: try row.parsed("channel") { try ChannelName($0) })
        }
    }

    /// The releases that have, or had, a plan, oldest first.
    package func planned(_ query: FactsQuery.Rollouts) throws -> [PlannedRelease] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT release.id, release.channel, release.sequence, manifest.version,
                    (SELECT newer.id FROM release AS newer
                     WHERE newer.channel = release.channel AND newer.package = release.package
                         AND newer.sequence > release.sequence AND newer.removed IS NULL
                     ORDER BY newer.sequence DESC LIMIT 1) AS newer
                FROM release LEFT JOIN manifest ON manifest.digest = release.manifest
                WHERE release.package = ? \(query.channel == nil ? "" : "AND release.channel = ?")
                    AND EXISTS (SELECT 1 FROM releaseEvent WHERE releaseEvent.release = release.id AND kind = 'plan')
                ORDER BY release.sequence
                """,
            arguments: StatementArguments([query.package.text] + (query.channel.map { [$0.text] } ?? [])))
        return try rows.map { row in
            let release = try row.text("id")
            return PlannedRelease(
                package: query.package, channel: try row.parsed("channel") { try ChannelName($0) }, release: release,
                version: try row.optionalText("version") == nil
                    ? nil : row.parsed("version") { try SemanticVersion($0) },
                events: try events(of: release), newer: try newerName(row.optionalText("newer")))
        }
    }

    private func newerName(_ release: String?) throws -> String? {
        guard let release else { return nil }
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT manifest.version FROM release LEFT JOIN manifest ON manifest.digest = release.manifest
                WHERE release.id = ?
                """, arguments: [release])
        return try row?.optionalText("version") ?? "embedded"
    }

    private func events(of release: String) throws -> [RolloutEvent] {
        try Row.fetchAll(
            db, sql: "SELECT time, actor, kind, content FROM releaseEvent WHERE release = ? ORDER BY sequence",
            arguments: [release]
        ).map { row in
            let kind = try row.text("kind")
            let content = try row.parsed("content") { try JSONValue(parsing: $0).object() }
            do {
                return RolloutEvent(
                    try RolloutEvent.Kind(stored: kind, content), time: try row.date("time"),
                    actor: try row.text("actor"))
            } catch { throw Row.damaged("content", error) }
        }
    }

    func append(_ note: ChangeSet.RolloutNote, by actor: Identity, now: Date) throws {
        guard let (kind, content) = note.kind.stored else { return }
        try ReleaseEventTable(db: db).append(kind, note.release, content: content, by: actor, now: now)
    }
}

extension RolloutEvent.Kind {
    fileprivate init(stored kind: String, _ content: JSONObject) throws {
        switch ReleaseEventTable.Kind(rawValue: kind) {
        case .add, .update: self = try .share(Share(tenThousandths: content.integer("share")))
        case .remove: self = .remove
        case .plan: self = try .plan(RolloutPlan(json: content.required("plan")))
        case .rollout:
            let name = try content.string("action")
            guard let action = RolloutEvent.Action(rawValue: name) else {
                throw JSONError.unexpected(field: "action", wanted: "an action of a rollout", found: "\"\(name)\"")
            }
            self = try .action(action, reason: content.string("reason"))
        case nil: throw JSONError.unexpected(field: "kind", wanted: "a kind of event", found: "\"\(kind)\"")
        }
    }

    /// nil for what ``ReleaseTable`` records with the release itself.
    fileprivate var stored: (ReleaseEventTable.Kind, JSONObject)? {
        switch self {
        case .share, .remove: nil
        case .plan(let plan): (.plan, ["plan": .object(plan.json)])
        case .action(let action, let reason):
            (.rollout, ["action": .string(action.rawValue), "reason": .string(reason)])
        }
    }
}
