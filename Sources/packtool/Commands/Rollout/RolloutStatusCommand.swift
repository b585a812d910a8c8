import ArgumentParser
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool rollout status`: where a package's rollouts are.
struct RolloutStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the plans of a package: their state, the next step, its time and its reason.")

    @Argument(help: "The package.")
    var package: PackageID

    @Option(help: ArgumentHelp("One channel only.", valueName: "NAME"))
    var channel: ChannelName?

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let all = try await session.registry.rollouts(of: package)
        let shown = all.filter { channel == nil || $0.channel == channel }
        if shown.isEmpty {
            let overview = try await session.registry.overview()
            try NameCheck.require(package, in: overview)
            if let channel { try NameCheck.require(channel, in: overview) }
        }
        let place = channel.map { " on \($0)" } ?? ""
        options.console.result(
            shown.isEmpty
                ? "no release of \(package)\(place) has a plan"
                : shown.map(RolloutText.status).joined(separator: "\n\n"),
            json: .object(["rollouts": .array(shown.map { .object($0.json) })]))
    }
}
