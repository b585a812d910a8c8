import ArgumentParser
import Foundation
import PackJSON
import PackRegistryAPI

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

    @OptionGroup var rights: TokenScopeOptions

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
        let life = hours.map { Double($0) * 3_600 } ?? Double(days ?? 365) * 86_400
        let expires = days == 0 ? nil : Date().addingTimeInterval(life)
        let token = try await session.registry.createToken(
            TokenRequest(name: name, scope: rights.scope, expires: expires))
        var json = token.record.json
        json["token"] = .string(token.secret)
        options.console.result(token.secret, json: .object(json))
        options.console.note(
            "This is the only time that the token is shown. Use it as PACKTOOL_TOKEN; its id is \(token.record.id), and it "
                + (expires.map { "holds until \($0.formatted(.iso8601))." } ?? "does not expire."))
        await rights.noteUnknownNames(session, options.console)
        if rights.scope.actions.contains(.release) { await noteSameName(as: token.record, session) }
    }
    /// A token is a person to approvals: somebody with two could approve what they proposed.
    private func noteSameName(as made: TokenRecord, _ session: RegistrySession) async {
        let now = Date()
        let others = ((try? await session.registry.tokens()) ?? []).filter { token in
            token.name == made.name && token.id != made.id && token.revoked == nil && token.parent == nil
                && !token.isExpired(at: now)
        }
        guard let other = others.first else { return }
        options.console.note(
            "warning: there is a token \(other.name) (\(other.id)) already, and where changes need approvals, the two count as two "
                + "people. If it is the same one, revoke it: packtool token revoke \(other.id)")
    }
}
