import ArgumentParser
import PackFormat
import PackRegistryAPI

/// `packtool rollback`: offers an older version, or the embedded one, to everyone.
struct RollbackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Go back to an older version on a channel, or to what the app embeds.",
        discussion: HelpText.flowing(
            """
            Without --to, the command goes back to the newest version that the channel offered before this
            one. If the release belongs to a set, the whole set goes back, each package to its version
            before: the command says which, and then does it. A package with a newer release than that of the
            set keeps it. The command asks first if it takes back more than the newest release, or other packages
            than those of its set. A second rollback is refused until something newer of the package is offered,
            unless you pass --again or --to, so that a job that runs again goes back once. --dry-run shows which devices go where, and changes nothing.

            On a channel that requires approvals, --emergency goes back at once to what the channel offered
            to everybody before. It needs a reason, and the audit log says so.
            """))

    /// `--to`.
    enum Destination: ExpressibleByArgument {
        case version(SemanticVersion)
        case embedded

        init?(argument: String) {
            if argument == "embedded" {
                self = .embedded
            } else if let version = try? SemanticVersion(argument) {
                self = .version(version)
            } else {
                return nil
            }
        }
    }

    @Argument(help: "The package.")
    var package: PackageID

    @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
    var channel: ChannelName

    @Option(help: ArgumentHelp("A published version, or \"embedded\".", valueName: "VERSION|embedded"))
    var to: Destination?

    @Option(help: ArgumentHelp("Why, for who approves the change and for the log.", valueName: "TEXT"))
    var reason: String?

    @Flag(help: "Go back further, even if the package went back with its set already.")
    var again = false

    @OptionGroup var state: StateOption
    @OptionGroup var emergency: EmergencyOptions
    @OptionGroup var consent: ConsentOption
    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let plain: ChannelChange =
            switch to {
            case .version(let version): .rollBack(to: version)
            case .embedded: .rollBackToEmbedded
            case nil: .rollBack(to: nil)
            }
        let change = accepting(plain)
        let session = try await RegistrySession(registry, console: options.console)
        let offered = try await session.registry.overview(of: []).channels[channel] ?? [:]
        // A reason is recorded with a proposal, which is made at once where nobody must approve it.
        var isProposed = emergency.isGiven || reason != nil
        // What the registry refuses, or an older one cannot tell, it says of the change itself.
        if let outcome = try? await session.registry.preview(change, of: package, on: channel, assuming: []) {
            let ways = announcement(outcome, offered)
            // Where others must approve, somebody's yes or reason is not enough, and the registry says what is.
            if outcome.approvals > 0, !emergency.isGiven { isProposed = false }
            if outcome.approvals == 0 || emergency.isGiven || dryRun.isDryRun {
                try requireConsent(outcome, offered, ways)
            }
            if let ways, !dryRun.isDryRun { options.console.note(ways) }
            let embedded = outcome.others.merging([package: outcome.releases]) { $1 }
                .filter { $0.value.first?.offer == .embedded }.keys.sorted().map(\.text)
            if !embedded.isEmpty {
                options.console.note(
                    "A device whose app embeds nothing of \(embedded.joined(separator: ", ")) keeps the version that it confirmed."
                )
            }
        }
        guard !isProposed || dryRun.isDryRun else {
            return try await ChangeText.propose(
                .release(change, of: package), on: channel, emergency.schedule, reason: reason,
                isEmergency: emergency.emergency, session, options)
        }
        try await ReleaseText.change(
            change, of: package, on: channel, before: offered[package] ?? [], among: offered, nil,
            isDryRun: dryRun.isDryRun, emergency: emergency, session, options)
    }

    private func accepting(_ change: ChannelChange) -> ChannelChange {
        // A destination that is named needs no consent to going further.
        again && to == nil ? .accepting([.again, state.consent], change) : state.accepting(change)
    }

    /// Asks before more than the newest release is taken back: a release for some devices may lie above a rollout.
    /// - Parameter ways: of all packages.
    private func requireConsent(_ outcome: ChannelOutcome, _ all: [PackageID: [Release]], _ ways: String?) throws {
        let offered = all[package] ?? []
        guard let newest = offered.first, let place = outcome.releases.first else { return }
        let others = beyond(newest, outcome, all)
        if !others.isEmpty {
            try consent.require(
                isDryRun: dryRun.isDryRun,
                "On \(channel) the rollback of \(package) takes other packages back, for they were in one set with a release of it "
                    + "that goes too: \(others.joined(separator: ", ")). "
                    + (ways ?? "\(package) goes to \(ReleaseText.newest([place]))."),
                options)
        }
        // A destination that is named says so itself, and an emergency does not wait.
        guard to == nil, !emergency.isGiven, offered.count > 1 else { return }
        let gone = offered.prefix { $0.offer != place.offer }
        guard gone.count > 1, let newest = gone.first?.version else { return }
        try consent.require(
            isDryRun: dryRun.isDryRun,
            "On \(channel) the rollback takes back \(gone.count) releases of \(package), not only the newest: "
                + "\(gone.map(ReleaseText.text).joined(separator: ", and ")). All devices go to \(ReleaseText.newest([place])). "
                + "To take only \(newest) back: packtool rollout \(package)@\(newest) --channel \(channel) --percent 0",
            options)
    }

    /// The packages that go back besides those of the newest release's set, each with its way.
    private func beyond(
        _ newest: Release, _ outcome: ChannelOutcome, _ all: [PackageID: [Release]]
    ) -> [String] {
        outcome.others.sorted { $0.key < $1.key }.compactMap { other, releases in
            let before = all[other] ?? []
            let isOfSet = newest.set != nil && before.contains { $0.set == newest.set }
            guard before.first?.id != releases.first?.id else { return nil }
            // More than the set's own release, such as a rollout beneath it.
            let left = before.filter { release in
                !release.rollout.reachesEveryone && !release.rollout.reachesNobody && release.set != newest.set
                    && !releases.contains { $0.id == release.id }
            }
            guard !isOfSet || !left.isEmpty else { return nil }
            return isOfSet
                ? "\(other) leaves \(left.map(ReleaseText.text).joined(separator: ", ")) too"
                : "\(other) from \(ReleaseText.newest(before)) to \(ReleaseText.newest(releases))"
        }
    }

    /// Which packages go back with this one, and where each goes; nil for a release of no set.
    private func announcement(_ outcome: ChannelOutcome, _ offered: [PackageID: [Release]]) -> String? {
        guard offered[package]?.contains(where: { $0.set != nil }) ?? false, !outcome.others.isEmpty else { return nil }
        let places = outcome.others.merging([package: outcome.releases]) { $1 }.sorted { $0.key < $1.key }
        // A package with a newer release than that of the set keeps it.
        let kept = places.filter { member, releases in releases.first?.id == offered[member]?.first?.id }
        let moves = places.filter { member, _ in !kept.contains { $0.key == member } }.map { member, releases in
            (member, "from \(ReleaseText.newest(offered[member])) to \(ReleaseText.newest(releases))")
        }
        let ways = moves.map { member, way in "\(member) \(way)" }.joined(separator: ", ")
        return "On \(channel) "
            + (moves.count > 1
                ? "the whole set goes back, not only \(package): \(ways)."
                : "\(moves.first?.0.text ?? package.text) goes back, \(moves.first?.1 ?? "").")
            + kept.map { member, releases in
                // Devices that have the set leave this package's part of it all the same.
                let part = offered[member]?.first { release in !releases.contains { $0.id == release.id } }?.version
                return " \(member) keeps \(ReleaseText.newest(releases)), which is newer than the set"
                    + (part.map { ": its \($0) of the set is taken back beneath it." } ?? ".")
            }.joined()
    }
}
