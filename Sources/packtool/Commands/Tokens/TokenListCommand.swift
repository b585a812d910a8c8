import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool token list`.
struct TokenListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the tokens.")

    @Flag(help: "Also the expired tokens of CI jobs, of which each job leaves one. With --json they are always there.")
    var all = false

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let tokens = try await session.registry.tokens().sorted { Self.kind($0).rank < Self.kind($1).rank }
        let now = Date()
        let left = all ? [] : tokens.filter { $0.parent != nil && $0.isExpired(at: now) }
        let gone = Set(left.map(\.id))
        options.console.result(
            text(tokens.filter { !gone.contains($0.id) }),
            json: .object(["tokens": .array(tokens.map { .object($0.json) })]))
        if !gone.isEmpty, !options.json {
            options.console.note("\(CountText.text(gone.count, "expired token")) of jobs: --all lists them")
        }
    }

    private func text(_ tokens: [TokenRecord]) -> String {
        guard !tokens.isEmpty else { return "there are no tokens" }
        let trusts = Set(tokens.filter { $0.trust != nil && $0.revoked == nil }.map(\.id))
        let rows = tokens.map { token in
            let actions = token.scope.actions.map(\.rawValue).sorted().joined(separator: ", ")
            let packages = token.scope.packages.map { $0.sorted().map(\.text).joined(separator: ", ") } ?? "all"
            let channels = token.scope.channels.map { $0.sorted().map(\.text).joined(separator: ", ") } ?? "all"
            let state: String
            if let trust = token.trust, token.revoked == nil {
                let claims = trust.claims.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                state =
                    "for jobs of \(trust.issuer), audience \(trust.audience): " + claims.joined(separator: ", ")
                    + (trust.admitsAnyRef ? "; of every branch, so whoever can push one gets these rights" : "")
            } else if let revoked = token.revoked {
                state = "revoked \(revoked.formatted(.iso8601))"
            } else if let parent = token.parent, !trusts.contains(parent) {
                state = "ended, because its trust \(parent) was revoked"
            } else if let expires = token.expires {
                state = (token.isExpired(at: Date()) ? "expired " : "until ") + expires.formatted(.iso8601)
            } else {
                state = "does not expire"
            }
            return [token.id, Self.kind(token).word, token.name, actions, packages, channels, state]
        }
        return TextTable.lines([["ID", "KIND", "NAME", "MAY", "PACKAGES", "CHANNELS", "HOLDS"]] + rows)
            .joined(separator: "\n")
    }

    /// Tokens of people and machines first, then whom the registry trusts, then what jobs got by that.
    private static func kind(_ token: TokenRecord) -> (rank: Int, word: String) {
        if token.trust != nil { return (1, "trust") }
        return token.parent == nil ? (0, "token") : (2, "job")
    }
}
