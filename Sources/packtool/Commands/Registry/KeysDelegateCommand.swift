import ArgumentParser
import PackFormat
import PackJSON
import PackPublisher
import PackTrust

/// `packtool keys delegate`.
struct KeysDelegateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delegate", abstract: "Let a key publish a package. Needs the owner's key.")

    @Argument(help: "The package; it need not exist yet.")
    var package: PackageID

    @Option(
        help: ArgumentHelp(
            "A public key, as packtool keys generate prints it, or a PEM file (default: this project's publisher key).",
            valueName: "KEY"))
    var key: [String] = []

    @Option(
        help: ArgumentHelp(
            "Write a proposal for several owners to sign, and change nothing yet (see packtool keys propose).",
            valueName: "FILE"))
    var out: String?

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let keys = try session.keys.signingKeys()
        let given = try key.map { try KeyText.parse($0) }
        let publishers = given.isEmpty ? keys.publisher.map(\.publicKey) : given
        guard !publishers.isEmpty else { throw CommandFailure("there is no key to delegate to: give --key") }
        let maintenance = try await session.maintenance(console: options.console)
        if let out {
            try ProposalFile.write(try await maintenance.proposeDelegation(of: package, to: publishers), to: out)
            options.console.result(out, json: .object(["files": [.string(out)]]))
            return
        }
        let isChanged = try await maintenance.delegate(package, to: publishers, owner: keys.owner)
        options.console.result(
            publishers.map { "\(package) may be published by \($0.id.prefix(16))" }.joined(separator: "\n"),
            json: .object([
                "package": .string(package.text), "changed": .bool(isChanged),
                "keys": .array(publishers.map { .object(KeyText.json($0)) }),
            ]))
        if !isChanged {
            options.console.note("nothing to do: that was so before")
            throw ExitCode.nothingToDo
        }
    }
}
