import ArgumentParser
import PackFormat
import PackRegistryAPI

/// `packtool gate`: switches a package's pages to its web site and back, on all devices of a channel.
struct GateCommand: AsyncParsableCommand {
    enum Position: String, EnumerableFlag {
        case on, off
    }

    static let configuration = CommandConfiguration(
        commandName: "gate", abstract: "Let devices load a package's pages online, or from the device again.",
        discussion: """
            The switch for an emergency: with --off, every device of the channel loads the
            package's pages from its first origin, from its next check and next page on.
            A package without origins has no pages then: devices show an error page.
            What is installed stays, and --on brings it back without a download.

            Devices of every version of packtool obey it.
            """)

    @Argument(help: "The package.")
    var package: PackageID

    @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
    var channel: ChannelName

    @Flag(help: "Load the pages online, or from the device.")
    var position: Position

    @OptionGroup var proposal: ProposalOptions
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let sentence =
            switch position {
            case .off:
                "\(channel): the gate of \(package) is off; from their next check on, devices load its pages online"
            case .on: "\(channel): the gate of \(package) is on; from their next check on, devices show what they have"
            }
        try await ChannelSettingText.change(
            .gate(package, isOn: position == .on), on: channel, sentence, proposal, session, options)
    }
}
