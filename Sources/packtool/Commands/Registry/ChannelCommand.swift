import ArgumentParser
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool channel`: what a channel tells its devices beside releases.
struct ChannelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract:
            "Show or change how often a channel's devices look for updates, and how many people approve a change.",
        discussion: HelpText.flowing(
            """
            packtool channel beta --poll 15m --jitter 2m

            Apps with the scheduler of PackUpdater obey the interval, and so does packtool-kiosk. Without
            --jitter the jitter is a tenth of the interval. --poll app restores the apps' own interval. Without
            options the command shows the channel's settings.

            packtool channel stable --approvals 1

            From then on, changes of the channel are proposed (--propose), and this number of other people
            must approve them (packtool changes). This needs the right admin. A lower number is itself a
            change that needs the present approvals. On the machine of a registry folder, --emergency with
            --reason lowers it at once, if the approvers are gone.
            """))

    @Argument(help: "The channel.")
    var channel: ChannelName

    @Option(
        help: ArgumentHelp("The time between two checks, 1m to 7d, or app.", valueName: "TIME"),
        transform: { try PollChoice($0) })
    var poll: PollChoice?

    @Option(
        help: ArgumentHelp("The longest random delay that each device adds.", valueName: "TIME"),
        transform: { try PollInterval($0) })
    var jitter: PollInterval?

    @Option(help: ArgumentHelp("How many others must approve a change of the channel, 0 to 20.", valueName: "COUNT"))
    var approvals: Int?

    @Option(help: ArgumentHelp("Why, for who approves the change and for the log.", valueName: "TEXT"))
    var reason: String?

    @OptionGroup var emergency: EmergencyOptions
    @OptionGroup var acceptedYes: AcceptedYes
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard jitter == nil || poll?.interval != nil else { throw ValidationError("--jitter needs --poll TIME") }
        guard poll == nil || approvals == nil else { throw ValidationError("give --poll or --approvals, not both") }
        guard (0...ProposedAction.maximumApprovals).contains(approvals ?? 0) else {
            throw ValidationError("--approvals is a number from 0 to \(ProposedAction.maximumApprovals)")
        }
        guard !emergency.emergency || approvals != nil else {
            throw ValidationError("--emergency goes with --approvals")
        }
        guard !emergency.isGiven && reason == nil || poll != nil || approvals != nil else {
            throw ValidationError("there is nothing to propose: give --poll or --approvals")
        }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        if let approvals {
            let overview = try await session.registry.overview(of: [])
            guard approvals != overview.approvals[channel] ?? 0 else {
                throw CommandFailure(
                    "nothing to do: "
                        + (approvals > 0
                            ? "\(ApprovalWords.required(approvals, on: channel)) already"
                            : "\(channel) requires no approvals"),
                    exitCode: .nothingToDo, kind: "nothingToDo")
            }
            if let warning = NameCheck.unusedChannelNote(channel, in: overview) { options.console.note(warning) }
            // Proposed in any case: a higher number is made at once, and a lower one waits for its approvals.
            return try await ChangeText.propose(
                .approvals(approvals), on: channel, emergency.schedule, reason: reason,
                isEmergency: emergency.emergency, session, options)
        }
        guard let poll else {
            let overview = try await session.registry.overview(of: [])
            try NameCheck.require(channel, in: overview)
            let settings = overview.settings[channel] ?? ChannelSettings()
            let approvals = overview.approvals[channel] ?? 0
            let lines =
                await (approvals > 0 ? [ApprovalWords.required(approvals, on: channel)] : [])
                + ChannelSettingText.lines(
                    settings, of: channel, pages: ChannelSettingText.pages(overview, on: channel, session))
            return options.console.result(
                lines.isEmpty ? "\(channel) has no settings" : lines.joined(separator: "\n"),
                json: .object([
                    "channel": .string(channel.text), "settings": .object(settings.json),
                    "approvals": .integer(approvals),
                ]))
        }
        let wanted = try poll.interval.map { try ChannelPoll(seconds: $0.seconds, jitter: jitter?.seconds) }
        let sentence =
            wanted.map { "\(channel): devices look \($0.text)" }
            ?? "\(channel): devices look as often as their apps have it"
        guard !emergency.schedule.isGiven else {
            return try await ChangeText.propose(
                .setting(.poll(wanted)), on: channel, emergency.schedule, reason: reason, session, options)
        }
        try await ChannelSettingText.change(
            .poll(wanted), on: channel, sentence, nil, session, options)
    }
}
