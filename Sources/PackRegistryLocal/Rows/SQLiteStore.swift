import Foundation
import GRDB
import PackFormat
import PackRegistry
import PackRegistryAPI

/// The rows of a registry in SQLite: one consistent read for the facts, one transaction for the changes.
struct SQLiteStore: RegistryStore {
    let database: RegistryDatabase
    let app: String
    var clock: @Sendable () -> Date = { Date() }

    func facts(_ query: FactsQuery) async throws -> RegistryFacts {
        try await BlockingWork.run { [self] in try factsNow(query) }
    }

    func commit(_ changes: ChangeSet, basedOn base: RegistryFacts.Base?) async throws {
        try await BlockingWork.run { [self] in try commitNow(changes, basedOn: base) }
    }

    func overview() async throws -> RegistryOverview {
        try await BlockingWork.run { [self] in
            try database.read { db in
                let releases = ReleaseTable(db: db)
                var channels: [ChannelName: [PackageID: [Release]]] = [:]
                var earlier: [ChannelName: [PackageID: Release]] = [:]
                var settings: [ChannelName: ChannelSettings] = [:]
                for channel in try releases.channels() {
                    let file = try MetadataTable(db: db).channelFile(channel)
                    settings[channel] = file.map { ChannelSettings($0) }.flatMap { $0.isEmpty ? nil : $0 }
                    let histories = try releases.histories(on: channel)
                    channels[channel] = histories.mapValues(\.offered)
                    earlier[channel] = histories.compactMapValues(\.hidden)
                }
                return RegistryOverview(
                    app: app, versions: try VersionTable(db: db).overview(), channels: channels, earlier: earlier,
                    settings: settings)
            }
        }
    }

    /// ``facts(_:)`` on this thread.
    func factsNow(_ query: FactsQuery) throws -> RegistryFacts {
        try database.read { try FactsReader(db: $0, app: app).facts(query) }
    }

    /// ``commit(_:basedOn:)`` on this thread.
    func commitNow(_ changes: ChangeSet, basedOn base: RegistryFacts.Base?) throws {
        try database.write { db in
            if let lease = changes.lease {
                let held = try LeaseTable(db: db).held(lease.name, now: clock())
                guard held?.number == lease.number else { throw LostLease(lease.name) }
            }
            if let base {
                guard try MetadataTable(db: db).base() == base else { throw StaleFacts() }
            }
            try ChangeWriter(db: db, changes: changes).write()
        }
    }
}
