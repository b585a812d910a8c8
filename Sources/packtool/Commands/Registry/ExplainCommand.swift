import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool explain`: what a device gets of a package, and why.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Tell what a device gets on a channel, and why.",
        discussion: HelpText.flowing(
            """
            Lists every release of the package, newest first, with every condition, whether the device meets
            it, and the value that was seen. packtool client explain prints the same on a device. A fact that
            you do not give is unknown, and a condition on it is not met.

            --at 2026-11-24T14:00:00Z explains what was offered at that time.
            """))

    @Argument(help: "The package.")
    var package: PackageID

    @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
    var channel: ChannelName

    @Option(help: ArgumentHelp("The device's id, which decides about shares.", valueName: "ID"))
    var device: String?

    @Option(help: ArgumentHelp("The platform, such as ios.", valueName: "NAME"))
    var platform: String?

    @Option(help: ArgumentHelp("The app's version.", valueName: "V"))
    var appVersion: String?

    @Option(help: ArgumentHelp("A tag of the device; may be given several times.", valueName: "K=V"))
    var tag: [String] = []

    @Option(
        help: ArgumentHelp("A past moment, such as 2026-11-24T14:00:00Z.", valueName: "TIME"),
        transform: { try WireTime.date($0, field: "--at") })
    var at: Date?

    @OptionGroup var facts: DeviceOptions
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard tag.allSatisfy({ $0.contains("=") }) else { throw ValidationError("--tag takes KEY=VALUE") }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        guard let file = try await session.registry.channelFile(channel, at: at) else {
            let names = try await session.registry.overview().channels.keys.map(\.text).sorted()
            let list = names.isEmpty ? "none yet" : names.joined(separator: ", ")
            throw CommandFailure(
                at == nil
                    ? "there is no channel \(channel) (there is: \(list))"
                    : "nothing had been offered on the channel \(channel) by then (there is now: \(list))",
                kind: "notFound")
        }
        guard file.packages[package] != nil else {
            let names = file.packages.keys.sorted().map(\.text).joined(separator: ", ")
            throw CommandFailure("\(channel) has nothing of \(package) (it has: \(names))", kind: "notFound")
        }
        let explanation = RolloutExplanation(
            package, in: file,
            for: try facts.facts(device: device ?? "", platform: platform, appVersion: appVersion, tags: tag),
            notes: at.map { ["at \(WireTime.text($0))"] } ?? [])
        let status = at == nil ? await rollout(session) : nil
        var json = explanation.json
        json["rollout"] = status.map { .object($0.json) }
        let rollout = status.map { status in
            "\nrollout of \(status.version?.description ?? "embedded"): \(status.state.rawValue), \(status.share) of the "
                + "devices: \(status.reason)\n\(RolloutText.next(status))"
                + (status.gate.map { "\ngate: \($0.text)" } ?? "")
        }
        options.console.result(explanation.text + (rollout ?? ""), json: .object(json))
    }

    /// The plan of the package here, if there is one and the caller may see it.
    private func rollout(_ session: RegistrySession) async -> RolloutStatus? {
        try? await session.registry.rollouts(of: package).first { $0.channel == channel && $0.state != .rolledBack }
    }
}
