import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool rules`: what pages load from the device, from the network, or not at all, on all devices of a channel.
struct RulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules", abstract: "Show or change the web rules that a channel gives its devices.",
        discussion: HelpText.flowing(
            """
            {"format": 1, "rules": [
              {"name": "films", "action": "online", "types": ["video/*"], "minimumSize": 5000000},
              {"name": "ads", "action": "deny", "host": "*.ads.example"}]}

            The first rule whose conditions all hold decides: local, online or deny. The app's own rules have
            precedence. The rules apply to pages that open after a device's next check. They cannot use "api"
            (docs/ROLLOUTS.md).

            Without a file and without --clear, the command prints the rules of the channel.
            """))

    @Argument(help: ArgumentHelp("The new rules (JSON); they replace all rules of the channel.", valueName: "FILE"))
    var file: String?

    @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
    var channel: ChannelName

    @Flag(help: "Remove the channel's rules.")
    var clear = false

    @OptionGroup var proposal: ProposalOptions
    @OptionGroup var acceptedYes: AcceptedYes
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard !clear || file == nil else { throw ValidationError("give a file, or else --clear") }
    }

    func run() async throws {
        let rules = try file.map { try Self.rules($0) }
        let session = try await RegistrySession(registry, console: options.console)
        guard rules != nil || clear else {
            let known = try await ChannelSettingText.settings(of: channel, session).rules
            let json = known.map { JSONValue.object($0.json) }
            return options.console.result(
                json?.prettyText ?? "\(channel) has no web rules",
                json: .object(["channel": .string(channel.text), "rules": json ?? .null]))
        }
        let sentence =
            rules.map {
                "\(channel): devices have \(CountText.text($0.rules.count, "web rule")) from their next check on"
            }
            ?? "\(channel): devices have no web rules of the channel from their next check on"
        try await ChannelSettingText.change(.rules(rules), on: channel, sentence, proposal, session, options)
    }

    private static func rules(_ path: String) throws -> WebRules {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("the file \(path) cannot be read")
        }
        do { return try WebRules(parsing: data) } catch { throw CommandFailure("\(path): \(error)") }
    }
}
