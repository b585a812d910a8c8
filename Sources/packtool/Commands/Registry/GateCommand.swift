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
            first of the origins of its version (packtool.json), with the next page after its next check. A
            device whose version lists no origins shows an error page. If the channel offers such a version,
            the command names it and asks first, unless you pass --yes. Installed versions stay, so --on
            needs no download.

            Devices of every version of packtool obey the gate. Without --on and --off the command shows it.
            """))

    @Argument(help: "The package.")
    var package: PackageID

    @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
    var channel: ChannelName

    @Flag(help: "on: pages load from the device. off: pages load online, where the version lists origins.")
    var position: Position?

    @Option(help: ArgumentHelp("Why, for the log and for who approves the change.", valueName: "TEXT"))
    var reason: String?

    @OptionGroup var schedule: ScheduleOptions
    @OptionGroup var consent: ConsentOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard reason == nil || position == .off || schedule.isGiven else {
            throw ValidationError("--reason goes with --off, --propose or --at")
        }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        guard let position else { return try await show(session) }
        let sentence =
            switch position {
            case .off:
                "\(channel): the gate of \(package) is off; from their next check on, \(try await askedPages(session))"
            case .on: "\(channel): the gate of \(package) is on; from their next check on, devices show what they have"
            }
        let setting = ChannelSetting.gate(package, isOn: position == .on)
        // A reason is recorded with a proposal, which is made at once: off needs no approval.
        guard !schedule.isGiven, reason == nil else {
            return try await ChangeText.propose(
                .setting(setting), on: channel, schedule, reason: reason, session, options)
        }
        try await ChannelSettingText.change(setting, on: channel, sentence, nil, session, options)
    }

    /// What devices show with the gate off, after a question if that is an error page on some of them.
    private func askedPages(_ session: RegistrySession) async throws -> String {
        let overview = try await session.registry.overview(of: [])
        // The registry refuses what it does not know. What cannot be read is told, and stops no emergency.
        let pages = await OnlinePages(
            of: package, overview.channels[channel]?[package] ?? [], in: session.registry)
        let isOff = overview.settings[channel]?.gatesOff.contains(package) ?? false
        if !isOff, let why = pages.why {
            try consent.require(
                "\(why), so there are no pages on the web to load: with the gate of \(package) on \(channel) off, devices that "
                    + "have \(pages.versionsWithoutOrigins.count == 1 ? "it" : "them") show an error page from their next check "
                    + "on. To have pages from the web site instead, publish a version with \"origins\" in packtool.json first; "
                    + "packtool rollback takes devices back to another version.",
                options)
        }
        return pages.text
    }

    private func show(_ session: RegistrySession) async throws {
        let overview = try await session.registry.overview(of: [])
        try NameCheck.require(channel, in: overview)
        guard let releases = overview.channels[channel]?[package] else {
            throw CommandFailure("\(channel) never offered anything of \(package)", kind: "notFound")
        }
        let settings = overview.settings[channel] ?? ChannelSettings()
        let isOff = settings.gatesOff.contains(package)
        let pages =
            isOff
            ? await OnlinePages(of: package, releases, in: session.registry).text : "pages load from the device"
        options.console.result(
            "\(channel): the gate of \(package) is \(isOff ? "off" : "on"): \(pages)",
            json: .object(["channel": .string(channel.text), "settings": .object(settings.json)]))
    }
}
