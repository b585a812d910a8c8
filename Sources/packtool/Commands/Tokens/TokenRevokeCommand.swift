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
            // A script that takes "so already" for success must not do so for an id that is none.
            guard try await session.registry.tokens().contains(where: { $0.id == id }) else {
                throw CommandFailure(
                    "there is no token with the id \(id), and nothing was revoked: packtool token list has the ids",
                    kind: RegistryError.Kind.notFound.rawValue)
            }
            throw CommandFailure("nothing to do: the token \(id) was revoked before", exitCode: .nothingToDo)
        }
        options.console.result("revoked  \(id)", json: .object(["id": .string(id), "revoked": true]))
    }
}
