import ArgumentParser
import PackJSON
import PackRegistryAPI

/// `packtool token revoke`.
struct TokenRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "revoke", abstract: "Revoke a token at once.")

    @Argument(help: "The token's id, as list shows it.")
    var id: String

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        guard try await session.registry.revokeToken(id: id) else {
            throw CommandFailure(
                "there is no valid token with the id \(id): see packtool token list", exitCode: .nothingToDo)
        }
        options.console.result("revoked  \(id)", json: .object(["id": .string(id), "revoked": true]))
    }
}
