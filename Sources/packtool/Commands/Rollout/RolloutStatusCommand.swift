import ArgumentParser
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool rollout status`: where rollouts are.
struct RolloutStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show plans: their state, the next step, its time and its reason.",
        discussion: HelpText.flowing(
            """
            With a package, the command shows its newest plan of each channel with all steps.
            Without a package, it lists the newest plan of each package and channel, a line
            each, of those that the token may release or observe.
            """))

    @Argument(help: "The package (default: a line for each plan of all packages).")
    var package: PackageID?

    @Option(help: ArgumentHelp("One channel only.", valueName: "NAME"))
    var channel: ChannelName?

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let all = try await session.registry.rollouts(of: package)
        let shown = all.filter { channel == nil || $0.channel == channel }
        let overview = try await session.registry.overview()
        if shown.isEmpty {
            if let package { try NameCheck.require(package, in: overview) }
            if let channel { try NameCheck.require(channel, in: overview) }
        }
        options.console.result(
            text(shown, overview), json: .object(["rollouts": .array(shown.map { .object(json($0, overview)) })]))
    }

    private func text(_ shown: [RolloutStatus], _ overview: RegistryOverview) -> String {
        let place = channel.map { " on \($0)" } ?? ""
        guard !shown.isEmpty else { return "no release\(package.map { " of \($0)" } ?? "")\(place) has a plan" }
        guard package != nil else {
            return RolloutText.overview(shown.map { ($0, overview.offered($0)) })
        }
        return shown.map { RolloutText.status($0, overview.offered($0)) }.joined(separator: "\n\n")
    }

    /// With what only the channel's releases tell.
    private func json(_ status: RolloutStatus, _ overview: RegistryOverview) -> JSONObject {
        var json = status.json
        let offered = overview.offered(status)
        json["supersededBy"] = status.superseding(offered).map { .string($0.version?.description ?? "embedded") }
        json["offeredAgain"] = status.offeredAgain(offered).map { .string($0.id) }
        let audiences = offered.first { $0.id == status.release }?.rollout.audiences ?? []
        if !audiences.isEmpty { json["audiences"] = .array(audiences.map { .string($0.description) }) }
        return json
    }
}

extension RegistryOverview {
    /// What the channel of a rollout offers of its package, newest first.
    func offered(_ status: RolloutStatus) -> [Release] { channels[status.channel]?[status.package] ?? [] }
}
