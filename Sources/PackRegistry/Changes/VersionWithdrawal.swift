package import PackFormat
package import PackRegistryAPI

/// Withdraws a version for good: in the publisher's role, which no longer lists it, and on every channel.
package struct VersionWithdrawal: RegistryChange {
    private let version: SemanticVersion
    private let package: PackageID
    private let reason: String
    private let role: [UInt8]
    private let consent: OfferConsent

    package init(
        _ version: SemanticVersion, of package: PackageID, reason: String, role: [UInt8], consent: OfferConsent = []
    ) {
        self.version = version
        self.package = package
        self.reason = reason
        self.role = role
        self.consent = consent
    }

    private var name: VersionName { VersionName(package, version) }

    package var query: FactsQuery {
        var query = FactsQuery()
        query.roles = [ViewLayout.role(of: package)]
        query.versions = [name]
        query.usersOfBundle = name
        query.histories = FactsQuery.Histories(of: package, on: nil, files: nil)
        query.companions = FactsQuery.Companions(of: [package], on: nil)
        return query
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws {
        let published = try check(facts)
        let offered = try steps(published, facts, for: changes.actor)
        let policy = try RoleUpdatePolicy(package, facts, now: changes.time)
        changes.put(try policy.judge(role, change: .withdraw(version)), as: ViewLayout.role(of: package))
        changes.withdrawals.append(ChangeSet.Withdrawal(version: name, reason: reason))
        changes.reason = reason
        changes.work.insert(package)
        for (channel, steps) in offered.sorted(by: { $0.key < $1.key }) {
            try StateGuard.require(consent, steps, on: channel, facts)
            changes.record(steps, on: channel, histories: facts.companions[channel] ?? [:], facts)
        }
        changes.log("withdraw", "\(package)@\(version)", reason)
        changes.signs = true
    }

    /// Whether the version may be withdrawn, apart from the publisher's role.
    func check(_ facts: RegistryFacts) throws -> PublishedVersion {
        guard (1...500).contains(reason.utf8.count),
            reason.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw RegistryError(.invalid, "a withdrawal needs a reason: 1 to 500 bytes, one line") }
        guard let published = facts.versions[name] else {
            throw RegistryError(.notFound, "\(package) \(version) is not published")
        }
        if let earlier = published.withdrawn {
            throw RegistryError(.nothingToDo, "\(package) \(version) is withdrawn already (\(earlier))")
        }
        let users = facts.usersOfBundle
        guard users.isEmpty else {
            throw RegistryError(
                .conflict,
                "\(package) \(version) is a shared bundle, without which devices cannot install "
                    + "\(users.prefix(5).joined(separator: ", "))\(users.count > 5 ? " and \(users.count - 5) more" : ""): "
                    + "withdraw \(users.count == 1 ? "it" : "them") first")
        }
        return published
    }

    /// What is recorded for the package, and for the others of its sets, on each channel that offers the version.
    /// - Throws: ``RegistryError`` of the kind `.forbidden` for somebody whose channels are others: a job for `beta` takes nothing
    ///   from the devices of `stable`.
    func steps(
        _ published: PublishedVersion, _ facts: RegistryFacts, for actor: Identity
    ) throws -> [ChannelName: [PackageID: [ReleaseHistory.Step]]] {
        let result = steps(published, facts)
        for channel in result.keys.sorted() {
            guard !actor.scope.allows(.publish, package: package, channel: channel) else { continue }
            throw RegistryError(
                .forbidden,
                "\(channel) offers \(package) \(version), and \(actor.name) has no right there: ask for a token that has it. To take it "
                    + "back on a channel of yours: packtool rollback \(package) --channel NAME")
        }
        return result
    }

    private func steps(
        _ published: PublishedVersion, _ facts: RegistryFacts
    ) -> [ChannelName: [PackageID: [ReleaseHistory.Step]]] {
        facts.histories.reduce(into: [:]) { result, entry in
            let (channel, history) = (entry.key, entry.value)
            let steps = history.withdrawing(published.manifest)
            guard !steps.isEmpty else { return }
            // What was offered with it as one is not offered without it.
            let sets = history.sets(removedBy: steps)
            result[channel] = (facts.companions[channel] ?? [:]).mapValues { $0.removing(sets: sets) }
                .merging([package: steps]) { $1 }
        }
    }
}

extension ChangeSet {
    /// Records steps of packages' releases, and what the channel's file says then.
    /// - Returns: what the channel offers for each package that has steps, newest first.
    @discardableResult
    mutating func record(
        _ steps: [PackageID: [ReleaseHistory.Step]], on channel: ChannelName,
        histories: [PackageID: ReleaseHistory], _ facts: RegistryFacts
    ) -> [PackageID: [Release]] {
        var file = facts.channelFiles[channel] ?? ChannelFile(app: facts.app, channel: channel, packages: [:])
        var result: [PackageID: [Release]] = [:]
        for (package, steps) in steps.sorted(by: { $0.key < $1.key }) where !steps.isEmpty {
            let history = (histories[package] ?? ReleaseHistory()).applying(steps, by: actor.name, now: time)
            releases.append(Releases(package: package, channel: channel, steps: steps))
            file = file.offering(history.offered, skippedMandatory: history.skippedMandatory, of: package)
            result[package] = history.offered
            work.insert(package)
        }
        channelFiles.append(file)
        signs = true
        return result
    }
}
