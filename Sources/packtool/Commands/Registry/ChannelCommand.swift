import ArgumentParser
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool channel`: what a channel tells its devices beside releases.
struct ChannelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel", abstract: "Show or change how often a channel's devices look for updates.",
        discussion: HelpText.flowing(
            """
            packtool channel beta --poll 15m --jitter 2m

            Apps with the scheduler of PackUpdater obey the interval, and so does packtool-kiosk. Without
            --jitter the jitter is a tenth of the interval. --poll app restores the apps' own interval. Without
            options the command shows the channel's settings.
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

    @OptionGroup var acceptedYes: AcceptedYes
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard jitter == nil || poll?.interval != nil else { throw ValidationError("--jitter needs --poll TIME") }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        guard let poll else {
            let settings = try await ChannelSettingText.settings(of: channel, session)
            let lines = ChannelSettingText.lines(settings, of: channel)
            return options.console.result(
                lines.isEmpty ? "\(channel) has no settings" : lines.joined(separator: "\n"),
                json: .object(["channel": .string(channel.text), "settings": .object(settings.json)]))
        }
        let wanted = try poll.interval.map { try ChannelPoll(seconds: $0.seconds, jitter: jitter?.seconds) }
        let sentence =
            wanted.map { "\(channel): devices look \(ChannelSettingText.text($0))" }
            ?? "\(channel): devices look as often as their apps have it"
        try await ChannelSettingText.change(.poll(wanted), on: channel, sentence, session, options)
    }
}
