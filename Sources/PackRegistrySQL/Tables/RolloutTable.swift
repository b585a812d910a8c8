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
        let packages = query.packages?.map(\.text)
        let names = packages.map { "release.package IN (\(databaseQuestionMarks(count: $0.count))) AND " }
        let open = """
            release.removed IS NULL AND NOT EXISTS (
                SELECT 1 FROM releaseEvent AS done WHERE done.release = release.id AND done.kind = 'rollout'
                    AND \(db.dialect.jsonText("done.content", "action")) = 'complete' AND done.sequence > (
                        SELECT MAX(plan.sequence) FROM releaseEvent AS plan WHERE plan.release = release.id AND plan.kind = 'plan'))
            AND
            """
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT release.id, release.package, release.channel, release.setID, manifest.version
                FROM release LEFT JOIN manifest ON manifest.digest = release.manifest
                WHERE \(names ?? "") \(query.isOpen ? open : "")
                    \(query.channel == nil ? "" : "release.channel = ? AND ")
                    (EXISTS (SELECT 1 FROM releaseEvent WHERE releaseEvent.release = release.id AND kind = 'plan')
                        OR EXISTS (
                            SELECT 1 FROM release AS other JOIN releaseEvent ON releaseEvent.release = other.id
                            WHERE other.channel = release.channel AND other.setID = release.setID AND kind = 'plan'))
                ORDER BY release.sequence
                """,
            arguments: StatementArguments((packages ?? []) + (query.channel.map { [$0.text] } ?? [])))
        return try rows.compactMap { row in
            let channel = try row.parsed("channel") { try ChannelName($0) }
            let own = PlannedRelease.Member(
                package: try row.parsed("package") { try PackageID($0) }, release: try row.text("id"),
                version: try Self.version(row))
            let members = try members(with: own, of: row.optionalText("setID"), on: channel, at: query.time)
            guard let holder = members.filter({ $0.plan > 0 }).max(by: { $0.plan < $1.plan }) else { return nil }
            return PlannedRelease(
                package: own.package, channel: channel, release: own.release, version: own.version,
                events: try events(of: holder.member.release, until: query.time),
                newer: query.time == nil ? try newer(than: members.map(\.member), holder) : nil,
                isSuperseded: try query.time == nil && isSuperseded(own),
                set: members.count > 1 ? members.map(\.member) : [], holder: holder.member)
        }
    }

    private static func version(_ row: Row) throws -> SemanticVersion? {
        try row.optionalText("version") == nil ? nil : row.parsed("version") { try SemanticVersion($0) }
    }

    /// A release that a plan may be of, and the number of the event with which it got one; 0: it has none.
    private typealias Planned = (member: PlannedRelease.Member, plan: Int)

    /// The releases that have a plan together with one: those of its set that are not taken back, or all where none is left. What
    /// is taken back before the others has only a plan of its own.
    private func members(
        with own: PlannedRelease.Member, of set: String?, on channel: ChannelName, at time: Date?
    ) throws -> [Planned] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT release.id, release.package, manifest.version,
                    CASE WHEN release.removed IS NULL \(time == nil ? "" : "OR release.removed > ?") THEN 0 ELSE 1 END AS gone,
                    (SELECT COALESCE(MAX(releaseEvent.sequence), 0) FROM releaseEvent
                     WHERE releaseEvent.release = release.id AND kind = 'plan'
                        \(time == nil ? "" : "AND releaseEvent.time <= ?")) AS planned
                FROM release LEFT JOIN manifest ON manifest.digest = release.manifest
                WHERE release.channel = ? AND \(set == nil ? "release.id" : "release.setID") = ? ORDER BY release.package
                """,
            arguments: StatementArguments(
                values: [time, time].compactMap { $0?.sqlValue } + [channel.text, set ?? own.release].map(\.sqlValue)))
        let found: [(planned: Planned, isGone: Bool)] = try rows.map { row in
            let member = PlannedRelease.Member(
                package: try row.parsed("package") { try PackageID($0) }, release: try row.text("id"),
                version: try Self.version(row))
            return (planned: (member: member, plan: try row.integer("planned")), isGone: try row.integer("gone") != 0)
        }
        let present = found.filter { !$0.isGone }
        if !present.isEmpty, let own = found.first(where: { $0.planned.member == own }), own.isGone {
            return [own.planned]
        }
        return (present.isEmpty ? found : present).map(\.planned)
    }

    /// The newest release of the package that has the plan, if it is newer than that; else that of another package of the set, if it
    /// was made after the plan.
    private func newer(
        than members: [PlannedRelease.Member], _ holder: Planned
    ) throws -> PlannedRelease.Member? {
        if let newer = try newer(than: holder.member, after: 0) { return newer }
        for member in members where member != holder.member {
            if let newer = try newer(than: member, after: holder.plan) { return newer }
        }
        return nil
    }

    /// A newer release that nobody gets, at 0 %, keeps no device from this one.
    /// - Parameter event: the number of an event that was before the newer release.
    private func newer(than member: PlannedRelease.Member, after event: Int) throws -> PlannedRelease.Member? {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT newer.id, manifest.version FROM release AS own
                JOIN release AS newer ON newer.channel = own.channel AND newer.package = own.package
                    AND newer.sequence > own.sequence
                LEFT JOIN manifest ON manifest.digest = newer.manifest
                WHERE own.id = ? AND newer.removed IS NULL AND COALESCE(newer.share, newer.percent * 100) > 0
                    AND COALESCE((SELECT MIN(releaseEvent.sequence) FROM releaseEvent WHERE releaseEvent.release = newer.id), 1) > ?
                ORDER BY newer.sequence DESC LIMIT 1
                """, arguments: [member.release, event])
        return try row.map { row in
            PlannedRelease.Member(
                package: member.package, release: try row.text("id"), version: try Self.version(row))
        }
    }

    private func isSuperseded(_ member: PlannedRelease.Member) throws -> Bool {
        try Row.fetchOne(
            db,
            sql: """
                SELECT 1 FROM release AS own JOIN release AS newer ON newer.channel = own.channel
                    AND newer.package = own.package AND newer.sequence > own.sequence
                WHERE own.id = ? AND newer.removed IS NULL AND newer.audiences IS NULL
                    AND COALESCE(newer.share, newer.percent * 100) = 10000 LIMIT 1
                """, arguments: [member.release]) != nil
    }

    private func events(of release: String, until time: Date?) throws -> [RolloutEvent] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT time, actor, kind, content FROM releaseEvent
                WHERE release = ? \(time == nil ? "" : "AND time <= ?") ORDER BY sequence
                """,
            arguments: StatementArguments(values: [release.sqlValue] + [time].compactMap { $0?.sqlValue })
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
