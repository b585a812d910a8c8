import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool token list`.
struct TokenListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the tokens.")

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let tokens = try await session.registry.tokens()
        options.console.result(text(tokens), json: .object(["tokens": .array(tokens.map { .object($0.json) })]))
    }

    private func text(_ tokens: [TokenRecord]) -> String {
        guard !tokens.isEmpty else { return "there are no tokens" }
        let rows = tokens.map { token in
            let actions = token.scope.actions.map(\.rawValue).sorted().joined(separator: ", ")
            let packages = token.scope.packages.map { $0.sorted().map(\.text).joined(separator: ", ") } ?? "all"
            let channels = token.scope.channels.map { $0.sorted().map(\.text).joined(separator: ", ") } ?? "all"
            let state: String
            if let trust = token.trust, token.revoked == nil {
                let claims = trust.claims.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                state = "for jobs of \(trust.issuer), audience \(trust.audience): " + claims.joined(separator: ", ")
            } else if let revoked = token.revoked {
                state = "revoked \(revoked.formatted(.iso8601))"
            } else if let expires = token.expires {
                state = (expires <= Date() ? "expired " : "until ") + expires.formatted(.iso8601)
            } else {
                state = "does not expire"
            }
            return [token.id, token.name, actions, packages, channels, state]
        }
        return TextTable.lines([["ID", "NAME", "MAY", "PACKAGES", "CHANNELS", "HOLDS"]] + rows)
            .joined(separator: "\n")
    }
}
