import ArgumentParser
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool gate`: switches a package's pages to its web site and back, on all devices of a channel.
struct GateCommand: AsyncParsableCommand {
    enum Position: String, EnumerableFlag {
        case on, off
    }

    static let configuration = CommandConfiguration(
        commandName: "gate", abstract: "Let devices load a package's pages online, or from the device again.",
        discussion: HelpText.flowing(
            """
            For emergencies: with --off, every device of the channel loads the package's pages from the
            package's first origin, with the next page after its next check. If the package has no origins,
            devices show an error page. Installed versions stay, so --on needs no download.

            Devices of every version of packtool obey the gate. Without --on and --off the command shows it.
            """))

    @Argument(help: "The package.")
    var package: PackageID

    @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
    var channel: ChannelName

    @Flag(help: "on: pages load from the device. off: pages load online.")
    var position: Position?

    @OptionGroup var proposal: ProposalOptions
    @OptionGroup var acceptedYes: AcceptedYes
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        guard let position else { return try await show(session) }
        let sentence =
            switch position {
            case .off:
                "\(channel): the gate of \(package) is off; from their next check on, devices load its pages online"
            case .on: "\(channel): the gate of \(package) is on; from their next check on, devices show what they have"
            }
        try await ChannelSettingText.change(
            .gate(package, isOn: position == .on), on: channel, sentence, proposal, session, options)
    }

    private func show(_ session: RegistrySession) async throws {
        let overview = try await session.registry.overview()
        try NameCheck.require(channel, in: overview)
        guard overview.channels[channel]?[package] != nil else {
            throw CommandFailure("\(channel) never offered anything of \(package)", kind: "notFound")
        }
        let settings = overview.settings[channel] ?? ChannelSettings()
        let isOff = settings.gatesOff.contains(package)
        options.console.result(
            "\(channel): the gate of \(package) is \(isOff ? "off: devices load its pages online" : "on: pages load from the device")",
            json: .object(["channel": .string(channel.text), "settings": .object(settings.json)]))
    }
}
