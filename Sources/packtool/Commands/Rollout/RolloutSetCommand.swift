import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackRegistryAPI
import PackRegistryLocal

/// `packtool rollout set`, and `packtool rollout` without another word: changes who gets a release.
struct RolloutSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change which devices get a release, and what share of them, or plan that.",
        discussion: """
            "set" can be left out: packtool rollout PACKAGE --channel NAME --percent P.

            Without a version: the newest release of the channel, unless that is what a
            rollback to the embedded version or a withdrawal left there.

            A larger share adds devices; who is in stays in. A smaller one moves devices
            back to the release below it, with their next check: the command asks first,
            or takes --yes. So does another audience, which moves those out that are not in it.

            --audience "platform=ios,android; app>=3.2; tag.tier=gold" is one audience, all of
            whose conditions hold; given twice, a device is in one of the two. --audience all
            takes every device again.

            --install, --network, --window and --mandatory say how those devices take it;
            what is not given stays. --network any and --window any take one back.

            --plan FILE lets the share grow by the plan's steps. With PACKAGE@VERSION of a
            published version that the channel does not offer yet, it is offered under the
            plan. --dry-run prints the dates of the steps and does nothing. packtool serve
            takes the steps, or packtool rollout run in a cron job.
            """)

    @Argument(help: "The package, and the version if it is not the newest.")
    var package: PackageArgument

    @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
    var channel: ChannelName

    @Option(
        help: ArgumentHelp(
            "The share of devices, 0 to 100, such as 5 or 0.25; a smaller one moves devices back.", valueName: "P"))
    var percent: Share?

    @Option(
        help: ArgumentHelp("Which devices, or all.", valueName: "CONDITIONS"),
        transform: { try $0 == "all" ? nil : Audience($0) })
    var audience: [Audience?] = []

    @OptionGroup var policy: PolicyOptions

    @Flag(help: "Let devices on which the release failed try it once more.")
    var retry = false

    @Option(help: ArgumentHelp("A rollout plan (JSON with comments, docs/ROLLOUTS.md).", valueName: "FILE"))
    var plan: String?

    @Option(help: ArgumentHelp("How many devices there are, in place of the plan's number.", valueName: "COUNT"))
    var devices: Int?

    @Flag(help: "With --plan: offer the version also if the channel was rolled back from it.")
    var again = false

    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var consent: ConsentOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if plan != nil {
            guard percent == nil, !retry, !policy.isGiven else {
                throw ValidationError("--plan goes with neither --percent nor --retry nor a policy")
            }
        } else {
            guard (percent != nil || !audience.isEmpty || policy.isGiven) != retry else {
                throw ValidationError(
                    "give --percent P, --audience CONDITIONS, a policy or --plan FILE, or else --retry")
            }
            guard devices == nil, !again else { throw ValidationError("--devices and --again go with --plan") }
        }
        guard !audience.contains(nil) || audience.count == 1 else {
            throw ValidationError("--audience all goes with no other audience")
        }
    }

    func run() async throws {
        // A plan that cannot be read is refused before the registry is asked anything.
        let plan = try plan.map { try PlanFile.read($0, devices: devices) }
        let session = try await RegistrySession(registry, console: options.console)
        if let plan {
            var given: OfferConsent = again ? [.again] : []
            if consent.yes || dryRun.isDryRun { given.insert(.older) }
            return try await RolloutVerb(
                verb: .plan(plan, audiences: audiences, consent: given), package: package, channel: channel, reason: "",
                isDryRun: dryRun.isDryRun, consent: consent, options: options
            ).run(session)
        }
        let overview = try await session.registry.overview()
        let releases = overview.channels[channel]?[package.package] ?? []
        let index = releases.firstIndex { package.version == nil || $0.version == package.version }
        // A change that names no version is refused by the registry, and needs no consent.
        if let index, let version = releases[index].version, let loss = try loss(from: releases[index].rollout) {
            let below = releases.dropFirst(index + 1).first ?? overview.earlier[channel]?[package.package]
            try consent.require(
                isDryRun: dryRun.isDryRun,
                "\(channel) offers \(package.package) \(version) to \(releases[index].rollout.devicesText). \(loss) "
                    + "leave it with their next check, and go back to \(ReleaseText.fallback(below)).\(set(of: releases[index], overview))",
                options)
        }
        let change: ChannelChange =
            retry
            ? .retry(of: package.version)
            : try .setRollout(
                percent, audiences: audiences,
                policy: policy.policy(over: index.map { releases[$0].policy } ?? .standard), of: package.version)
        try await ReleaseText.change(
            change, of: package.package, on: channel, before: releases, isDryRun: dryRun.isDryRun, session, options)
    }

    private func set(of release: Release, _ overview: RegistryOverview) -> String {
        ReleaseText.companions(of: release, package.package, among: overview.channels[channel] ?? [:]).map {
            " The same holds for its set: \($0)."
        } ?? ""
    }

    /// nil leaves those that there are.
    private var audiences: [Audience]? { audience.isEmpty ? nil : audience.compactMap(\.self) }

    /// Which devices would leave the release; nil where none would.
    private func loss(from old: Rollout) throws -> String? {
        if let audiences, !audiences.isEmpty, audiences != old.audiences {
            return "Devices outside of \(audiences.map(\.description).joined(separator: ", or "))"
        }
        guard let percent, percent < old.share else { return nil }
        let lost = try Share(tenThousandths: old.share.tenThousandths - percent.tenThousandths)
        return "With \(percent), \(lost) of all devices"
    }
}
