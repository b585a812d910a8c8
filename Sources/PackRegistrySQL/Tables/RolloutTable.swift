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

    /// The releases that have, or had, a plan, or are of a set that has one, oldest first.
    package func planned(_ query: FactsQuery.Rollouts) throws -> [PlannedRelease] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT release.id, release.package, release.channel, release.setID, manifest.version
                FROM release LEFT JOIN manifest ON manifest.digest = release.manifest
                WHERE \(query.package == nil ? "" : "release.package = ? AND ")
                    \(query.channel == nil ? "" : "release.channel = ? AND ")
                    (EXISTS (SELECT 1 FROM releaseEvent WHERE releaseEvent.release = release.id AND kind = 'plan')
                        OR EXISTS (
                            SELECT 1 FROM release AS other JOIN releaseEvent ON releaseEvent.release = other.id
                            WHERE other.channel = release.channel AND other.setID = release.setID AND kind = 'plan'))
                ORDER BY release.sequence
                """,
            arguments: StatementArguments([query.package?.text, query.channel?.text].compactMap(\.self)))
        return try rows.map { row in
            let channel = try row.parsed("channel") { try ChannelName($0) }
            let own = PlannedRelease.Member(
                package: try row.parsed("package") { try PackageID($0) }, release: try row.text("id"),
                version: try Self.version(row))
            let (set, holder) = try set(row.optionalText("setID"), on: channel)
            return PlannedRelease(
                package: own.package, channel: channel, release: own.release, version: own.version,
                events: try events(of: (holder ?? own).release), newer: try newer(than: (holder ?? own).release),
                set: set, holder: holder)
        }
    }

    private static func version(_ row: Row) throws -> SemanticVersion? {
        try row.optionalText("version") == nil ? nil : row.parsed("version") { try SemanticVersion($0) }
    }

    /// The releases of a set that are not taken back, else all of them, and the one that has the set's plan: if several were
    /// given one, that with the newest.
    private func set(
        _ id: String?, on channel: ChannelName
    ) throws -> (members: [PlannedRelease.Member], holder: PlannedRelease.Member?) {
        guard let id else { return ([], nil) }
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT release.id, release.package, manifest.version,
                    CASE WHEN release.removed IS NULL THEN 0 ELSE 1 END AS gone,
                    (SELECT COALESCE(MAX(releaseEvent.sequence), 0) FROM releaseEvent
                     WHERE releaseEvent.release = release.id AND kind = 'plan') AS planned
                FROM release LEFT JOIN manifest ON manifest.digest = release.manifest
                WHERE release.channel = ? AND release.setID = ? ORDER BY release.package
                """, arguments: [channel.text, id])
        let found = try rows.map { row in
            let member = PlannedRelease.Member(
                package: try row.parsed("package") { try PackageID($0) }, release: try row.text("id"),
                version: try Self.version(row))
            return (member: member, isGone: try row.integer("gone") != 0, plan: try row.integer("planned"))
        }
        let holder = found.filter { $0.plan > 0 }.max { $0.plan < $1.plan }?.member
        let present = found.filter { !$0.isGone }
        let members = (present.isEmpty ? found : present).map(\.member)
        return (members.count > 1 ? members : [], holder)
    }

    /// The newest release of the same package and channel, if it is newer than a release.
    private func newer(than release: String) throws -> String? {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT newer.id, manifest.version FROM release AS own
                JOIN release AS newer ON newer.channel = own.channel AND newer.package = own.package
                    AND newer.sequence > own.sequence
                LEFT JOIN manifest ON manifest.digest = newer.manifest
                WHERE own.id = ? AND newer.removed IS NULL ORDER BY newer.sequence DESC LIMIT 1
                """, arguments: [release])
        return try row.map { try $0.optionalText("version") ?? "embedded" }
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
        case .remove: self = try .remove(reason: content.reason())
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
