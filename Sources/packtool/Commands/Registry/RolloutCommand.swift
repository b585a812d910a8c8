import ArgumentParser
import PackFormat
import PackRegistry

/// `packtool rollout`: changes who gets a channel's newest release.
struct RolloutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollout", abstract: "Change the share of devices that get a channel's newest release.")

    @Argument(help: "The package.")
    var package: PackageID

    @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
    var channel: ChannelName

    @Option(help: ArgumentHelp("The share of devices, 0 to 100; who is in stays in.", valueName: "P"))
    var percent: Int?

    @Flag(help: "Let devices on which the release failed try it once more.")
    var retry = false

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (percent != nil) != retry else { throw ValidationError("give either --percent P or --retry") }
        guard (0...100).contains(percent ?? 0) else { throw ValidationError("--percent is a number from 0 to 100") }
    }

    func run() async throws {
        let change: ChannelChange = try percent.map { .percent(try Rollout(percent: $0)) } ?? .retry
        try await ReleaseText.change(change, of: package, on: channel, registry, options)
    }
}
