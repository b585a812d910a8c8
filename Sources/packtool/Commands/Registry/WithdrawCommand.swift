import ArgumentParser
import PackFormat
import PackJSON
import PackRegistry

/// `packtool withdraw`: takes a published version back for good.
struct WithdrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "Take a published version back, for every device and for good.",
        discussion: """
            The publisher's key signs the package without the version, so that no device
            installs it again, whatever a channel offers. Its number is not used again.
            """)

    @Argument(help: "The package and the version.")
    var package: PackageArgument

    @Option(help: ArgumentHelp("Why, for the registry's log.", valueName: "TEXT"))
    var reason: String

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        _ = try package.requiredVersion()
    }

    func run() async throws {
        let version = try package.requiredVersion()
        let session = try RegistrySession(registry, console: options.console)
        let publisher = try await session.publisher(console: options.console)
        try await publisher.withdraw(version, of: package.package, reason: reason)
        options.console.result(
            "withdrew  \(package.package) \(version)",
            json: .object([
                "package": .string(package.package.text), "version": .string(version.description),
                "reason": .string(reason),
            ]))
    }
}
