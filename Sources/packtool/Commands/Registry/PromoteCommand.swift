import ArgumentParser
import PackFormat
import PackRegistry
import PackRegistryAPI

/// `packtool promote`: offers on one channel what another channel offers.
struct PromoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote", abstract: "Offer a version of one channel on another.",
        discussion: HelpText.flowing(
            """
            Without a version, the command promotes the version that the first channel offers to all devices.
            If that channel offers a newer version to some devices, name the version that you mean.

            The share, the audience and the policy of the first channel are not copied: give --rollout,
            --audience, --install, --network, --window or --mandatory again. Without --rollout, all devices of
            the second channel get the version.

            The command asks if the second channel already offers the package, if devices would go back to an
            older version, and before it makes a channel. --yes answers yes, and --new-channel makes a channel.
            """))

    @Argument(help: "The package, and the version if it is not the newest.")
    var package: PackageArgument

    @Option(help: ArgumentHelp("The channel that offers it.", valueName: "NAME"))
    var from: ChannelName

    @Option(help: ArgumentHelp("The channel that will offer it.", valueName: "NAME"))
    var to: ChannelName

    @OptionGroup var offer: OfferOptions
    @OptionGroup var proposal: ProposalOptions
    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let overview = try await session.registry.overview(of: [package.package])
        if meant(in: overview) != nil { try offer.check(to, in: overview, isDryRun: dryRun.isDryRun, options) }
        let present = overview.channels[to]?[package.package] ?? []
        let rollout = offer.wanted ?? .everyone
        var isOlder = false
        let halt = await halt(of: meant(in: overview)?.0, in: session)
        if let (version, requiredApp) = meant(in: overview) {
            let own = OlderOffer(of: version, requiredApp: requiredApp, among: present)
            let others = companions(of: version, in: overview)
            isOlder = own != nil || others.contains { $0.older != nil }
            let replaces =
                offer.wanted == nil
                && ([(version, present)] + others.map { ($0.version, $0.present) }).contains { version, present in
                    present.first.map { $0.version != version || !$0.rollout.reachesEveryone } ?? false
                }
            if isOlder || replaces || halt != nil {
                if !proposal.isGiven, !dryRun.isDryRun {
                    try await ChannelOffer.requireNoApproval(on: to, in: session)
                }
                let set = others.map { other in
                    "\(other.package) \(other.version)"
                        + (other.present.isEmpty
                            ? ""
                            : other.older == nil
                                ? " in place of \(ReleaseText.text(other.present))"
                                : ", which is older than \(ReleaseText.text(other.present))")
                }
                let effect =
                    present.isEmpty
                    ? "\(to) offers nothing of \(package.package). Promoting \(version) gives it to \(rollout.devicesText) at once"
                    : "\(to) offers \(package.package) \(ReleaseText.text(present)). Promoting "
                        + "\(version)\(own == nil ? "" : ", which is older,") replaces that on \(rollout.devicesText) at once"
                try offer.consent.require(
                    isDryRun: dryRun.isDryRun,
                    (halt.map { "\($0). " } ?? "") + effect
                        + (set.isEmpty ? "" : ", and promotes its set: \(set.joined(separator: "; "))")
                        + (offer.wanted == nil ? "; for a share of them: --rollout PERCENT." : "."), options)
            }
        }
        if let source = overview.channels[from]?[package.package]?.first(where: { $0.version == meant(in: overview)?.0 }
        ) {
            noteWhatStays(source)
        }
        if let halt, offer.consent.yes { options.console.note(halt) }
        try await ReleaseText.change(
            .promote(
                package.version, from: from, rollout, policy: offer.policy.policy(),
                consent: offer.consent(isOlder: isOlder)),
            of: package.package, on: to, before: present, proposal, isDryRun: dryRun.isDryRun, session, options)
    }

    /// What the second channel gets of the other packages of a version's set, and what it has of them.
    private func companions(of version: SemanticVersion, in overview: RegistryOverview) -> [Companion] {
        let source = overview.channels[from] ?? [:]
        guard let set = source[package.package]?.first(where: { $0.version == version })?.set else { return [] }
        return source.sorted { $0.key < $1.key }.compactMap { other, releases in
            guard other != package.package, let release = releases.first(where: { $0.set == set }),
                let version = release.version
            else { return nil }
            let present = overview.channels[to]?[other] ?? []
            // One that everybody has already is left out.
            guard present.first?.version != version || present.first?.rollout.reachesEveryone != true else {
                return nil
            }
            return Companion(
                package: other, version: version, present: present,
                older: OlderOffer(of: version, requiredApp: release.requiredApp, among: present))
        }
    }

    private struct Companion {
        let package: PackageID
        let version: SemanticVersion
        let present: [Release]
        let older: OlderOffer?
    }

    /// What the first channel's rollout of the version was halted for; nil if it was not, or if the token may not know.
    private func halt(of version: SemanticVersion?, in session: RegistrySession) async -> String? {
        let known = (try? await session.registry.rollouts(of: package.package)) ?? []
        guard let version,
            let halted = known.first(where: {
                $0.channel == from && $0.version == version && $0.state == .halted
            })
        else { return nil }
        return
            "The rollout of \(package.package) \(version) on \(from) is halted (by \(halted.actor): \(halted.reason))"
    }

    /// The second channel gets the version alone.
    private func noteWhatStays(_ release: Release) {
        var parts: [String] = []
        if offer.wanted == nil, !release.rollout.reachesEveryone { parts.append(release.rollout.text) }
        if !offer.policy.isGiven, release.policy != .standard { parts.append(release.policy.text) }
        guard !parts.isEmpty else { return }
        options.console.note(
            "\(from) offers it with conditions (\(parts.joined(separator: "; "))), which are not copied to \(to): packtool "
                + "rollout \(package.package) --channel \(to) sets them")
    }

    /// What is to be promoted; nil if the registry refuses it, which needs no consent.
    private func meant(in overview: RegistryOverview) -> (SemanticVersion, requiredApp: VersionRange?)? {
        let source = overview.channels[from]?[package.package] ?? []
        let release = source.first { $0.version == package.version ?? source.first?.version }
        if let release, let version = release.version {
            return package.version != nil || release.rollout.reachesEveryone ? (version, release.requiredApp) : nil
        }
        // One that a newer release hides there.
        guard let version = package.version, !source.isEmpty else { return nil }
        let isPublished = overview.versions[package.package]?.contains { $0.version == version && $0.withdrawn == nil }
        return isPublished == true ? (version, nil) : nil
    }
}
