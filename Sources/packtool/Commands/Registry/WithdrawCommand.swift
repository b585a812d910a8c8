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
        let minimum = await requireNewest(session)
        options.console.result(
            "withdrew  \(package.package) \(version)",
            json: .object([
                "package": .string(package.package.text), "version": .string(version.description),
                "reason": .string(reason), "minimum": minimum.map { .integer($0) } ?? .null,
            ]))
    }

    /// The withdrawal holds for who has seen it. For devices that have seen nothing yet the owner signs it too; where
    /// that cannot be now, it is said what remains.
    private func requireNewest(_ session: RegistrySession) async -> Int? {
        var why = "the owner's key is not here"
        do {
            let owner = try session.keys.signingKeys().owner
            if !owner.isEmpty {
                return try await session.maintenance(console: options.console).requireNewest(
                    of: package.package, owner: owner
                ).version
            }
        } catch {
            why = "the owner's key could not sign it: \(error)"
        }
        options.console.note(
            """
            It holds for every device that has seen the withdrawal. One that has seen nothing of \(package.package) yet
            could still be shown the version by somebody who stole the registry's online key: \(why).
            The app's owner ends that with:  packtool keys newest \(package.package)
            """)
        return nil
    }
}
