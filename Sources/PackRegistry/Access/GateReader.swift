import Foundation
import PackFormat
import PackRegistryAPI

/// Reads what the gates of a package's rollouts see, from what devices reported.
struct GateReader {
    /// How far back the version before is looked at, in seconds, where too few devices took it in the days of the release.
    private static let longestPast = 30 * 86_400

    private let services: RegistryServices

    init(_ services: RegistryServices) {
        self.services = services
    }

    /// - Returns: by the ids of releases; those without a gate at their present step are left out.
    func readings(of package: PackageID, on channel: ChannelName) async throws -> [String: GateReading] {
        var query = FactsQuery.unsigned
        query.histories = FactsQuery.Histories(of: package, on: [channel], files: [])
        query.companions = FactsQuery.Companions(of: [package], on: [channel])
        query.rollouts = FactsQuery.Rollouts(of: package, on: channel)
        let facts = try await services.store.facts(query)
        let now = services.clock()
        var readings: [String: GateReading] = [:]
        for planned in facts.rollouts {
            guard let state = RolloutState(planned.events), let since = state.watchedSince,
                let gate = RolloutRule(state, newer: planned.newerText, now: now).gate
            else { continue }
            // The gate of a set's plan looks at the package whose release has the plan.
            let holder = planned.holder
            let history =
                holder.package == package ? facts.histories[channel] : facts.companions[channel]?[holder.package]
            readings[planned.release] = try await reading(
                holder, on: channel, gate, since: since, before: history?.version(before: holder.release), now: now)
        }
        return readings
    }

    private func reading(
        _ planned: PlannedRelease.Member, on channel: ChannelName, _ gate: RolloutGate, since: Date,
        before: SemanticVersion?, now: Date
    ) async throws -> GateReading {
        let rule = GateRule(gate, versionBefore: before)
        guard let store = services.reports else { return rule.reading([]) }
        let (now, since) = (Int(now.timeIntervalSince1970), Int(since.timeIntervalSince1970))
        func counts(_ version: SemanticVersion?, _ release: String?, from: Int) async throws -> [ExposureCount] {
            guard let version else { return [] }
            return try await store.exposures(
                ExposureQuery(
                    channel: channel, package: planned.package, version: version, release: release,
                    // Reported times are rounded down. One more step gives every device its full window.
                    from: from - from % ReportEvent.timeStep,
                    matureBefore: now - gate.silence.seconds - ReportEvent.timeStep))
        }
        return try await rule.reading(
            counts(planned.version, planned.release, from: since), sameDays: counts(before, nil, from: since),
            allDays: counts(before, nil, from: now - Self.longestPast))
    }
}

extension ReleaseHistory {
    /// The version that devices have which a release does not admit; nil: what the app embeds, or nothing.
    fileprivate func version(before release: String) -> SemanticVersion? {
        guard let index = entries.firstIndex(where: { $0.release.id == release }) else { return nil }
        let older = entries[..<index].last {
            !$0.isRemoved && $0.release.offer != entries[index].release.offer && $0.release.rollout.reachesEveryone
        }
        return older?.release.version
    }
}
