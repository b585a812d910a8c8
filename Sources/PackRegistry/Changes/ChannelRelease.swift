package import PackFormat
package import PackRegistryAPI

/// Changes what a channel offers for one package.
package struct ChannelRelease: RegistryChange {
    private let change: ChannelChange
    private let package: PackageID
    private let channel: ChannelName
    private let randomBits: UInt32

    /// - Parameter randomBits: A part of the id of the release that the change may make.
    package init(_ change: ChannelChange, of package: PackageID, on channel: ChannelName, randomBits: UInt32) {
        self.change = change
        self.package = package
        self.channel = channel
        self.randomBits = randomBits
    }

    private var source: ChannelName? {
        if case .promote(_, let source, _, _) = change { source } else { nil }
    }

    package var query: FactsQuery {
        var query = FactsQuery()
        query.histories = FactsQuery.Histories(
            of: package, on: source.map { [channel, $0] } ?? [channel], files: [channel])
        query.names = FactsQuery.Names(versionsOf: package, packagesOn: source ?? channel)
        return query
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> ChannelOutcome {
        let history = facts.histories[channel] ?? ReleaseHistory()
        let steps = try ReleaseRule(releaseFacts(facts, history)).steps(for: change)
        guard !steps.isEmpty else { return ChannelOutcome(isChanged: false, releases: history.offered) }
        let offered = changes.record(steps, of: package, on: channel, history: history, facts)
        changes.log(change.auditName, "\(package) on \(channel)", offered.first?.auditText ?? "nothing")
        changes.work.insert(package)
        changes.signs = true
        return ChannelOutcome(
            isChanged: true, isNewChannel: !facts.channelNames.contains(channel), releases: offered)
    }

    private func releaseFacts(_ facts: RegistryFacts, _ history: ReleaseHistory) -> ReleaseFacts {
        let source = source.map { facts.histories[$0] ?? ReleaseHistory() }
        let named = ReleaseRule.version(named: change, source: source)
        var result = ReleaseFacts(
            package: package, channel: channel, history: history, source: source,
            version: named.flatMap { facts.versions[FactsQuery.Version(package, $0)] }, newID: newID(facts.nextRelease))
        result.channels = facts.channelNames
        result.packages = facts.packageNames
        result.versions = facts.versionNames
        return result
    }

    /// The release's number in the registry and 32 random bits, so that no id is ever used twice, even where a registry was
    /// set back to a backup.
    private func newID(_ number: Int) -> String {
        let random = String(randomBits, radix: 16)
        return "\(number)-" + String(repeating: "0", count: 8 - random.count) + random
    }
}

extension ChannelChange {
    /// The word in the audit log.
    fileprivate var auditName: String {
        switch self {
        case .offer: "release"
        case .promote: "promote"
        case .setRollout: "rollout"
        case .rollBack, .rollBackToEmbedded: "rollback"
        case .retry: "retry"
        }
    }
}

extension Release {
    fileprivate var auditText: String {
        "\(version?.description ?? "embedded") at \(rollout.text) (release \(id)\(retry == 0 ? "" : ", retry \(retry)"))"
    }
}
