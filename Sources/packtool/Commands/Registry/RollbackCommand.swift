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
            before. --dry-run shows which devices go where, and changes nothing.

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

    @OptionGroup var state: StateOption
    @OptionGroup var emergency: EmergencyOptions
    @OptionGroup var acceptedYes: AcceptedYes
    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard reason == nil || emergency.isGiven else {
            throw ValidationError("--reason goes with --emergency, --propose or --at")
        }
    }

    func run() async throws {
        let plain: ChannelChange =
            switch to {
            case .version(let version): .rollBack(to: version)
            case .embedded: .rollBackToEmbedded
            case nil: .rollBack(to: nil)
            }
        let change = state.accepting(plain)
        let session = try await RegistrySession(registry, console: options.console)
        guard !emergency.isGiven || dryRun.isDryRun else {
            return try await ChangeText.propose(
                .release(change, of: package), on: channel, emergency.schedule, reason: reason,
                isEmergency: emergency.emergency, session, options)
        }
        let releases = try await session.registry.overview().channels[channel]?[package] ?? []
        try await ReleaseText.change(
            change, of: package, on: channel, before: releases, nil, isDryRun: dryRun.isDryRun, session,
            options)
    }
}
