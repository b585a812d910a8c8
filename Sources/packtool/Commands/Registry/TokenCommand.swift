import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool token`: manages the access tokens of a registry's server.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Make, list and revoke access tokens.",
        subcommands: [TokenCreateCommand.self, TokenListCommand.self, TokenRevokeCommand.self])
}

/// `packtool token create`.
struct TokenCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a token; its text is shown once and not kept.",
        discussion: HelpText.flowing(
            """
            Without --publish, --release, --observe or --admin the token may publish and release.
            """))

    @Argument(help: "The holder's name in the audit log.")
    var name: String

    @Flag(help: "May publish versions.")
    var publish = false

    @Flag(help: "May change what channels offer.")
    var release = false

    @Flag(help: "May read what devices reported.")
    var observe = false

    @Flag(help: "May do everything, tokens and keys included.")
    var admin = false

    @Option(help: ArgumentHelp("Only this package; may be given several times.", valueName: "ID"))
    var package: [PackageID] = []

    @Option(help: ArgumentHelp("Only this channel; may be given several times.", valueName: "NAME"))
    var channel: [ChannelName] = []

    @Option(help: ArgumentHelp("How many days it is valid (default: 365; 0: for ever).", valueName: "DAYS"))
    var days: Int?

    @Option(help: ArgumentHelp("How many hours it is valid, for a job or a guest.", valueName: "HOURS"))
    var hours: Int?

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (0...36_500).contains(days ?? 0) else { throw ValidationError("--days is a number from 0 to 36500") }
        guard (1...8_760).contains(hours ?? 1) else { throw ValidationError("--hours is a number from 1 to 8760") }
        guard days == nil || hours == nil else { throw ValidationError("give either --days or --hours") }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        var actions: Set<TokenAction> = []
        if publish { actions.insert(.publish) }
        if release { actions.insert(.release) }
        if observe { actions.insert(.observe) }
        if admin { actions.insert(.admin) }
        let scope = TokenScope(
            actions: actions.isEmpty ? [.publish, .release] : actions, packages: package.isEmpty ? nil : Set(package),
            channels: channel.isEmpty ? nil : Set(channel))
        let life = hours.map { Double($0) * 3_600 } ?? Double(days ?? 365) * 86_400
        let expires = days == 0 ? nil : Date().addingTimeInterval(life)
        let token = try await session.registry.createToken(
            TokenRequest(name: name, scope: scope, expires: expires))
        var json = token.record.json
        json["token"] = .string(token.secret)
        options.console.result(token.secret, json: .object(json))
        options.console.note(
            "This is the only time that the token is shown. Use it as PACKTOOL_TOKEN; its id is \(token.record.id), and it "
                + (expires.map { "holds until \($0.formatted(.iso8601))." } ?? "does not expire."))
    }
}

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
            if let revoked = token.revoked {
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
