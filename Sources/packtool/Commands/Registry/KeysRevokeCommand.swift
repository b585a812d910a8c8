import ArgumentParser
import PackFormat
import PackJSON
import PackPublisher
import PackTrust

/// `packtool keys revoke`.
struct KeysRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take the right to publish from a key. Needs the owner's key.",
        discussion: HelpText.flowing(
            """
            What the key signed before is signed anew by this project's publisher key, so
            published versions stay. Withdraw the ones that should not.
            """))

    @Argument(help: "The key's id, or its first 8 digits or more.")
    var key: String

    @Option(help: ArgumentHelp("Only this package (default: every package).", valueName: "ID"))
    var package: PackageID?

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard key.count >= 8 else { throw ValidationError("give at least 8 digits of the key's id") }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let keys = try session.keys.signingKeys()
        let maintenance = try await session.maintenance(console: options.console)
        let (_, targets) = try await maintenance.current()
        let ids = Set(KeyMaintenance.packages(in: targets.body).flatMap(\.keys).map(\.id)).filter { $0.hasPrefix(key) }
        guard let id = ids.first, ids.count == 1 else {
            throw CommandFailure(
                ids.isEmpty
                    ? "no package may be published by a key \(key)…: see packtool keys list"
                    : "\(ids.count) keys begin with \(key): give more digits",
                exitCode: ids.isEmpty ? .nothingToDo : .failed)
        }
        let packages = try await maintenance.revoke(
            keyID: id, package: package, owner: keys.owner, publisher: keys.publisher)
        options.console.result(
            packages.map { "revoked  \(id.prefix(16)) for \($0)" }.joined(separator: "\n"),
            json: .object(["key": .string(id), "packages": .array(packages.map { .string($0.text) })]))
    }
}
