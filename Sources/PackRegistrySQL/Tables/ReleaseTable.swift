import Foundation
package import PackFormat
import PackJSON
package import PackRegistry
import PackRegistryAPI

/// The releases of all channels inside one transaction.
package struct ReleaseTable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    package func channels() throws -> [ChannelName] {
        try db.rowsOfNames("channel", in: "release").map { row in try row.parsed("channel") { try ChannelName($0) } }
    }

    /// The packages of which channels offer something now.
    package func offeredPackages() throws -> [PackageID] {
        try Row.fetchAll(db, sql: "SELECT DISTINCT package FROM release WHERE removed IS NULL ORDER BY package").map {
            row in
            try row.parsed("package") { try PackageID($0) }
        }
    }

    /// The channels that ever offered a package.
    func channels(of package: PackageID) throws -> [ChannelName] {
        try channels().filter { channel in
            try Row.fetchOne(
                db, sql: "SELECT 1 FROM release WHERE channel = ? AND package = ? LIMIT 1",
                arguments: [channel.text, package.text]) != nil
        }
    }

    /// The packages that were ever offered on a channel.
    func packages(on channel: ChannelName) throws -> [PackageID] {
        try Row.fetchAll(
            db, sql: "SELECT DISTINCT package FROM release WHERE channel = ? ORDER BY package",
            arguments: [channel.text]
        ).map { row in try row.parsed("package") { try PackageID($0) } }
    }

    /// The packages, and those that were ever in a set with one of them.
    /// - Parameter isTied: also those that are tied to one of these by sets that are not taken back.
    func companions(
        of packages: Set<PackageID>, on channel: ChannelName, isTied: Bool = false
    ) throws -> Set<PackageID> {
        var all = try packages.union(neighbours(of: packages, on: channel, isPresent: false))
        var new = isTied ? all : []
        while !new.isEmpty {
            let found = try neighbours(of: new, on: channel, isPresent: true)
            new = found.subtracting(all)
            all.formUnion(found)
        }
        return all
    }

    /// - Parameter isPresent: whether only sets count of which both packages have a release that is not taken back.
    private func neighbours(
        of packages: Set<PackageID>, on channel: ChannelName, isPresent: Bool
    ) throws -> Set<PackageID> {
        let names = databaseQuestionMarks(count: packages.count)
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT DISTINCT package FROM release WHERE channel = ? AND setID IN
                (SELECT setID FROM release WHERE channel = ? AND package IN (\(names)) AND setID IS NOT NULL
                 \(isPresent ? "AND removed IS NULL" : "")) \(isPresent ? "AND removed IS NULL" : "")
                """,
            arguments: StatementArguments([channel.text, channel.text] + packages.map(\.text)))
        return try packages.union(rows.map { row in try row.parsed("package") { try PackageID($0) } })
    }

    package func history(of package: PackageID, on channel: ChannelName) throws -> ReleaseHistory {
        try histories(on: channel, package: package)[package] ?? ReleaseHistory()
    }

    func histories(on channel: ChannelName, package: PackageID? = nil) throws -> [PackageID: ReleaseHistory] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT release.*, manifest.version, manifest.requiredApp, manifest.state,
                    CASE WHEN EXISTS (
                        SELECT 1 FROM releaseEvent WHERE releaseEvent.release = release.id AND kind IN ('add', 'update')
                            AND CAST(\(db.dialect.jsonText("releaseEvent.content", "share")) AS INTEGER) > 0)
                    THEN 1 ELSE 0 END AS reached FROM release
                LEFT JOIN manifest ON manifest.digest = release.manifest
                WHERE channel = ? \(package == nil ? "" : "AND release.package = ?") ORDER BY release.sequence
                """,
            arguments: StatementArguments([channel.text] + (package.map { [$0.text] } ?? [])))
        return try Self.histories(rows)
    }

    /// The histories of all packages with what devices may see and what they would go back to, without the many releases below.
    /// Whether a release was for anybody once is not known of them.
    ///
    /// A release for everyone without a condition hides all before it. The one before it that offers another version is the most that
    /// anything leads back to, so the rows from there on are enough.
    func shownHistories(on channel: ChannelName) throws -> [PackageID: ReleaseHistory] {
        let newest = { (condition: String) in
            """
            (SELECT plain.sequence FROM release plain JOIN manifest ON manifest.digest = plain.manifest
             WHERE plain.channel = ? AND plain.package = \(condition) AND plain.removed IS NULL
             AND coalesce(plain.share, plain.percent * 100) = 10000 AND plain.audiences IS NULL AND plain.policy IS NULL
             AND plain.app IS NULL AND plain.setID IS NULL AND manifest.requiredApp IS NULL
             ORDER BY plain.sequence DESC LIMIT 1)
            """
        }
        let rows = try Row.fetchAll(
            db,
            sql: """
                WITH known AS (SELECT DISTINCT package FROM release WHERE channel = ?),
                top AS (SELECT package, \(newest("known.package")) AS sequence FROM known),
                bottom AS (SELECT package, \(newest(
                    """
                    top.package AND plain.sequence < top.sequence
                    AND plain.manifest <> (SELECT manifest FROM release WHERE release.sequence = top.sequence)
                    """)) AS sequence FROM top)
                SELECT release.*, manifest.version, manifest.requiredApp, manifest.state, 0 AS reached
                FROM bottom JOIN release ON release.channel = ? AND release.package = bottom.package
                    AND release.sequence >= coalesce(bottom.sequence, 0)
                LEFT JOIN manifest ON manifest.digest = release.manifest ORDER BY release.sequence
                """, arguments: StatementArguments(Array(repeating: channel.text, count: 4)))
        return try Self.histories(rows)
    }

    private static func histories(_ rows: [Row]) throws -> [PackageID: ReleaseHistory] {
        var entries: [PackageID: [ReleaseHistory.Entry]] = [:]
        for row in rows {
            let package = try row.parsed("package") { try PackageID($0) }
            let offer: Release.Offer
            var requiredApp: VersionRange?
            if try row.optionalText("manifest") != nil {
                offer = .version(
                    try row.parsed("version") { try SemanticVersion($0) },
                    manifest: try row.parsed("manifest") { try Digest(hex: $0) })
                // A set's, where the release is of one; else the manifest's.
                let column = try row.optionalText("app") == nil ? "requiredApp" : "app"
                requiredApp =
                    try row.optionalText(column) == nil ? nil : row.parsed(column) { try VersionRange($0) }
            } else {
                offer = .embedded
            }
            let (rollout, policy, retry) = try (rollout(row), policy(row), row.integer("retry"))
            let set = try row.optionalText("setID")
            let release = try row.parsed("id") {
                try Release(
                    id: $0, offer: offer, rollout: rollout, policy: policy, requiredApp: requiredApp, retry: retry,
                    set: set)
            }
            entries[package, default: []].append(
                ReleaseHistory.Entry(
                    release: release, created: try row.date("created"), createdBy: try row.text("createdBy"),
                    removed: try row.optionalDate("removed"),
                    state: try VersionTable.state(row), hasReachedDevices: try row.integer("reached") != 0))
        }
        return entries.mapValues { ReleaseHistory(entries: $0) }
    }

    /// What a release says now stands in `release`; each step that led there, in `releaseEvent`.
    /// - Parameter reason: why releases are removed; empty for none.
    func apply(
        _ steps: [ReleaseHistory.Step], of package: PackageID, on channel: ChannelName, by actor: Identity, now: Date,
        reason: String
    ) throws {
        let events = ReleaseEventTable(db: db)
        for step in steps {
            switch step {
            case .add(let release):
                var manifest: String?
                if case .version(_, let digest) = release.offer { manifest = digest.hex }
                try db.execute(
                    sql: """
                        INSERT INTO release
                        (id, channel, package, manifest, percent, share, audiences, policy, retry, created, createdBy,
                         setID, app)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        release.id, channel.text, package.text, manifest, release.rollout.share.percent,
                        release.rollout.share.tenThousandths, Self.text(release.rollout.audiences),
                        Self.text(release.policy), release.retry, now, actor.name, release.set,
                        release.set == nil ? nil : release.requiredApp?.description,
                    ])
                try events.append(.add, release.id, content: release.eventContent, by: actor, now: now)
            case .update(let release):
                try db.execute(
                    sql: "UPDATE release SET percent = ?, share = ?, audiences = ?, policy = ?, retry = ? WHERE id = ?",
                    arguments: [
                        release.rollout.share.percent, release.rollout.share.tenThousandths,
                        Self.text(release.rollout.audiences), Self.text(release.policy), release.retry, release.id,
                    ])
                try events.append(.update, release.id, content: release.eventContent, by: actor, now: now)
            case .remove(let id):
                let count = try db.execute(
                    sql: "UPDATE release SET removed = ? WHERE id = ? AND removed IS NULL", arguments: [now, id])
                guard count > 0 else { continue }
                try events.append(
                    .remove, id, content: reason.isEmpty ? [:] : ["reason": .string(reason)], by: actor, now: now)
            }
        }
    }

    /// A release from before schema 4 has a percentage only.
    private static func rollout(_ row: Row) throws -> Rollout {
        let parts = try row.optionalInteger("share") ?? row.integer("percent") * 100
        let share: Share
        do { share = try Share(tenThousandths: parts) } catch { throw Row.damaged("share", error) }
        guard try row.optionalText("audiences") != nil else { return Rollout(share: share) }
        return Rollout(
            share: share,
            audiences: try row.parsed("audiences") { try [Audience](json: JSONValue(parsing: Array($0.utf8))) })
    }

    private static func policy(_ row: Row) throws -> ClientPolicy {
        guard try row.optionalText("policy") != nil else { return .standard }
        return try row.parsed("policy") { try policy(JSONValue(parsing: Array($0.utf8))) }
    }

    /// - Throws: `FormatError.invalidPolicy` for one that this program does not know.
    static func policy(_ stored: JSONValue) throws -> ClientPolicy {
        guard let policy = ClientPolicy(json: stored) else {
            throw FormatError.invalidPolicy("it is of a newer packtool")
        }
        return policy
    }

    private static func text(_ policy: ClientPolicy) -> String? {
        guard policy != .standard else { return nil }
        return String(decoding: JSONValue.object(policy.json).canonicalBytes, as: UTF8.self)
    }

    private static func text(_ audiences: [Audience]) -> String? {
        guard !audiences.isEmpty else { return nil }
        return String(decoding: JSONValue.array(audiences.map(\.json)).canonicalBytes, as: UTF8.self)
    }

    /// The number of the next release in the registry.
    func nextNumber() throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COALESCE(MAX(sequence), 0) + 1 FROM release") ?? 1
    }
}

extension Release {
    /// What changes over a release's life.
    fileprivate var eventContent: JSONObject {
        var content: JSONObject = ["share": .integer(rollout.share.tenThousandths), "retry": .integer(retry)]
        if !rollout.audiences.isEmpty { content["audiences"] = .array(rollout.audiences.map(\.json)) }
        if policy != .standard { content["policy"] = .object(policy.json) }
        return content
    }
}
