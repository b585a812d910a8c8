import ArgumentParser
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool release`: offers published versions of several packages as one set.
struct ReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Offer published versions of several packages as one set.",
        discussion: HelpText.flowing(
            """
            For packages that were published separately, for example by several CI jobs without a channel:
            packtool release shop@1.3.0 admin@2.0.0 --channel beta. A device gets all of them or none. publish
            with several zips does the same in one command.

            packtool release set.json takes the versions from a file (JSON with comments, docs/ROLLOUTS.md),
            which may also name the channel, the share and the audiences. Options of the command count in
            place of the file's.

            A package is left out if all devices of the channel already have that version. The command asks
            before it makes a channel, unless you pass --new-channel or --yes.
            """))

    @Argument(
        help: ArgumentHelp(
            "The packages with their versions, or a file that has them.", valueName: "PACKAGE@VERSION|FILE.json"))
    var subjects: [ReleaseSubject]

    @Option(help: ArgumentHelp("The channel that offers them.", valueName: "NAME"))
    var channel: ChannelName?

    @OptionGroup var offer: OfferOptions
    @OptionGroup var proposal: ProposalOptions
    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        let packages = subjects.compactMap(\.package)
        for package in packages { _ = try package.requiredVersion() }
        guard packages.isEmpty || packages.count == subjects.count, !packages.isEmpty || subjects.count == 1 else {
            throw ValidationError("give packages with their versions, or one file")
        }
        guard Set(packages.map(\.package)).count == packages.count else {
            throw ValidationError("a package is named twice")
        }
        guard packages.isEmpty || channel != nil else {
            throw ValidationError("Missing expected argument '--channel <NAME>'")
        }
    }

    func run() async throws {
        guard !offer.policy.isGiven else {
            throw CommandFailure(
                "a set is released without --install, --network, --window and --mandatory: release it, and give them with "
                    + "packtool rollout, which holds for the whole set")
        }
        // A file that cannot be read is refused before the registry is asked anything.
        guard let path = subjects.first?.file else {
            let versions = try subjects.compactMap(\.package).map { ($0.package, try $0.requiredVersion()) }
            guard let channel else { return }
            return try await release(versions, on: channel, offer)
        }
        let file = try ReleaseSetFile(path: path)
        guard let channel = channel ?? file.channel else {
            throw CommandFailure(
                "\(path) names no channel: add \"channel\" to it, or give --channel NAME", kind: "invalid")
        }
        var offer = offer
        offer.rollout = offer.rollout ?? file.share
        if offer.audience.isEmpty { offer.audience = file.audiences }
        try await release(file.versions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, on: channel, offer)
    }

    private func release(
        _ versions: [(PackageID, SemanticVersion)], on channel: ChannelName, _ offer: OfferOptions
    ) async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let offering = ChannelOffer(session: session, channel: channel, given: offer, options: options)
        let overview = try await session.registry.overview(of: [])
        try offer.check(channel, in: overview, isDryRun: dryRun.isDryRun, options)
        let older = offering.older(versions.map { ($0, $1, nil) }, in: overview)
        if let older {
            if !proposal.isGiven, !dryRun.isDryRun {
                try await ChannelOffer.requireNoApproval(on: channel, in: session)
            }
            try offer.consent.require(isDryRun: dryRun.isDryRun, older, options)
        }
        let set = ReleaseSet(
            versions: Dictionary(versions, uniquingKeysWith: { $1 }), rollout: offer.wanted,
            consent: offer.consent(isOlder: older != nil))
        if dryRun.isDryRun { return try await preview(set, on: channel, session) }
        guard !proposal.isGiven else {
            return try await ChangeText.propose(
                .set(set), on: channel, proposal.schedule, reason: proposal.reason, session, options)
        }
        let outcome = try await session.registry.release(set, on: channel)
        let lines = outcome.releases.sorted { $0.key < $1.key }.map { package, releases in
            let text = "\(channel) offers \(package) \(ReleaseText.text(releases))"
            if let own = outcome.set, releases.first?.set == own { return text + ", as part of \(own)" }
            let isKnown = releases.first?.id == overview.channels[channel]?[package]?.first?.id
            return text + (isKnown ? ", as before" : ", alone: all devices have the others of the set already")
        }
        options.console.result((lines + outcome.planNotes).joined(separator: "\n"), json: .object(outcome.json))
        guard outcome.isChanged else {
            // The members of a set have one share.
            let member = outcome.releases.min { $0.key < $1.key }
            options.console.note(
                member.map { ReleaseText.unchanged($0.value, wanted: set.rollout, of: $0.key, on: channel) }
                    ?? "nothing to do: the channel offers that already")
            throw ExitCode.nothingToDo
        }
        await session.finish(console: options.console)
    }

    private func preview(_ set: ReleaseSet, on channel: ChannelName, _ session: RegistrySession) async throws {
        let outcome = try await session.registry.preview(set, on: channel, assuming: [])
        var json = outcome.json
        json["dryRun"] = true
        // It is made by the release itself.
        json["set"] = nil
        let approval = ChangeText.approval(outcome.approvals, on: channel, proposal.schedule).map { "\n\($0)" }
        options.console.result(
            outcome.isChanged
                ? ([outcome.effect] + outcome.planNotes).joined(separator: "\n") + (approval ?? "")
                : "\(channel) offers these versions already",
            json: .object(json))
        guard outcome.isChanged else { throw ExitCode.nothingToDo }
    }
}
