import ArgumentParser
import PackJSON
import PackPublisher
import PackTrust

/// `packtool keys sign`.
struct KeysSignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Add your signature to a proposal. Needs no registry and no network.",
        discussion: HelpText.flowing(
            """
            root is signed with the root key, targets with the owner's, from the project's
            key folder, PACKTOOL_ROOT_KEY or PACKTOOL_OWNER_KEY. Look at what you sign
            first: packtool keys verify FILE.
            """))

    @Argument(help: "The proposal; it is changed in place.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "The key, as file:PATH, env:NAME or command:PROGRAM ARGUMENT …; several times for several keys.",
            valueName: "SOURCE"))
    var key: [String] = []

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let proposal = try ProposalFile.read([file])
        let keys = try KeyProject(registry, console: options.console).keys
        let signers =
            key.isEmpty
            ? try [keys.signer(proposal.keyName)].compactMap(\.self) : try key.map { try keys.signer(from: $0) }
        guard !signers.isEmpty else {
            throw CommandFailure(
                "this needs the \(proposal.keyName.rawValue) key: set \(proposal.keyName.variable), give --key, or "
                    + "run it where the key is")
        }
        try ProposalFile.write(proposal.signed(by: signers), to: file)
        let ids = signers.map(\.publicKey.id)
        options.console.result(
            ids.map { "\(proposal.role.rawValue) version \(proposal.version) signed by \($0.prefix(16))" }
                .joined(separator: "\n"),
            json: .object([
                "role": .string(proposal.role.rawValue), "version": .integer(proposal.version),
                "keys": .array(ids.map { .string($0) }),
            ]))
    }
}
