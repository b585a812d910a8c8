package import PackFormat
package import PackRegistryAPI

/// Changes what a channel offers for one package.
package struct ChannelRelease: RegistryChange {
    private let change: ChannelChange
    private let consent: OfferConsent
    private let package: PackageID
    private let channel: ChannelName
    private let randomBits: UInt32

    /// - Parameter randomBits: A part of the id of the release that the change may make.
    package init(_ change: ChannelChange, of package: PackageID, on channel: ChannelName, randomBits: UInt32) {
        self.change = change.plain
        consent = change.consent
        self.package = package
        self.channel = channel
        self.randomBits = randomBits
    }

    private var source: ChannelName? {
        if case .promote(_, let source, _, _, _) = change { source } else { nil }
    }

    package var query: FactsQuery {
        var query = FactsQuery()
        query.histories = FactsQuery.Histories(
            of: package, on: source.map { [channel, $0] } ?? [channel], files: [channel])
        query.companions = FactsQuery.Companions(
            of: [package], on: source.map { [channel, $0] } ?? [channel], source: source, isTied: change.isRollback,
            hasPlans: true)
        query.names = FactsQuery.Names(versionsOf: package, packagesOn: source ?? channel)
        // Whichever packages are in its set: the plan is one.
        query.rollouts = FactsQuery.Rollouts(of: package, on: channel)
        return query
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> ChannelOutcome {
        try facts.requireGroups(of: change.audiences, on: channel)
        let history = facts.histories[channel] ?? ReleaseHistory()
        let ids = ReleaseIDs(number: facts.nextRelease, randomBits: randomBits)
        let steps = try steps(facts, history, ids)
        guard steps.values.contains(where: { !$0.isEmpty }) else {
            return ChannelOutcome(isChanged: false, releases: history.offered)
        }
        try HaltGuard.require(steps, on: channel, facts)
        try StateGuard.require(consent, steps, on: channel, facts)
        try ApprovalRequirement.require(.release(change, of: package), on: channel, facts, changes)
        try changes.requireRight(over: steps, besides: [package], on: channel, facts)
        let effect = ReleaseEffect(
            on: channel, before: (facts.companions[channel] ?? [:]).merging([package: history]) { $1 }, steps: steps,
            by: changes.actor.name, now: changes.time
        ).text
        var offered = changes.record(steps, on: channel, histories: facts.companions[channel] ?? [:], facts)
        let own = offered.removeValue(forKey: package) ?? history.offered
        let others = offered.keys.sorted().map { " with \($0)" }.joined()
        changes.log(change.auditName, "\(package) on \(channel)", (own.first?.auditText ?? "nothing") + others)
        return ChannelOutcome(
            isChanged: true, isNewChannel: !facts.channelNames.contains(channel), releases: own, others: offered,
            effect: effect,
            approvals: ApprovalRequirement.needed(for: .release(change, of: package), on: channel, facts),
            planNotes: PlanEffect(steps, on: channel, facts, now: changes.time).sentences())
    }

    /// What is recorded for the package, and for the others of its set.
    private func steps(
        _ facts: RegistryFacts, _ history: ReleaseHistory, _ ids: ReleaseIDs
    ) throws -> [PackageID: [ReleaseHistory.Step]] {
        let rule = ReleaseSetRule(on: channel, histories: facts.companions[channel] ?? [:], ids: ids)
        try rule.requireFirstRollback(of: package, change, consent: consent)
        if let outcome = try rule.rollingBack(package, to: change) { return outcome.steps }
        let own = facts.releaseFacts(for: change, of: package, on: channel, source: source, ids: ids)
        let steps = try ReleaseRule(own).steps(for: change)
        if case .promote(_, let source, let rollout, let policy, let consent) = change,
            let version = own.version,
            let set = own.source?.entries.last(where: { !$0.isRemoved && $0.release.offer == version.offer })?.release
                .set
        {
            guard policy == nil else {
                throw RegistryError(
                    .invalid,
                    "a set is promoted without a policy: promote it, and give the policy with packtool rollout")
            }
            return try promoting(set, from: facts.companions[source] ?? [:], rollout, consent, rule, facts, own)
        }
        if change.isRollback { return try rule.completing([package: steps]) }
        return try rule.following(steps, of: package).merging([package: steps]) { $1 }
    }

    /// All of a set of another channel, as one set of this one.
    private func promoting(
        _ set: String, from source: [PackageID: ReleaseHistory], _ rollout: Rollout, _ consent: OfferConsent,
        _ rule: ReleaseSetRule, _ facts: RegistryFacts, _ own: ReleaseFacts
    ) throws -> [PackageID: [ReleaseHistory.Step]] {
        var versions: [PackageID: SemanticVersion] = [:]
        var members: [PackageID: ReleaseFacts] = [:]
        for (member, history) in source {
            // A newer release took one that it hides out of the set.
            let shown = history.offered.first { $0.set == set }
            guard let release = member == package ? history.entry(of: set)?.release : shown,
                case .version(let version, let manifest) = release.offer
            else { continue }
            versions[member] = version
            // What the channel offers is published, and was not withdrawn.
            members[member] =
                member == package
                ? own
                : ReleaseFacts(
                    package: member, channel: channel, history: facts.companions[channel]?[member] ?? ReleaseHistory(),
                    version: PublishedVersion(
                        package: member, version: version, manifest: manifest, requiredApp: release.requiredApp),
                    newID: own.newID)
        }
        return try rule.offering(members, versions, rollout, consent: consent).steps
    }
}

extension ChannelChange {
    fileprivate var audiences: [Audience] {
        switch self {
        case .offer(_, let rollout, _, _): rollout?.audiences ?? []
        case .promote(_, _, let rollout, _, _): rollout.audiences
        case .setRollout(_, let audiences, _, _): audiences ?? []
        case .accepting(_, let change): change.audiences
        case .rollBack, .rollBackToEmbedded, .retry: []
        }
    }

    var isRollback: Bool {
        switch plain {
        case .rollBack, .rollBackToEmbedded: true
        default: false
        }
    }

    /// The word in the audit log.
    fileprivate var auditName: String {
        switch self {
        case .offer: "release"
        case .promote: "promote"
        case .setRollout: "rollout"
        case .rollBack, .rollBackToEmbedded: "rollback"
        case .retry: "retry"
        case .accepting(_, let change): change.auditName
        }
    }
}

extension Release {
    /// As the audit log has it.
    var auditText: String {
        "\(version?.description ?? "embedded") at \(rollout.text)\(policy == .standard ? "" : ", \(policy.text)") "
            + "(release \(id)\(retry == 0 ? "" : ", retry \(retry)"))"
    }
}
