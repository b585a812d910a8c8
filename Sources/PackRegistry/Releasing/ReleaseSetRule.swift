import Foundation
package import PackFormat
package import PackRegistryAPI

/// What a change of several packages means for the releases of each: they are offered, changed and taken back as one.
///
/// Pure, as ``ReleaseRule``, which decides for each package by itself.
package struct ReleaseSetRule {
    /// What is recorded for each package that changes.
    package struct Outcome {
        /// nil where only one package changes, or the ranges of apps that the versions require have nothing in common.
        package let set: String?
        package let steps: [PackageID: [ReleaseHistory.Step]]
    }

    private let channel: ChannelName
    /// Of the packages, and of all that were ever in a set with one of them.
    let histories: [PackageID: ReleaseHistory]
    let ids: ReleaseIDs

    package init(on channel: ChannelName, histories: [PackageID: ReleaseHistory], ids: ReleaseIDs) {
        self.channel = channel
        self.histories = histories
        self.ids = ids
    }

    func history(_ package: PackageID) -> ReleaseHistory { histories[package] ?? ReleaseHistory() }

    // MARK: Offering

    /// Offers versions as one. A package of which everyone is offered the version already is left out: a rollback of the set
    /// would take it from them. A set that is offered already keeps its share, unless a larger one is given.
    /// - Parameter facts: of each package alone; the version is the one to offer.
    /// - Throws: ``RegistryError`` where one of them may not be offered, or no device could have all.
    package func offering(
        _ facts: [PackageID: ReleaseFacts], _ wanted: [PackageID: SemanticVersion], _ rollout: Rollout?,
        consent: OfferConsent
    ) throws -> Outcome {
        let packages = wanted.keys.sorted()
        let versions = try packages.map { try ReleaseRule(facts[$0] ?? unknown($0)).installable(wanted[$0]) }
        let published = Dictionary(uniqueKeysWithValues: zip(packages, versions))
        let fresh = packages.filter { package in
            let newest = history(package).offered.first
            return newest?.offer != published[package]?.offer || newest?.rollout.reachesEveryone != true
        }
        guard !fresh.isEmpty else { return Outcome(set: nil, steps: [:]) }
        if let set = offered(fresh, published) {
            let steps = try raising(set, to: rollout)
            return Outcome(set: set, steps: steps)
        }
        if let package = fresh.first, let version = published[package], fresh.count == 1 {
            let own = try ReleaseRule(facts[package] ?? unknown(package)).steps(
                for: .offer(version.version, rollout, consent: consent))
            return Outcome(set: nil, steps: try following(own, of: package).merging([package: own]) { $1 })
        }
        let set = ids.set
        let app = try Self.requiredApp(of: fresh.compactMap { published[$0] })
        var steps: [PackageID: [ReleaseHistory.Step]] = [:]
        for (index, package) in fresh.enumerated() {
            guard let version = published[package] else { continue }
            try ReleaseRule(facts[package] ?? unknown(package)).require(consent, toOffer: version)
            steps[package] = [
                .add(
                    try Release(
                        id: ids.release(index), offer: version.offer, rollout: rollout ?? .everyone, requiredApp: app,
                        set: set))
            ]
        }
        return Outcome(set: set, steps: steps)
    }

    private func unknown(_ package: PackageID) -> ReleaseFacts {
        ReleaseFacts(package: package, channel: channel, history: history(package), newID: ids.release(0))
    }

    /// The set that offers just these versions now, to a share of devices.
    private func offered(_ packages: [PackageID], _ published: [PackageID: PublishedVersion]) -> String? {
        let newest = packages.map { history($0).offered.first }
        guard packages.count > 1, let set = newest.first??.set,
            zip(packages, newest).allSatisfy({ $1?.set == set && $1?.offer == published[$0]?.offer }),
            members(of: set).count == packages.count
        else { return nil }
        return set
    }

    private func raising(_ set: String, to rollout: Rollout?) throws -> [PackageID: [ReleaseHistory.Step]] {
        guard let rollout, let release = members(of: set).values.first else { return [:] }
        guard rollout.audiences.isEmpty || rollout.audiences == release.rollout.audiences else {
            throw RegistryError(
                .conflict,
                "this set is offered to \(release.rollout.text) already: packtool rollout changes the audience of a set"
            )
        }
        guard rollout.share > release.rollout.share else { return [:] }
        let raised = try release.with(rollout: Rollout(share: rollout.share, audiences: release.rollout.audiences))
        return try histories.compactMapValues { try $0.following(raised) }.filter { !$0.value.isEmpty }
    }

    func members(of set: String) -> [PackageID: Release] {
        histories.compactMapValues { $0.entry(of: set)?.release }
    }

    /// What the whole set requires of the app: a package of it must not hide what an older app still needs, while another
    /// keeps the set from it.
    /// - Throws: ``RegistryError`` of the kind `.invalid` if no version of the app could have all of them.
    package static func requiredApp(of versions: [PublishedVersion]) throws -> VersionRange? {
        let ranges = versions.compactMap { version in version.requiredApp.map { (version, $0) } }
        for (index, (version, range)) in ranges.enumerated() {
            for (other, theirs) in ranges[..<index] where !range.overlaps(theirs) {
                throw RegistryError(
                    .invalid,
                    "no app could have this set: \(other.package) \(other.version) requires app \(theirs), and "
                        + "\(version.package) \(version.version) requires app \(range). Build them for the same app versions, or "
                        + "publish them separately")
            }
        }
        return try VersionRange.intersection(of: ranges.map(\.1))
    }

    // MARK: Changing what is offered

    /// What the other packages of a set do where one of them changes.
    package func following(
        _ steps: [ReleaseHistory.Step], of package: PackageID
    ) throws -> [PackageID: [ReleaseHistory.Step]] {
        var result: [PackageID: [ReleaseHistory.Step]] = [:]
        for case .update(let release) in steps {
            for (other, history) in histories where other != package {
                result[other, default: []] += try history.following(release)
            }
        }
        return result.filter { !$0.value.isEmpty }
    }

    /// If a package's newest release is of a set, takes the set back: each of its packages goes to what everyone had before
    /// the set, or when the package had the version that is named. A package that had nothing then goes to what the app embeds,
    /// and one with a newer release keeps that.
    /// - Returns: nil if the newest release is of no set, or no package of it had anything before.
    package func rollingBack(_ package: PackageID, to change: ChannelChange) throws -> Outcome? {
        let own = history(package)
        try requireWholeSet(at: change, of: package)
        guard let newest = own.current, let set = newest.set, let begun = own.entry(of: set)?.created,
            members(of: set).count > 1
        else { return nil }
        /// What each package had at a moment.
        func everyone(before moment: Date) -> [PackageID: Release?] {
            Dictionary(uniqueKeysWithValues: members(of: set).keys.map { ($0, history($0).full(before: moment)) })
        }
        let present = own.full(before: begun)
        switch change.plain {
        case .rollBackToEmbedded:
            // A package that the set introduced had what the app embeds before it, and the others had something else.
            guard present == nil else {
                return try rollingBack(
                    set, to: Dictionary(uniqueKeysWithValues: members(of: set).keys.map { ($0, Release?.none) }))
            }
            return try rollingBack(set, to: everyone(before: begun))
        case .rollBack(let version?):
            guard own.entries.contains(where: { $0.release.version == version }) else {
                throw RegistryError(
                    .conflict,
                    "\(channel) never offered \(package) \(version): roll the set back without --to, or name a version that it offered"
                )
            }
            let destination = own.entries.last { !$0.isRemoved && $0.release.version == version }?.release
            guard let destination, destination.offer != newest.offer, let moment = own.end(of: destination.offer) else {
                throw RegistryError(
                    .conflict,
                    "\(package) is offered on \(channel) in one set with \(names(in: set, besides: package)), and it "
                        + "cannot be told what they had with \(package) \(version): roll the set back without --to, or "
                        + "publish the versions that you want together")
            }
            return try rollingBack(set, to: everyone(before: moment).merging([package: destination]) { $1 })
        case .rollBack(nil):
            let before = everyone(before: begun)
            guard let present else {
                return before.values.contains { $0 != nil } ? try rollingBack(set, to: before) : nil
            }
            if present.offer != newest.offer { return try rollingBack(set, to: before) }
            // The set is itself a way back to that version: one step further into the past.
            guard let place = own.full(before: begun, otherThan: newest.offer), let moment = own.end(of: place.offer)
            else { return nil }
            return try rollingBack(set, to: everyone(before: moment).merging([package: place]) { $1 })
        default: return nil
        }
    }

    /// - Throws: ``RegistryError`` of the kind `.conflict` if everybody would get one package of a set that not everybody has.
    private func requireWholeSet(at change: ChannelChange, of package: PackageID) throws(RegistryError) {
        guard case .rollBack(let version?) = change.plain,
            let release = history(package).entries.last(where: { !$0.isRemoved && $0.release.version == version })?
                .release,
            let set = release.set, !release.rollout.reachesEveryone, members(of: set).count > 1
        else { return }
        let newest = history(package).current?.version.map { "\(package)@\($0)" } ?? "\(package)@VERSION"
        throw RegistryError(
            .conflict,
            "\(package) \(version) is for \(release.rollout.devicesText) of \(channel), in one set with "
                + "\(names(in: set, besides: package)): all devices would get it without the set. To take only what is newer back: "
                + "packtool rollout \(newest) --channel \(channel) --percent 0")
    }

    /// A rollback that is repeated, by a job that runs again or by somebody who did not see the first, would go back further. Who
    /// takes back one package of a set takes back all of it, whichever package the next rollback names.
    /// - Throws: ``RegistryError`` of the kind `.conflict` if the package went back and nothing newer was offered since, unless the
    ///   change names its destination or has the consent.
    package func requireFirstRollback(
        of package: PackageID, _ change: ChannelChange, consent: OfferConsent
    ) throws(RegistryError) {
        guard case .rollBack(nil) = change.plain, !consent.contains(.again), let (last, way) = history(package).wayBack
        else { return }
        var members = [(key: package, value: last.release)]
        if let (set, way) = history(package).wayBackOverSet {
            let ofSet = histories.compactMapValues { $0.entry(of: set, removedAt: way.created)?.release }
            if ofSet.count > 1 { members = ofSet.sorted { $0.key < $1.key } }
        }
        // Where nothing is left to go to, that is what is said.
        guard members.count > 1 || history(package).earlier != nil else { return }
        let left = members.map { "\($0.key) \(ReleaseHistory.name($0.value.offer))" }
        let now = members.map { "\($0.key) \(ReleaseHistory.list(history($0.key).offered))" }
        throw RegistryError(
            .conflict,
            "\(channel) was rolled back from \(ReleaseMoves.list(left))\(members.count > 1 ? ", which were one set," : "") by "
                + "\(way.createdBy) at \(WireTime.text(way.created)), and offers \(ReleaseMoves.list(now)) now. Another rollback of \(package) would "
                + "go back further. If that is meant: packtool rollback \(package) --channel \(channel) --again, or --to VERSION"
        )
    }

    /// A package that a newer release took out of the set keeps that one: only what lies beneath it goes.
    private func rollingBack(_ set: String, to places: [PackageID: Release?]) throws -> Outcome {
        var left: [PackageID: [ReleaseHistory.Step]] = [:]
        for (member, place) in places { left[member] = history(member).leaving(set, to: place) }
        let targets = places.filter { left[$0.key] == nil }
        func steps(_ set: String?, _ app: VersionRange?) throws -> [PackageID: [ReleaseHistory.Step]] {
            var result: [PackageID: [ReleaseHistory.Step]] = [:]
            for (index, (member, own)) in targets.sorted(by: { $0.key < $1.key }).enumerated() {
                result[member] = try history(member).rollingBack(
                    to: own?.offer ?? .embedded, requiredApp: own?.version == nil ? nil : app ?? own?.requiredApp,
                    id: ids.release(index), set: set)
            }
            return result.filter { !$0.value.isEmpty }
        }
        let ranges = targets.values.compactMap { $0?.requiredApp }
        let canBeOne = ranges.allSatisfy { range in ranges.allSatisfy { range.overlaps($0) } }
        let single = try steps(nil, nil)
        guard canBeOne, single.count > 1 else {
            return try Outcome(set: nil, steps: completing(single.merging(left) { $1 }))
        }
        let joined = try steps(ids.set, .intersection(of: ranges))
        return try Outcome(set: ids.set, steps: completing(joined.merging(left) { $1 }))
    }

    private func names(in set: String, besides package: PackageID) -> String {
        members(of: set).keys.filter { $0 != package }.sorted().map(\.text).joined(separator: ", ")
    }
}

/// The ids of what one change makes: the release's number in the registry and 32 random bits, so that no id is ever used
/// twice, even where a registry was set back to a backup.
package struct ReleaseIDs: Sendable {
    private let number: Int
    private let random: String

    package init(number: Int, randomBits: UInt32) {
        self.number = number
        let random = String(randomBits, radix: 16)
        self.random = String(repeating: "0", count: 8 - random.count) + random
    }

    package func release(_ index: Int) -> String { "\(number + index)-\(random)" }

    package var set: String { "set-\(number)-\(random)" }
}
