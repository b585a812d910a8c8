import ArgumentParser

/// `packtool token`: manages the access tokens of a registry's server.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Make, list and revoke access tokens; trust CI jobs without one.",
        subcommands: [
            TokenCreateCommand.self, TokenListCommand.self, TokenRevokeCommand.self, TokenTrustCommand.self,
            TokenExchangeCommand.self,
        ])
}
