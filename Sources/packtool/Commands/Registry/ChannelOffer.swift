import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI

/// Offers published versions on a channel. It takes no device back without consent.
struct ChannelOffer {
    struct Made {
        let package: PackageID
        let version: SemanticVersion
        let channel: ChannelName
        let outcome: ChannelOutcome
        /// Somebody else offered a higher version between the question and the offer.
        var isSuperseded = false
        /// The set that it was offered in.
        var set: String?

        var text: String {
            if isSuperseded {
                return
                    "superseded \(package) \(version) on \(channel), which offers \(ReleaseText.text(outcome.releases)) now"
            }
            let rollout = outcome.releases.first?.rollout ?? Rollout(share: .none)
            return "\(outcome.isChanged ? "offered  " : "unchanged")  \(package) \(version) on \(channel) to "
                + rollout.devicesText + (outcome.releases.first.map(ReleaseText.policy) ?? "")
                + (set.map { ", as part of \($0)" } ?? "")
        }

        /// For a dry run. What it says of a set it says once, with the first of its packages.
        var intended: String {
            guard outcome.isChanged else { return "unchanged      \(package) \(version) on \(channel)" }
            return (["would offer    \(outcome.effect)"] + outcome.planNotes).joined(separator: "\n               ")
        }

        var json: JSONObject {
            var json = ReleaseText.json(package, channel, outcome)
            json["set"] = set.map { .string($0) }
            return json
        }
    }

    let session: RegistrySession
    let channel: ChannelName
    let given: OfferOptions
    let options: GlobalOptions

    /// Which devices would go back to an older version; nil if none would.
    func older(
        _ versions: [(PackageID, SemanticVersion, VersionRange?)], in overview: RegistryOverview
    ) -> String? {
        let releases = overview.channels[channel] ?? [:]
        let older = versions.compactMap { package, version, requiredApp -> String? in
            let present = releases[package] ?? []
            guard let back = OlderOffer(of: version, requiredApp: requiredApp, among: present) else { return nil }
            return
                "\(channel) offers \(package) \(ReleaseText.text(present)). \(version) is older than "
                + "\(back.newer): offering it takes devices back."
        }
        return older.isEmpty ? nil : older.joined(separator: "\n")
    }

    /// What offering would do, decided by the registry, before anything is sent.
    /// - Parameter all: what is published before; nothing of it has to be there.
    /// - Parameter counts: whether the effect tells how many devices reported.
    func preview(
        _ manifests: [Manifest], asSet isSet: Bool, publishing all: [Manifest], counting counts: Bool
    ) async throws -> [Made] {
        let versions = all.map { AssumedVersion($0) }
        // Somebody is asked about older versions apart.
        let consent = given.consent(isOlder: true)
        if isSet {
            let outcome = try await session.registry.preview(
                set(of: manifests, consent), on: channel, assuming: versions, counting: counts)
            return made(manifests, outcome)
        }
        var made: [Made] = []
        for manifest in manifests {
            let outcome = try await session.registry.preview(
                change(manifest, consent), of: manifest.package, on: channel, assuming: versions, counting: counts)
            made.append(
                Made(package: manifest.package, version: manifest.version, channel: channel, outcome: outcome))
        }
        return made
    }

    private func change(_ manifest: Manifest, _ consent: OfferConsent) throws -> ChannelChange {
        try .offer(manifest.version, given.wanted, policy: given.policy.policy(), consent: consent)
    }

    private func set(of manifests: [Manifest], _ consent: OfferConsent) -> ReleaseSet {
        ReleaseSet(
            versions: Dictionary(manifests.map { ($0.package, $0.version) }, uniquingKeysWith: { $1 }),
            rollout: given.wanted, consent: consent)
    }

    private func made(_ manifests: [Manifest], _ outcome: ReleaseSetOutcome) -> [Made] {
        manifests.map { manifest in
            let offered = outcome.releases[manifest.package] ?? []
            // One of which everybody had the version already is in no set.
            let isOfSet = outcome.set != nil && offered.first?.set == outcome.set
            return Made(
                package: manifest.package, version: manifest.version, channel: channel,
                outcome: ChannelOutcome(
                    isChanged: outcome.isChanged && (isOfSet || outcome.set == nil),
                    isNewChannel: outcome.isNewChannel, releases: offered, effect: outcome.effect,
                    approvals: outcome.approvals, planNotes: outcome.planNotes),
                set: isOfSet ? outcome.set : nil)
        }
    }

    /// Proposes to offer packages, as one set or each by itself.
    func propose(
        _ manifests: [Manifest], asSet isSet: Bool, _ consent: OfferConsent, _ proposal: ProposalOptions
    ) async throws -> [ChangeOutcome] {
        let actions: [ProposedAction] =
            isSet
            ? [.set(set(of: manifests, consent))]
            : try manifests.map { .release(try change($0, consent), of: $0.package) }
        var outcomes: [ChangeOutcome] = []
        for action in actions {
            do {
                outcomes.append(
                    try await session.registry.propose(
                        ChangeProposal(
                            action, on: channel, reason: proposal.reason ?? "", at: proposal.schedule.at,
                            expires: proposal.schedule.expires)))
            } catch let error as RegistryError where error.kind == .nothingToDo {
                // Such as by an earlier run of the job, whose proposal was made meanwhile.
                options.console.note(error.message)
            }
        }
        return outcomes
    }

    /// Refuses what must be proposed, before anything is sent.
    func requireNoApproval() async throws {
        try await Self.requireNoApproval(on: channel, in: session, undone: "Nothing was published")
    }

    /// Refuses what must be proposed, before a question whose answer would not be enough.
    /// - Parameter undone: what did not happen, as a sentence without its point.
    static func requireNoApproval(
        on channel: ChannelName, in session: RegistrySession, undone: String = "Nothing was done"
    ) async throws {
        // A registry that cannot tell, or does not want to, decides when it is asked to offer.
        let required = try? await session.registry.changes(.open).required[channel]
        guard let required, required > 0 else { return }
        throw CommandFailure(
            "\(ApprovalWords.required(required, on: channel)): \(ApprovalWords.proposing). \(undone)",
            kind: "needsApproval")
    }

    func make(_ manifest: Manifest, _ consent: OfferConsent) async throws -> Made {
        do {
            let outcome = try await session.registry.change(
                change(manifest, consent), of: manifest.package, on: channel)
            return Made(package: manifest.package, version: manifest.version, channel: channel, outcome: outcome)
        } catch let error as RegistryError where error.kind == .conflict {
            // Of two that publish at once the higher version stays, whoever comes last.
            let present = try await releases()[manifest.package] ?? []
            guard !consent.contains(.older),
                OlderOffer(of: manifest.version, requiredApp: manifest.requiredApp, among: present) != nil
            else { throw error }
            return Made(
                package: manifest.package, version: manifest.version, channel: channel,
                outcome: ChannelOutcome(isChanged: false, releases: present), isSuperseded: true)
        }
    }

    /// Offers several packages as one set.
    func make(set manifests: [Manifest], _ consent: OfferConsent) async throws -> [Made] {
        do {
            return made(manifests, try await session.registry.release(set(of: manifests, consent), on: channel))
        } catch let error as RegistryError where error.kind == .conflict {
            // Of two that publish at once the higher versions stay, whoever comes last.
            let present = try await releases()
            let isNewer = manifests.contains { manifest in
                OlderOffer(
                    of: manifest.version, requiredApp: manifest.requiredApp, among: present[manifest.package] ?? [])
                    != nil
            }
            guard !consent.contains(.older), isNewer else { throw error }
            return manifests.map { manifest in
                Made(
                    package: manifest.package, version: manifest.version, channel: channel,
                    outcome: ChannelOutcome(isChanged: false, releases: present[manifest.package] ?? []),
                    isSuperseded: true)
            }
        }
    }

    /// Refuses a set that no device could have, before anything of it is sent.
    /// - Parameter all: the packages with pages, and the bundles that are published with them.
    func check(set all: [Manifest]) async throws {
        let pages = all.filter { $0.entry != nil }
        _ = try ReleaseSetRule.requiredApp(
            of: pages.map {
                PublishedVersion(
                    package: $0.package, version: $0.version, manifest: $0.digest, requiredApp: $0.requiredApp)
            })
        let given = Set(all.map(\.digest))
        let bundles = Set(pages.flatMap { $0.shared.filter { !given.contains($0.value.manifest) }.keys })
        let published = bundles.isEmpty ? [:] : try await session.registry.overview(of: bundles).versions
        for page in pages {
            for (bundle, pin) in page.shared.sorted(by: { $0.key < $1.key }) where !given.contains(pin.manifest) {
                let isThere =
                    published[bundle]?.contains { $0.manifest == pin.manifest && $0.withdrawn == nil } ?? false
                guard !isThere else { continue }
                throw CommandFailure(
                    "\(page.package) \(page.version) needs the shared bundle \(bundle) \(pin.version), which is neither among "
                        + "the zips nor in the registry: give its zip too, or build the packages again in one run",
                    kind: "invalid")
            }
        }
        let pinned = Set(pages.flatMap { $0.shared.values.map(\.manifest) })
        for bundle in all where bundle.entry == nil && !pinned.contains(bundle.digest) {
            throw CommandFailure(
                "\(bundle.package) \(bundle.version) is a shared bundle that no package of the set uses, so the packages "
                    + "were built with another one: build all of them in one run, or publish it --separately",
                kind: "invalid")
        }
    }

    /// Whether devices get something of it with their next check, which a share of 0 %, a window or a network puts off.
    static func isInstallable(_ made: [Made]) -> Bool {
        made.contains { entry in
            guard entry.outcome.isChanged, !entry.isSuperseded, let release = entry.outcome.releases.first else {
                return false
            }
            return release.rollout.share > .none && !release.policy.delays
        }
    }

    /// What is not as its caller may think.
    func note(_ made: [Made]) {
        if made.contains(where: \.outcome.isNewChannel) { options.console.note("the channel \(channel) is new") }
        var said: Set<String> = []
        // A set says the same with each of its packages.
        for note in made.flatMap(\.outcome.planNotes) where said.insert(note).inserted { options.console.note(note) }
        for entry in made {
            for (other, releases) in entry.outcome.others.sorted(by: { $0.key < $1.key }) {
                options.console.note(
                    "\(channel) offers \(other) \(ReleaseText.text(releases)), for it is in the same set as \(entry.package)"
                )
            }
        }
        for entry in made where !entry.isSuperseded && entry.outcome.releases.count > 2 {
            options.console.note(
                "\(channel) offers \(entry.package) \(ReleaseText.text(entry.outcome.releases)): each of these releases has its own "
                    + "share of the devices, and the shares add up. "
                    + "packtool rollout \(entry.package) --channel \(channel) --percent 100 completes the newest")
        }
        for entry in made where !entry.isSuperseded {
            let share = entry.outcome.releases.first?.rollout.share ?? .none
            guard let rollout = given.rollout, rollout < share else { continue }
            options.console.note(
                "\(channel) offers \(entry.package) \(entry.version) to \(share) already and keeps that: packtool "
                    + "rollout lowers a share")
        }
    }

    private func releases() async throws -> [PackageID: [Release]] {
        try await session.registry.overview(of: []).channels[channel] ?? [:]
    }
}
