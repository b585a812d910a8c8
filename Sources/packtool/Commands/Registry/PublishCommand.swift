import ArgumentParser
import Foundation
import PackBuilder
import PackFormat
import PackJSON
import PackPublisher
import PackRegistry
import PackRegistryAPI
import PackRegistryLocal

/// `packtool publish`: uploads packages to the registry, signs them, and offers them on a channel.
struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publish packages and offer them on a channel.",
        discussion: HelpText.flowing(
            """
            Without arguments the command publishes the packages in ./packages: the highest version of each
            package. If you name several versions of a package, all are published and the highest is offered.
            A version that is already offered keeps its share of devices, unless --rollout gives a larger one.
            A new release is for all devices, unless --rollout says otherwise.

            The command asks before it does more than you may expect, and --yes answers yes: before it offers a
            version that is older than the offered one, before it publishes without a channel, and before it
            makes a channel. A channel that does not exist may be a misspelt one; --new-channel makes it. The
            first channel of a registry is made without a question.

            If the channel was rolled back from a version, the version is not offered again, for example by a
            CI job that runs again. --again offers it.
            With --channel beta --channel stable the packages are uploaded once and offered on both, in this order.
            The command asks about both channels, and both must accept the offer, before anything is uploaded. Each
            channel is a commit of its own: if the second one fails, the command says what the first one offers, and
            you can repeat it.

            --dry-run shows what would be sent and which devices would get what, and changes nothing. What the
            registry would refuse is refused.


            Several packages are offered as one set: a device gets all of them or none, and rollout, rollback,
            promote and withdraw of one apply to all. With --separately each is offered by itself.

            Shared bundles are published first, whatever the order of the arguments. A version that is
            published already with the same content is not changed, so you can repeat the command after an
            interruption. What the token or the key may not do is refused before anything is uploaded.

            Devices can install a version when its line is printed. In a registry folder without a server, the
            command then makes patches and smaller downloads. With --no-wait the next command that changes the
            registry makes them, or its server. The registry itself is made by packtool init.
            """))

    @Argument(help: ArgumentHelp("The packages to publish (default: the newest in ./packages).", valueName: "ZIP"))
    var zips: [String] = []

    @Option(
        help: ArgumentHelp(
            "The channel that offers them (default: the configuration's); may be given several times.",
            valueName: "NAME"))
    var channel: [ChannelName] = []

    @Flag(name: .customLong("no-wait"), help: "Do not wait until patches are made.")
    var noWait = false

    @Flag(help: "Offer each package by itself, and not all of them as one set.")
    var separately = false

    @Flag(help: "Offer the packages as one set, which is the default for several.")
    var together = false

    @Option(help: ArgumentHelp("A line about the versions, for people.", valueName: "TEXT"))
    var note: String?

    @Option(help: ArgumentHelp("The commit of the sources (default: the CI job's).", valueName: "COMMIT"))
    var commit: String?

    @Option(
        help: ArgumentHelp(
            "The repository of the sources, for --provenance (default: the CI job's, of GitHub or GitLab).",
            valueName: "URL"))
    var source: String?

    @Flag(
        help:
            "Attach a signed statement of how the packages were built: commit, repository, workflow, lock files (SLSA)."
    )
    var provenance = false

    @OptionGroup var offer: OfferOptions
    @OptionGroup var proposal: ProposalOptions
    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard !separately || !together else { throw ValidationError("give --together or --separately, not both") }
        guard source == nil || provenance else { throw ValidationError("--source is a part of --provenance") }
        guard Set(channel).count == channel.count else { throw ValidationError("a channel is named twice") }
    }

    func run() async throws {
        let console = options.console
        // Every zip is judged before a byte is sent.
        let about = try VersionNote(text: note, commit: commit ?? SourceCommit.current())
        let packages = zips.isEmpty ? try PackageSelection(files()).newest() : try PackageSelection(files())
        let session = try await RegistrySession(registry, console: console)
        // What is published would not be shown.
        if session.local?.isBehind == true { throw ViewWriter.behind }
        let channels = channel.isEmpty ? [session.configuration?.channel].compactMap(\.self) : channel
        let pages = packages.manifests.filter { packages.highestVersions[$0.package] == $0.version }
        let offers = channels.map { ChannelOffer(session: session, channel: $0, given: offer, options: options) }
        if zips.isEmpty, let note = missingBuild(pages, session.configuration) { console.note(note) }
        let isDryRun = dryRun.isDryRun
        guard !offers.isEmpty || !proposal.isGiven else {
            throw CommandFailure("no channel is given on which to offer it: --channel NAME", kind: "invalid")
        }
        if offers.isEmpty { try requireNoChannel(pages) }
        if !proposal.isGiven, !isDryRun {
            for offer in offers { try await offer.requireNoApproval() }
        }
        // Before anything is sent.
        let isSet = pages.count > 1 && !separately
        guard !isSet || !offer.policy.isGiven else {
            throw CommandFailure(
                "a set is published without --install, --network, --window and --mandatory: publish it, and give them with "
                    + "packtool rollout, which holds for the whole set; or publish --separately")
        }
        if isSet { try await offers.first?.check(set: packages.manifests.filter { $0.entry == nil } + pages) }
        let overview = try await session.registry.overview(of: [])
        for offering in offers { try offer.check(offering.channel, in: overview, isDryRun: isDryRun, options) }
        let older = older(pages, offers, in: overview)
        if !older.isEmpty {
            try offer.consent.require(
                isDryRun: isDryRun, offers.compactMap { older[$0.channel] }.joined(separator: "\n"), options)
        }
        let intended = try await preview(pages, asSet: isSet, packages.manifests, offers)
        let origin =
            provenance
            ? try BuildOrigin(
                ProcessInfo.processInfo.environment, source: source, commit: about.commit,
                folder: URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory))
            : nil
        let publisher = try await session.publisher(console: console, origin: origin, isDryRun: isDryRun)
        if isDryRun {
            let versions = try await publisher.preview(packages)
            let approvals = intended.compactMap {
                ChangeText.approval($0.outcome.approvals, on: $0.channel, proposal.schedule)
            }
            let text = PublishText.intended(versions) + intended.map(\.intended) + approvals
            var seen: Set<String> = []
            console.result(
                text.filter { seen.insert($0).inserted }.joined(separator: "\n"),
                json: PublishText.json(versions, intended))
            return
        }
        let line = ProgressLine(console)
        // A version and its offer are one sight for devices.
        let (published, offered) = try await session.showingTogether {
            let published = try await publisher.publish(packages, note: about) { manifest in
                line.show("publishing \(manifest.package) \(manifest.version)")
            }
            line.clear()
            guard !proposal.isGiven else { return (published, [ChannelOffer.Made]()) }
            return (published, try await make(offers, pages, asSet: isSet, older: older, published))
        }
        if proposal.isGiven {
            return try await propose(offers, pages, asSet: isSet, older: older, published, session)
        }
        if offers.isEmpty {
            console.note("published and not offered to any device: to offer it, publish again with --channel NAME")
        }
        console.result(PublishText.text(published, offered), json: PublishText.json(published, offered))
        // Whoever reads from a pipe is not to wait for the patches.
        fflush(nil)
        guard !noWait else { return }
        if let local = session.local, await !local.isServed() {
            console.note(
                (ChannelOffer.isInstallable(offered) ? "Devices can install this now. " : "")
                    + "Making patches and smaller downloads; Ctrl-C is safe, the next command or a server goes on with them"
            )
        }
        await session.finish(console: console)
    }

    /// The channels on which devices would go back to an older version, with what is said of it.
    private func older(
        _ pages: [Manifest], _ offers: [ChannelOffer], in overview: RegistryOverview
    ) -> [ChannelName: String] {
        var older: [ChannelName: String] = [:]
        for offer in offers {
            older[offer.channel] = offer.older(
                pages.map { ($0.package, $0.version, $0.requiredApp) }, in: overview)
        }
        return older
    }

    /// Every channel decides before anything is sent, so that none refuses what is published then.
    private func preview(
        _ pages: [Manifest], asSet isSet: Bool, _ all: [Manifest], _ offers: [ChannelOffer]
    ) async throws -> [ChannelOffer.Made] {
        var intended: [ChannelOffer.Made] = []
        do {
            for offer in offers {
                intended += try await offer.preview(pages, asSet: isSet, publishing: all, counting: dryRun.isDryRun)
            }
        } catch let unknown as PreviewsUnknown {
            // An older registry decides when it is asked to.
            guard !dryRun.isDryRun else { throw CommandFailure("\(unknown)", kind: "invalid") }
        }
        return intended
    }

    private func make(
        _ offers: [ChannelOffer], _ pages: [Manifest], asSet isSet: Bool, older: [ChannelName: String],
        _ published: [Publisher.Published]
    ) async throws -> [ChannelOffer.Made] {
        var offered: [ChannelOffer.Made] = []
        for (index, offering) in offers.enumerated() {
            let consent = offer.consent(isOlder: older[offering.channel] != nil)
            do {
                var made: [ChannelOffer.Made] = []
                if isSet {
                    made = try await offering.make(set: pages, consent)
                } else {
                    for manifest in pages { made.append(try await offering.make(manifest, consent)) }
                }
                offered += made
                offering.note(made)
            } catch let error as RegistryError where offers.count > 1 {
                throw PublishText.failure(error, published, offered, left: offers[index...].map(\.channel))
            }
        }
        return offered
    }

    /// Proposes the offers of what is published, and prints what became of them.
    private func propose(
        _ offers: [ChannelOffer], _ pages: [Manifest], asSet isSet: Bool, older: [ChannelName: String],
        _ published: [Publisher.Published], _ session: RegistrySession
    ) async throws {
        var proposed: [ChangeOutcome] = []
        for offering in offers {
            let consent = offer.consent(isOlder: older[offering.channel] != nil)
            proposed += try await offering.propose(pages, asSet: isSet, consent, proposal)
        }
        options.console.result(
            PublishText.text(published, proposed), json: PublishText.json(published, [], proposed))
        for outcome in proposed where !outcome.isChanged {
            options.console.note(ChangeText.proposedAlready(outcome.change))
        }
        for change in proposed.map(\.change) where change.state == .waiting {
            options.console.note("Somebody else approves it with:  packtool changes approve \(change.id)")
        }
        guard !proposed.contains(where: { $0.change.state == .failed }) else { throw ExitCode.failed }
        if !noWait { await session.finish(console: options.console) }
    }

    private func requireNoChannel(_ pages: [Manifest]) throws {
        guard !pages.isEmpty else { return }
        let names = pages.map { "\($0.package) \($0.version)" }.joined(separator: ", ")
        try offer.consent.require(
            "No channel is given, and \(PackConfiguration.fileName) names none: no device would be offered \(names). "
                + "To offer: --channel NAME.", options)
    }

    private func files() throws -> [URL] {
        if !zips.isEmpty {
            return try zips.map { path in
                guard FileManager.default.fileExists(atPath: path) else { throw try missing(path) }
                return URL(filePath: path)
            }
        }
        let folder = try (CurrentProject().configuration ?? PackConfiguration()).outFolder
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let found = names.filter { $0.hasSuffix(".zip") }.sorted().map { folder.appending(path: $0) }
        guard !found.isEmpty else {
            throw CommandFailure(
                "there are no packages in \(folder.relativePath): build some, or name the zips to publish")
        }
        return found
    }

    /// What to say where the configuration has a version of which no package was built.
    private func missingBuild(_ pages: [Manifest], _ configuration: PackConfiguration?) -> String? {
        guard let configuration, let wanted = configuration.version, let package = configuration.package,
            let page = pages.first(where: { $0.package == package }), page.version != wanted
        else { return nil }
        return "warning: \(PackConfiguration.fileName) says \(package) \(wanted), and the newest package in "
            + "\(configuration.outFolder.relativePath) is \(page.version): packtool build makes the other one"
    }

    private func missing(_ path: String) throws -> CommandFailure {
        let folder = try (CurrentProject().configuration ?? PackConfiguration()).outFolder
        let name = URL(filePath: path).lastPathComponent
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
            $0.hasSuffix(".zip")
        }
        guard let near = NearName.of(name, among: names.filter { folder.appending(path: $0).relativePath != path })
        else { return CommandFailure("there is no file \(path): build it with packtool build") }
        return CommandFailure(
            "there is no file \(path): did you mean \(folder.appending(path: near).relativePath)?")
    }
}
