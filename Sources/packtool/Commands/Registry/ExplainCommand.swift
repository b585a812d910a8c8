import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackRegistry
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

            Below the conditions it prints the release's policy (WAIT: the device waits for it) and
            the step of its plan. With --device it looks up the channel's groups; the id stays on
            this machine.

            --at 2026-11-24T14:00:00Z explains what was offered at that time, which is in the
            past. Groups are those of now.
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

    @Option(
        help: ArgumentHelp("The version of the package that the device runs.", valueName: "V"),
        transform: { try SemanticVersion($0) })
    var current: SemanticVersion?

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
            let names = try await session.registry.overview(of: []).channels.keys.map(\.text).sorted()
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
        var question = DeviceQuestion(
            package, on: channel,
            facts: try facts.facts(device: device ?? "", platform: platform, appVersion: appVersion, tags: tag))
        (question.running, question.time) = (current, at)
        let explanation = try await question.answer(
            file, groups: groups(session),
            plans: session.registry.planProgress(of: package, on: channel, at: at))
        let status = at == nil ? await gatedRollout(session) : nil
        var json = explanation.json
        json["rollout"] = status.map { .object($0.json) }
        let rollout = status.map { status in
            "\nrollout of \(status.version?.description ?? "embedded"): \(status.state.rawValue), \(status.share) of the "
                + "devices: \(status.reason)\n\(RolloutText.next(status))"
                + (status.gate.map { "\ngate: \($0.text)" } ?? "")
        }
        options.console.result(explanation.text + (rollout ?? ""), json: .object(json))
    }

    /// The rollout of the package here whose steps wait for a gate, for those who may see it: with it the command says more
    /// than a device and `GET /v1/explain` do.
    private func gatedRollout(_ session: RegistrySession) async -> RolloutStatus? {
        try? await session.registry.rollouts(of: package).first {
            $0.channel == channel && $0.state != .rolledBack && $0.gate != nil
        }
    }

    /// The groups of the channel that the device is in, by their files: the id is compared here.
    private func groups(_ session: RegistrySession) async throws -> Set<String> {
        guard let device, let file = try await session.registry.channelFile(channel, at: nil) else { return [] }
        var names: Set<String> = []
        for name in file.groups(namedBy: file.packages.values) {
            guard let digest = file.groups[name]?.digest else { continue }
            let path = ViewPath.group(channel, name, digest)
            let bytes = try await session.registry.viewFile(path, maximumByteCount: DeviceGroup.maximumByteCount)
            guard let bytes else {
                throw CommandFailure("the registry lacks the file of the group \(name), \(path)", kind: "unusable")
            }
            if try DeviceGroup(parsing: bytes).contains(device: device) { names.insert(name) }
        }
        return names
    }
}
