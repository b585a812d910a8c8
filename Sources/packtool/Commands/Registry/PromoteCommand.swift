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
        let overview = try await session.registry.overview()
        if meant(in: overview) != nil { try offer.check(to, in: overview, isDryRun: dryRun.isDryRun, options) }
        let present = overview.channels[to]?[package.package] ?? []
        let rollout = offer.wanted ?? .everyone
        var isOlder = false
        if let (version, requiredApp) = meant(in: overview), let newest = present.first {
            isOlder = OlderOffer(of: version, requiredApp: requiredApp, among: present) != nil
            let replaces = offer.wanted == nil && (newest.version != version || !newest.rollout.reachesEveryone)
            if isOlder || replaces {
                try offer.consent.require(
                    isDryRun: dryRun.isDryRun,
                    "\(to) offers \(package.package) \(ReleaseText.text(present)). Promoting \(version)\(isOlder ? ", which is older," : "") "
                        + "replaces that on \(rollout.devicesText) at once"
                        + (ReleaseText.companions(
                            of: overview.channels[from]?[package.package]?.first { $0.version == version },
                            package.package, among: overview.channels[from] ?? [:]
                        ).map { ", and promotes its set: \($0)" } ?? "")
                        + (offer.wanted == nil ? "; for a share of them: --rollout PERCENT." : "."), options)
            }
        }
        if let source = overview.channels[from]?[package.package]?.first(where: { $0.version == meant(in: overview)?.0 }
        ) {
            noteWhatStays(source)
        }
        try await ReleaseText.change(
            .promote(
                package.version, from: from, rollout, policy: offer.policy.policy(),
                consent: offer.consent(isOlder: isOlder)),
            of: package.package, on: to, before: present, proposal, isDryRun: dryRun.isDryRun, session, options)
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
