import ArgumentParser
import Foundation
import PackBuilder
import PackFormat
import PackJSON
import PackRegistry

/// `packtool preset`: what an app embeds, so that its first start needs no network.
struct PresetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preset",
        abstract: "Write the packages that an app embeds at build time.",
        discussion: """
            Without @VERSION: what the channel offers to everyone. The folder goes into
            the app's resources; it holds signed metadata, manifests and content, and
            installs like a download. An older preset in the folder is replaced.
            """)

    @Argument(help: ArgumentHelp("The packages.", valueName: "PACKAGE[@VERSION]"))
    var packages: [PackageArgument]

    @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
    var channel: ChannelName

    @Option(help: ArgumentHelp("The folder to write.", valueName: "DIR"), completion: .directory)
    var out: String

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try RegistrySession(registry, console: options.console)
        let anchor = try await TrustAnchor(project: session.project, registry: session.registry)
        let writer = PresetWriter(registry: session.registry, root: anchor.root)
        let unnamed = packages.filter { $0.version == nil }.map(\.package)
        var versions = try await writer.versions(of: unnamed, on: channel)
        for named in packages { versions[named.package] = named.version ?? versions[named.package] }
        let preset = try await writer.write(versions, to: URL(filePath: out, directoryHint: .isDirectory).absoluteURL)
        let names = preset.packages.sorted { $0.key < $1.key }
        options.console.result(
            "wrote  \(out)  \(names.map { "\($0.key) \($0.value)" }.joined(separator: ", "))  "
                + "\(preset.fileCount) files, \(ByteCount.text(preset.size))",
            json: .object([
                "out": .string(out), "fileCount": .integer(preset.fileCount), "size": .integer(preset.size),
                "packages": .object(JSONObject(names.map { ($0.key.text, .string($0.value.description)) })),
            ]))
    }
}
