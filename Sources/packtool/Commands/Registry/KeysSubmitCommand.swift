import ArgumentParser
import PackJSON
import PackPublisher
import PackRegistryLocal
import PackTrust

/// `packtool keys submit`.
struct KeysSubmitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit", abstract: "Hand in a proposal that enough people have signed.",
        discussion: "Several copies of one proposal are joined. Over HTTP it needs an administrator's token.")

    @Argument(help: "The proposal, or several copies of it.")
    var file: [String]

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let proposal = try ProposalFile.read(file)
        let session = try await RegistrySession(registry, console: options.console)
        let maintenance = try await session.maintenance(console: options.console)
        try await maintenance.submit(proposal, local: session.local)
        options.console.result(
            "\(proposal.role.rawValue) is now version \(proposal.version)",
            json: .object([
                "role": .string(proposal.role.rawValue), "version": .integer(proposal.version),
            ]))
    }
}
