import ArgumentParser
import Foundation
import PackBuilder
import PackFormat
import PackJSON
import PackPublisher
import PackRegistryAPI

/// `packtool preset`: writes what an app embeds, so that it has pages on its first start.
struct PresetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preset", abstract: "Write published versions for the app to embed.",
        discussion: HelpText.flowing(
            """
            Without a version: the newest one that the channel offers to all devices. The shared bundles that a version \
            pins are included. Everything is verified with the project's root.json.
            """))

    @Argument(help: "The packages, each with a version if it is not the newest.")
    var packages: [PackageArgument]

    @Option(help: ArgumentHelp("The channel that says which version is the newest.", valueName: "NAME"))
    var channel: ChannelName

    @Option(help: ArgumentHelp("The folder to write.", valueName: "DIR"))
    var out: String

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let overview = try await session.registry.overview()
        try NameCheck.require(channel, in: overview)
        for package in packages { try NameCheck.require(package.package, in: overview) }
        let offered = overview.channels[channel] ?? [:]
        var wanted: [PackageID: SemanticVersion] = [:]
        for package in packages {
            let newest = offered[package.package]?.first { $0.rollout.reachesEveryone }?.version
            guard let version = package.version ?? newest else {
                throw CommandFailure(
                    "\(channel) offers no version of \(package.package) to all devices (it offers "
                        + "\(ReleaseText.text(offered[package.package] ?? []))): name one with \(package.package)@VERSION"
                )
            }
            guard overview.versions[package.package]?.contains(where: { $0.version == version }) ?? false else {
                let names = overview.versions[package.package]?.prefix(20).map(\.version.description) ?? []
                throw CommandFailure(
                    "\(package.package) \(version) is not published (there is: "
                        + "\(names.isEmpty ? "none yet" : names.joined(separator: ", "))): packtool status lists what is"
                )
            }
            wanted[package.package] = version
        }
        // The small downloads, not those that a publication left in a hurry.
        await session.finish(console: options.console)
        let anchor = try await TrustAnchor(project: session.project, registry: session.registry)
        let report = try await PresetWriter(registry: session.registry, root: anchor.root).write(
            wanted, to: URL(filePath: out, directoryHint: .isDirectory))
        let versions = report.versions.sorted { $0.key < $1.key }
        options.console.result(
            (versions.map { "\($0.key) \($0.value)" } + ["wrote \(out): \(ByteCount.text(report.size))"])
                .joined(separator: "\n"),
            json: .object([
                "out": .string(out), "size": .integer(report.size),
                "versions": .object(JSONObject(versions.map { ($0.key.text, .string($0.value.description)) })),
            ]))
    }
}
