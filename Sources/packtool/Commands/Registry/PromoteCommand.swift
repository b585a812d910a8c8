import ArgumentParser
import PackFormat
import PackRegistry

/// `packtool promote`: offers on one channel what another one offers to everyone.
struct PromoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote", abstract: "Offer a version of one channel on another.",
        discussion: """
            Without a version: the newest one that the first channel offers to all devices.
            """)

    @Argument(help: "The package, and the version if it is not the newest.")
    var package: PackageArgument

    @Option(help: ArgumentHelp("The channel that offers it.", valueName: "NAME"))
    var from: ChannelName

    @Option(help: ArgumentHelp("The channel that shall offer it.", valueName: "NAME"))
    var to: ChannelName

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await ReleaseText.change(
            .promote(package.version, from: from), of: package.package, on: to, registry, options)
    }
}
