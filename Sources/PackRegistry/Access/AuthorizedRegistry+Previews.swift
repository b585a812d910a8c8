import Foundation
package import PackFormat
package import PackRegistryAPI

extension AuthorizedRegistry {
    package func preview(
        _ change: ChannelChange, of package: PackageID, on channel: ChannelName, assuming versions: [AssumedVersion],
        counting counts: Bool
    ) async throws -> ChannelOutcome {
        try identity.require(.release, package: package, channel: channel)
        let outcome = try await decide(
            AssumingVersions(versions, for: ChannelRelease(change, of: package, on: channel, randomBits: 0)))
        guard outcome.isChanged, counts else { return outcome }
        let numbers = try await numbers(of: [package] + outcome.others.keys, on: channel)
        return ChannelOutcome(
            isChanged: true, isNewChannel: outcome.isNewChannel, releases: outcome.releases, others: outcome.others,
            effect: outcome.effect + numbers, approvals: outcome.approvals, planNotes: outcome.planNotes)
    }

    package func preview(
        _ set: ReleaseSet, on channel: ChannelName, assuming versions: [AssumedVersion], counting counts: Bool
    ) async throws -> ReleaseSetOutcome {
        for package in set.versions.keys.sorted() {
            try identity.require(.release, package: package, channel: channel)
        }
        let outcome = try await decide(
            AssumingVersions(versions, for: ReleaseSetOffer(set, on: channel, randomBits: 0)))
        guard outcome.isChanged, counts else { return outcome }
        let numbers = try await numbers(of: Array(outcome.releases.keys), on: channel)
        return ReleaseSetOutcome(
            isChanged: true, isNewChannel: outcome.isNewChannel, set: outcome.set, releases: outcome.releases,
            effect: outcome.effect + numbers, approvals: outcome.approvals, planNotes: outcome.planNotes)
    }

    package func previewWithdrawal(
        of version: SemanticVersion, of package: PackageID, reason: String
    ) async throws -> [ChannelName: ChannelOutcome] {
        try identity.require(.publish, package: package)
        var channels = try await decide(WithdrawalEffect(of: version, of: package, reason: reason))
        for (channel, outcome) in channels {
            let numbers = try await numbers(of: [package] + outcome.others.keys, on: channel)
            channels[channel] = ChannelOutcome(
                isChanged: true, releases: outcome.releases, others: outcome.others, effect: outcome.effect + numbers)
        }
        return channels
    }

    /// The decision of a change. What it would record is dropped.
    private func decide<Change: RegistryChange>(_ change: Change) async throws -> Change.Outcome {
        var changes = ChangeSet(by: identity, at: services.clock())
        // What changes nothing needs no approval.
        changes.isApproved = true
        return try await change.decide(services.store.facts(change.query), into: &changes)
    }

    /// How many devices reported the releases that the channel offers now; empty if none did.
    private func numbers(of packages: [PackageID], on channel: ChannelName) async throws -> String {
        guard let reports = services.reports else { return "" }
        let from = Int(services.clock().timeIntervalSince1970) - ReportRetention().days * 86_400
        var query = FactsQuery.unsigned
        query.companions = FactsQuery.Companions(of: Set(packages), on: [channel])
        let histories = try await services.store.facts(query).companions[channel] ?? [:]
        var parts: [String] = []
        for package in packages.sorted() {
            let counts = try await reports.standings(on: channel, package: package, from: from, recent: from)
            for release in histories[package]?.offered ?? [] {
                let devices = counts.filter { $0.subject.release == release.id }.reduce(0) { $0 + $1.devices }
                guard devices > 0 else { continue }
                parts.append("\(package) \(ReleaseHistory.name(release.offer)) on \(devices)")
            }
        }
        return parts.isEmpty
            ? "" : " (devices reported in \(ReportRetention().days) days: \(parts.joined(separator: ", ")))"
    }
}
