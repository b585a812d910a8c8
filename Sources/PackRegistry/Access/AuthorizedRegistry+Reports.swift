import Foundation
package import PackFormat
package import PackRegistryAPI

extension AuthorizedRegistry {
    package func stats(_ query: StatsQuery) async throws -> ReportStats {
        try identity.require(.observe, package: query.package, channel: query.channel)
        guard StatsQuery.dayRange.contains(query.days), StatsQuery.windowHourRange.contains(query.windowHours) else {
            throw RegistryError(.invalid, "the days must be from 1 to 400 and the hours of the window from 1 to 720")
        }
        // A token for some packages sees those.
        let own = query.package == nil ? identity.scope.packages : nil
        let store = try reportStore()
        let now = Int(services.clock().timeIntervalSince1970)
        let from = StatsRule.start(query, now: now)
        // At once: each looks through thousands of sums.
        async let counts = store.counts(
            on: query.channel, package: query.package, from: from, step: StatsRule.step(query))
        async let standings = store.standings(
            on: query.channel, package: query.package, from: from,
            recent: now - query.windowHours * 3600 - ReportEvent.timeStep)
        let presences = try await store.presences(
            on: query.channel, package: query.package, from: PopulationRule.firstDay(now: now))
        func isSeen(_ package: PackageID) -> Bool { own.map { $0.contains(package) } ?? true }
        return try await StatsRule.stats(
            query, counts: counts.filter { isSeen($0.key.subject.package) },
            standings: standings.filter { isSeen($0.subject.package) },
            presences: presences.filter { isSeen($0.package) }, now: now)
    }

    package func reports(of sender: ReportID) async throws -> [DeviceEvent] {
        try identity.require(.observe)
        return try await reportStore().events(of: sender).filter { event in
            identity.scope.allows(.observe, package: event.event.package, channel: event.channel)
        }
    }

    package func deleteReports(of sender: ReportID) async throws -> Int {
        try identity.require(.admin)
        let count = try await reportStore().delete(sender)
        // Whoever asked for it may want proof, also of what was left when the events were too old to be kept.
        try await services.record(ReportDeletion(of: sender, count: count), as: identity)
        return count
    }

    private func reportStore() throws(RegistryError) -> any ReportStore {
        guard let store = services.reports else {
            throw RegistryError(.notFound, "this registry does not store reports")
        }
        return store
    }
}
