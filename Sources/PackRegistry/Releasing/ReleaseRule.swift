package import PackFormat
package import PackRegistryAPI

/// The effect of a channel change on a package's releases.
///
/// Pure: facts in, steps out. The caller reads the facts and records the steps in one change.
package struct ReleaseRule {
    private let facts: ReleaseFacts

    package init(_ facts: ReleaseFacts) {
        self.facts = facts
    }

    private var package: PackageID { facts.package }
    private var channel: ChannelName { facts.channel }
    private var history: ReleaseHistory { facts.history }

    /// The version that a change is about, if it is known before a lookup.
    package static func version(named change: ChannelChange, source: ReleaseHistory?) -> SemanticVersion? {
        switch change {
        case .offer(let version, _, _, _): version
        case .promote(let version, _, _, _, _): version ?? source?.newestFull?.version
        case .rollBack(let version): version
        case .setRollout, .rollBackToEmbedded, .retry: nil
        case .accepting(_, let change): version(named: change, source: source)
        }
    }

    /// - Throws: ``RegistryError``
    package func steps(for change: ChannelChange) throws -> [ReleaseHistory.Step] {
        switch change {
        case .offer(let version, let rollout, let policy, let consent):
            return try offering(installable(version), rollout, policy, consent)
        case .promote(let version, let source, let rollout, let policy, let consent):
            return try offering(installable(promoted(version, from: source)), rollout, policy, consent)
        case .setRollout(let share, let audiences, let policy, let version):
            let release = try subject(version)
            let rollout = Rollout(
                share: share ?? release.rollout.share, audiences: audiences ?? release.rollout.audiences)
            return try history.setting(rollout, policy, of: release)
        case .retry(let version): return try history.retrying(subject(version))
        case .accepting(_, let change): return try steps(for: change)
        case .rollBackToEmbedded:
            try checkNames()
            return try history.rollingBack(to: .embedded, requiredApp: nil, id: facts.newID)
        case .rollBack(let version?):
            try checkNames()
            let published = try installable(version)
            return try history.rollingBack(
                to: published.offer, requiredApp: published.requiredApp, id: facts.newID)
        case .rollBack(nil):
            try checkNames()
            guard let earlier = history.earlier else {
                throw RegistryError(
                    .notFound,
                    "\(presentForAll)\(channel) offered nothing else of \(package) to everyone before: roll back with --to "
                        + "VERSION, or --to embedded for what the app was shipped with")
            }
            return try history.rollingBack(
                to: earlier.offer, requiredApp: earlier.requiredApp, id: facts.newID)
        }
    }

    /// What all devices have already, where a newer release is for nobody any more.
    private var presentForAll: String {
        let offered = history.offered.drop(while: \.rollout.reachesNobody)
        guard offered.count < history.offered.count, let first = offered.first, first.rollout.reachesEveryone else {
            return ""
        }
        return
            "all devices go to \(package) \(ReleaseHistory.name(first.offer)) already, because the newer release is at 0 %; "
    }

    private func offering(
        _ published: PublishedVersion, _ rollout: Rollout?, _ policy: ClientPolicy?, _ consent: OfferConsent
    ) throws -> [ReleaseHistory.Step] {
        try require(consent, toOffer: published)
        return try history.offering(
            published.offer, rollout, policy, requiredApp: published.requiredApp, id: facts.newID)
    }

    /// - Throws: ``RegistryError`` of the kind `.conflict` where an offer would undo what it has no consent for.
    func require(_ consent: OfferConsent, toOffer published: PublishedVersion) throws {
        let offer = published.offer
        if !consent.contains(.again), let rollback = history.rollback(over: offer) {
            let back = rollback.to == .embedded ? "what the app embeds" : ReleaseHistory.name(rollback.to)
            throw RegistryError(
                .conflict,
                "\(channel) was rolled back from \(package) \(published.version) to \(back) by \(rollback.by) at "
                    + "\(WireTime.text(rollback.at)): offering it once more would undo that. Publish a new version, or give "
                    + "--again")
        }
        let older = OlderOffer(of: published.version, requiredApp: published.requiredApp, among: history.offered)
        if !consent.contains(.older), let older {
            throw RegistryError(
                .conflict,
                "\(channel) offers \(package) \(ReleaseHistory.list(history.offered)), and \(published.version) is older than "
                    + "\(older.newer): offering it would take devices back. Publish a higher version, or give --yes")
        }
    }

    private func subject(_ version: SemanticVersion?) throws -> Release {
        try checkNames()
        return try history.subject(version, of: package, on: channel)
    }

    /// A misspelt name is told from a channel that is empty.
    private func checkNames() throws {
        guard history.entries.isEmpty else { return }
        guard facts.channels.contains(channel) else {
            throw RegistryError(
                .notFound, "there is no channel \(channel) (there is: \(RegistryError.list(facts.channels)))")
        }
        throw RegistryError(
            .notFound, "\(channel) never offered anything of \(package) (it has: \(RegistryError.list(facts.packages)))"
        )
    }

    private func promoted(_ version: SemanticVersion?, from source: ChannelName) throws -> SemanticVersion {
        guard source != channel else {
            throw RegistryError(.invalid, "a version is promoted from one channel to another, not to the same")
        }
        let history = facts.source ?? ReleaseHistory()
        if let version {
            guard history.entries.contains(where: { !$0.isRemoved && $0.release.version == version }) else {
                throw RegistryError(
                    .notFound, "\(package) \(version) is not offered on \(source), so it cannot be promoted from there")
            }
            return version
        }
        guard !history.entries.isEmpty else {
            guard facts.channels.contains(source) else {
                throw RegistryError(
                    .notFound, "there is no channel \(source) (there is: \(RegistryError.list(facts.channels)))")
            }
            throw RegistryError(
                .notFound,
                "\(source) offers nothing of \(package), and never did (it has: \(RegistryError.list(facts.packages)))")
        }
        guard let newest = history.newestFull else {
            throw RegistryError(
                .notFound,
                "\(source) offers no version of \(package) to everyone yet (it offers \(ReleaseHistory.list(history.offered))): "
                    + "complete its rollout first, or name the version (\(package)@VERSION)")
        }
        if let partial = history.offered.first, partial.id != newest.id {
            let names = [partial.version, newest.version].compactMap(\.self).map { "\(package)@\($0)" }
            throw RegistryError(
                .conflict,
                "\(source) offers \(package) \(ReleaseHistory.list(history.offered)): say which is meant, "
                    + names.joined(separator: " or "))
        }
        guard let version = newest.version else {
            throw RegistryError(.invalid, "\(source) offers what the app embeds, which cannot be promoted")
        }
        return version
    }

    /// A version that devices can be offered.
    func installable(_ version: SemanticVersion?) throws -> PublishedVersion {
        guard let published = facts.version, let version, published.version == version else {
            let name = version?.description ?? "without a version"
            throw RegistryError(
                .notFound,
                "\(package) \(name) is not published in this registry (there is: \(RegistryError.list(facts.versions)))"
            )
        }
        if let reason = published.withdrawn {
            throw RegistryError(.conflict, "\(package) \(version) was withdrawn (\(reason)) and cannot be offered")
        }
        if let pruned = published.pruned {
            throw RegistryError(
                .conflict,
                "the files of \(package) \(version) were removed at \(WireTime.text(pruned)) to save space (packtool registry "
                    + "prune): publish the same package again, then it can be offered")
        }
        guard published.hasEntry else {
            throw RegistryError(
                .invalid, "\(package) is a shared bundle: it comes with the packages that use it and is not released")
        }
        return published
    }
}
