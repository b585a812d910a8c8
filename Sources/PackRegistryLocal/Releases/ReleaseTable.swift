import Foundation
import GRDB
import PackFormat
import PackRegistry
import PackRegistryAPI

/// The releases of all channels inside one transaction.
struct ReleaseTable {
    let db: Database

    func channels() throws -> [ChannelName] {
        try db.rowsOfNames("channel", in: "release").map { row in try row.parsed("channel") { try ChannelName($0) } }
    }

    /// Whether anything was ever offered on a channel.
    func exists(_ channel: ChannelName) throws -> Bool {
        try Row.fetchOne(db, sql: "SELECT 1 FROM release WHERE channel = ? LIMIT 1", arguments: [channel.text]) != nil
    }

    func history(of package: PackageID, on channel: ChannelName) throws -> ReleaseHistory {
        try histories(on: channel, package: package)[package] ?? ReleaseHistory()
    }

    func histories(on channel: ChannelName, package: PackageID? = nil) throws -> [PackageID: ReleaseHistory] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT release.*, manifest.version, manifest.requiredApp FROM release
                LEFT JOIN manifest ON manifest.digest = release.manifest
                WHERE channel = ? \(package == nil ? "" : "AND release.package = ?") ORDER BY release.sequence
                """,
            arguments: StatementArguments([channel.text] + (package.map { [$0.text] } ?? [])))
        var entries: [PackageID: [ReleaseHistory.Entry]] = [:]
        for row in rows {
            let package = try row.parsed("package") { try PackageID($0) }
            let offer: Release.Offer
            var requiredApp: VersionRange?
            if try row.optionalText("manifest") != nil {
                offer = .version(
                    try row.parsed("version") { try SemanticVersion($0) },
                    manifest: try row.parsed("manifest") { try Digest(hex: $0) })
                requiredApp =
                    try row.optionalText("requiredApp") == nil
                    ? nil : row.parsed("requiredApp") { try VersionRange($0) }
            } else {
                offer = .embedded
            }
            let (percent, retry) = try (row.integer("percent"), row.integer("retry"))
            let release = try row.parsed("id") {
                try Release(
                    id: $0, offer: offer, rollout: Rollout(percent: percent), requiredApp: requiredApp, retry: retry)
            }
            entries[package, default: []].append(
                ReleaseHistory.Entry(
                    release: release, created: try row.date("created"), createdBy: try row.text("createdBy"),
                    removed: try row.optionalText("removed") == nil ? nil : row.date("removed")))
        }
        return entries.mapValues { ReleaseHistory(entries: $0) }
    }

    func apply(
        _ steps: [ReleaseHistory.Step], of package: PackageID, on channel: ChannelName, by actor: Identity, now: Date
    ) throws {
        for step in steps {
            switch step {
            case .add(let release):
                var manifest: String?
                if case .version(_, let digest) = release.offer { manifest = digest.hex }
                try db.execute(
                    sql: """
                        INSERT INTO release (id, channel, package, manifest, percent, retry, created, createdBy)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        release.id, channel.text, package.text, manifest, release.rollout.percent, release.retry, now,
                        actor.name,
                    ])
            case .update(let release):
                try db.execute(
                    sql: "UPDATE release SET percent = ?, retry = ? WHERE id = ?",
                    arguments: [release.rollout.percent, release.retry, release.id])
            case .remove(let id):
                try db.execute(
                    sql: "UPDATE release SET removed = ? WHERE id = ? AND removed IS NULL", arguments: [now, id])
            }
        }
    }

    /// A new id: its number in the registry and 32 random bits, so that no id is ever used twice, even where a
    /// registry was set back to a backup.
    func newID() throws -> String {
        let number = try Int.fetchOne(db, sql: "SELECT COALESCE(MAX(sequence), 0) + 1 FROM release") ?? 1
        let random = String(UInt32.random(in: .min ... .max), radix: 16)
        return "\(number)-" + String(repeating: "0", count: 8 - random.count) + random
    }
}
