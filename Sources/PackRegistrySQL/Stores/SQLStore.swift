package import PackFormat
package import PackRegistry
package import PackRegistryAPI

/// The rows of a registry in SQL: one consistent read for the facts, one transaction for the changes.
package struct SQLStore: RegistryStore {
    private let database: any RegistryDatabase
    private let app: String
    private let clock: StoreClock

    package init(database: any RegistryDatabase, app: String, clock: StoreClock) {
        self.database = database
        self.app = app
        self.clock = clock
    }

    package func facts(_ query: FactsQuery) async throws -> RegistryFacts {
        try await database.reading { [app] in try FactsReader(db: $0, app: app).facts(query) }
    }

    package func commit(_ changes: ChangeSet, basedOn base: RegistryFacts.Base?) async throws {
        try await database.writing { [clock] db in
            if let lease = changes.lease {
                let held = try LeaseTable(db: db).held(lease.name, now: clock.now(db))
                guard held?.number == lease.number else { throw LostLease(lease.name) }
            }
            if let base {
                guard try MetadataTable(db: db).base() == base else { throw StaleFacts() }
            }
            try ChangeWriter(db: db, changes: changes).write()
        }
    }

    package func overview(of packages: Set<PackageID>?) async throws -> RegistryOverview {
        try await database.reading { [app] db in
            let releases = ReleaseTable(db: db)
            var channels: [ChannelName: [PackageID: [Release]]] = [:]
            var earlier: [ChannelName: [PackageID: Release]] = [:]
            var settings: [ChannelName: ChannelSettings] = [:]
            var rollbacks: [ChannelName: [PackageID: RegistryOverview.Rollback]] = [:]
            for channel in try releases.channels() {
                let file = try MetadataTable(db: db).channelFile(channel)
                settings[channel] = file.map { ChannelSettings($0) }.flatMap { $0.isEmpty ? nil : $0 }
                let histories = try releases.shownHistories(on: channel)
                channels[channel] = histories.mapValues(\.offered)
                earlier[channel] = histories.compactMapValues(\.hidden)
                rollbacks[channel] = try histories.compactMapValues { history in
                    try history.wayBack.map { left, way in
                        RegistryOverview.Rollback(
                            from: left.release.version, to: way.release.version, by: way.createdBy, time: way.created,
                            reason: try ReleaseEventTable(db: db).reason(ofRemoving: left.release.id))
                    }
                }
            }
            return RegistryOverview(
                app: app, versions: try VersionTable(db: db).overview(of: packages), channels: channels,
                earlier: earlier,
                settings: settings, approvals: try ApprovalTable(db: db).required().filter { $0.value > 0 },
                rollbacks: rollbacks)
        }
    }
}
