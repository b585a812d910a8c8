package import PackFormat
package import PackRegistryAPI

/// Offers several packages on a channel as one.
package struct ReleaseSetOffer: RegistryChange {
    private let set: ReleaseSet
    private let channel: ChannelName
    private let randomBits: UInt32

    /// - Parameter randomBits: part of the ids that the change makes.
    package init(_ set: ReleaseSet, on channel: ChannelName, randomBits: UInt32) {
        self.set = set
        self.channel = channel
        self.randomBits = randomBits
    }

    package var query: FactsQuery {
        var query = FactsQuery()
        query.companions = FactsQuery.Companions(of: Set(set.versions.keys), on: [channel], hasVersions: true)
        query.rollouts = FactsQuery.Rollouts(of: Set(set.versions.keys), on: channel)
        return query
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> ReleaseSetOutcome {
        try facts.requireGroups(of: set.rollout?.audiences ?? [], on: channel)
        let histories = facts.companions[channel] ?? [:]
        let ids = ReleaseIDs(number: facts.nextRelease, randomBits: randomBits)
        var own: [PackageID: ReleaseFacts] = [:]
        for (package, version) in set.versions {
            own[package] = ReleaseFacts(
                package: package, channel: channel, history: histories[package] ?? ReleaseHistory(),
                version: facts.versions[VersionName(package, version)], newID: ids.release(0))
            own[package]?.versions = facts.versions.keys.filter { $0.package == package }.map(\.version).sorted()
                .reversed()
        }
        let rule = ReleaseSetRule(on: channel, histories: histories, ids: ids)
        let outcome = try rule.offering(own, set.versions, set.rollout, consent: set.consent)
        let before = set.versions.keys.map { ($0, histories[$0]?.offered ?? []) }
        guard outcome.steps.values.contains(where: { !$0.isEmpty }) else {
            return ReleaseSetOutcome(
                isChanged: false, set: outcome.set, releases: Dictionary(uniqueKeysWithValues: before))
        }
        try HaltGuard.require(outcome.steps, on: channel, facts)
        try StateGuard.require(set.consent, outcome.steps, on: channel, facts)
        try ApprovalRequirement.require(.set(set), on: channel, facts, changes)
        for package in outcome.steps.keys {
            try changes.actor.require(.release, package: package, channel: channel)
        }
        let effect = ReleaseEffect(
            on: channel, before: histories, steps: outcome.steps, by: changes.actor.name, now: changes.time
        ).text
        let offered = changes.record(outcome.steps, on: channel, histories: histories, facts)
        for (package, releases) in offered.sorted(by: { $0.key < $1.key }) {
            changes.log(
                "release", "\(package) on \(channel)",
                (releases.first?.auditText ?? "nothing") + (outcome.set.map { ", \($0)" } ?? ""))
        }
        return ReleaseSetOutcome(
            isChanged: true, isNewChannel: !facts.channelNames.contains(channel), set: outcome.set,
            releases: Dictionary(uniqueKeysWithValues: before).merging(offered) { $1 }, effect: effect,
            approvals: ApprovalRequirement.needed(for: .set(set), on: channel, facts),
            planNotes: PlanEffect(outcome.steps, on: channel, facts, now: changes.time).sentences())
    }
}
