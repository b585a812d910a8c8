import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI
import PackRegistryLocal

/// `packtool rollout set`, and `packtool rollout` without another word: changes who gets a release.
struct RolloutSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change which devices get a release, now or by a plan.",
        discussion: HelpText.flowing(
            """
            "set" can be left out: packtool rollout PACKAGE --channel NAME --percent P.

            Without a version, the command changes the newest release of the channel. After a rollback to the
            embedded version, or after a withdrawal, name the version.

            A larger share adds devices; devices in the share stay in it. A smaller share moves devices back to
            the release before it, with their next check. A new audience moves those devices back that are not
            in it. In both cases the command asks first, unless you pass --yes.

            --audience "platform=ios,android; app>=3.2; tag.tier=gold" is one audience: all its conditions must
            hold. If you give the option twice, a device is in one of the two. --audience all includes all
            devices again.

            --install, --network, --window and --mandatory change when devices install the release; options
            that you leave out do not change. --network any and --window any remove a condition.

            --plan FILE increases the share by the steps of a plan. PACKAGE@VERSION of a published version that
            the channel does not offer yet is offered under the plan. --dry-run prints the dates of the steps
            and changes nothing. packtool serve takes the steps, or packtool rollout run in a cron job.

            --gate compares what devices report about the release and about the version before it. The plan
            halts as soon as the share of failing devices is certainly larger by more than 0.5 percentage points.
            A step is taken once it is certainly larger by less than 3 points, judged by at least 200 devices
            that had a day to report. With --plan the gate applies to each step that has none of its own.
            Without --plan the steps are 1, 10 and 50 %, a day each, and then 100 %. docs/REPORTS.md describes
            how the gate decides.
            """))

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

    @Flag(help: "Let devices on which the release failed try it again.")
    var retry = false

    @Option(help: ArgumentHelp("A rollout plan (JSON with comments, docs/ROLLOUTS.md).", valueName: "FILE"))
    var plan: String?

    @Flag(help: "Let each step wait until devices report that they are well, and halt if they do not.")
    var gate = false

    @Option(help: ArgumentHelp("How many devices there are, in place of the plan's number.", valueName: "COUNT"))
    var devices: Int?

    @Flag(help: "With --plan: offer the version also if the channel was rolled back from it.")
    var again = false

    @OptionGroup var state: StateOption
    @OptionGroup var proposal: ProposalOptions
    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var consent: ConsentOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if plan != nil || gate {
            guard percent == nil, !retry, !policy.isGiven else {
                throw ValidationError("--plan and --gate cannot be combined with --percent, --retry or a policy")
            }
        } else {
            guard (percent != nil || !audience.isEmpty || policy.isGiven) != retry else {
                throw ValidationError(
                    "give --percent P, --audience CONDITIONS, a policy, --plan FILE or --gate, or else --retry")
            }
            guard devices == nil, !again else {
                throw ValidationError("--devices and --again go with --plan or --gate")
            }
        }
        guard !audience.contains(nil) || audience.count == 1 else {
            throw ValidationError("--audience all cannot be combined with another audience")
        }
    }

    func run() async throws {
        // A plan that cannot be read is refused before the registry is asked anything.
        let plan = try gatedPlan()
        let session = try await RegistrySession(registry, console: options.console)
        if let plan {
            var given: OfferConsent = again ? [.again] : []
            if consent.yes || dryRun.isDryRun { given.insert(.older) }
            given.formUnion(state.consent)
            return try await RolloutVerb(
                verb: .plan(plan, audiences: audiences, consent: given), package: package, channel: channel,
                reason: proposal.reason ?? "", isDryRun: dryRun.isDryRun, schedule: proposal.schedule, consent: consent,
                options: options
            ).run(session)
        }
        let overview = try await session.registry.overview(of: [])
        let releases = overview.channels[channel]?[package.package] ?? []
        let index = releases.firstIndex { package.version == nil || $0.version == package.version }
        if let audiences {
            try GroupCheck.require(
                audiences, known: overview.settings[channel]?.groups.keys.map(\.self) ?? [], on: channel)
        }
        let change: ChannelChange =
            retry
            ? .retry(of: package.version)
            : try state.accepting(
                .setRollout(
                    percent, audiences: audiences,
                    policy: policy.policy(over: index.map { releases[$0].policy } ?? .standard), of: package.version))
        // A change that names no version is refused by the registry, and needs no consent.
        if let index, let version = releases[index].version,
            let loss = try await loss(from: releases[index], session)
        {
            // What the release hides now may be among them.
            let after = try? await session.registry.preview(change, of: package.package, on: channel, assuming: [])
            var below = Array((after?.releases ?? releases).drop { $0.id != releases[index].id }.dropFirst())
            if below.isEmpty, let earlier = overview.earlier[channel]?[package.package] { below = [earlier] }
            if !proposal.isGiven, !dryRun.isDryRun {
                try await ChannelOffer.requireNoApproval(on: channel, in: session)
            }
            try consent.require(
                isDryRun: dryRun.isDryRun,
                "\(channel) offers \(package.package) \(version) to \(releases[index].rollout.devicesText). \(loss) "
                    + "leave it with their next check, and \(ReleaseText.fallback(below)).\(set(of: releases[index], overview))",
                options)
        }
        try await ReleaseText.change(
            change, of: package.package, on: channel, before: releases, proposal, isDryRun: dryRun.isDryRun, session,
            options)
    }

    private func set(of release: Release, _ overview: RegistryOverview) -> String {
        ReleaseText.companions(of: release, package.package, among: overview.channels[channel] ?? [:]).map {
            " The same holds for its set: \($0)."
        } ?? ""
    }

    /// nil where neither a plan nor a gate is asked for.
    private func gatedPlan() throws -> RolloutPlan? {
        do {
            guard let plan else { return gate ? try RolloutPlan.gradual(devices: devices) : nil }
            let read = try PlanFile.read(plan, devices: devices)
            return gate ? try read.gated : read
        } catch let fault as FieldFault {
            throw CommandFailure("\(plan ?? "--devices"): \(fault)", kind: "invalid")
        }
    }

    /// nil leaves those that there are.
    private var audiences: [Audience]? { audience.isEmpty ? nil : audience.compactMap(\.self) }

    /// Which devices would leave the release; nil where none would.
    private func loss(from release: Release, _ session: RegistrySession) async throws -> String? {
        let old = release.rollout
        guard !old.reachesNobody else { return nil }
        let parts = [try await lostShare(of: release, session), lostAudience(old)].compactMap(\.self)
        guard parts.count > 1 else { return parts.first }
        return parts.joined(separator: ", and ") + ","
    }

    /// nil where the new audience has all devices of the one before.
    private func lostAudience(_ old: Rollout) -> String? {
        guard let audiences, !audiences.isEmpty, audiences != old.audiences else { return nil }
        let isWider =
            !old.audiences.isEmpty && old.audiences.allSatisfy { old in audiences.contains { $0.includes(old) } }
        guard !isWider else { return nil }
        let isSmallerShare = percent.map { $0 < old.share } ?? false
        let subject = isSmallerShare ? "devices" : "Devices"
        return "\(subject) outside of \(audiences.map(\.description).joined(separator: ", or "))"
    }

    private func lostShare(of release: Release, _ session: RegistrySession) async throws -> String? {
        let old = release.rollout
        guard let percent, percent < old.share else { return nil }
        let lost = try Share(tenThousandths: old.share.tenThousandths - percent.tenThousandths)
        let plan = try? await session.registry.rollouts(of: package.package).first { $0.release == release.id }?.plan
        let count = plan.flatMap { plan in
            plan.deviceCount(lost).map {
                " (by its plan about \(CountText.number($0)) of \(CountText.number(plan.devices ?? 0)))"
            }
        }
        // The share is one of the audience: nobody else had the release.
        let whole = old.audiences.isEmpty ? "all devices" : "the devices in its audience"
        return "With \(percent), \(lost) of \(whole)\(count ?? "")"
    }
}
