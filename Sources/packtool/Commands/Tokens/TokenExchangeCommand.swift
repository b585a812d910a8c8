import ArgumentParser
import Foundation
import PackJSON
import PackPublisher
import PackRegistryAPI

/// `packtool token exchange`: makes a short token of a CI job's id token.
struct TokenExchangeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exchange", abstract: "Get a token of 15 minutes for the CI job that this runs in.",
        discussion: HelpText.flowing(
            """
            PACKTOOL_TOKEN=$(packtool token exchange)

            Export it in a line of its own, so that the job ends where this fails. In GitHub Actions the job needs permissions: id-token: write. In GitLab CI it names PACKTOOL_ID_TOKEN below id_tokens, with \
            the registry's URL as aud. Elsewhere PACKTOOL_ID_TOKEN has the id token. The registry must trust the job: packtool token \
            trust.
            """))

    @Option(help: ArgumentHelp("The trust that is meant, if several admit the job.", valueName: "ID"))
    var trust: String?

    @Option(help: ArgumentHelp("The audience of GitHub's id token (default: the registry's URL).", valueName: "TEXT"))
    var audience: String?

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try registry.authorities.trust()
        guard case .server(let url) = try registry.location(of: CurrentProject()) else {
            throw CommandFailure(
                "tokens are for a registry's server: give its URL with --registry or PACKTOOL_REGISTRY")
        }
        let environment = ProcessInfo.processInfo.environment
        let idToken = try await JobIDToken.read(environment, audience: audience ?? AudienceText.of(url))
        let remote = try RemoteRegistry(
            url.absoluteString, token: nil, retry: try ServerPatience.policy(options.console))
        let token = try await remote.exchange(TokenExchangeRequest(idToken: idToken, trust: trust))
        // GitHub then hides it wherever a later step prints it.
        if environment["GITHUB_ACTIONS"] == "true" {
            FileHandle.standardError.write(Data("::add-mask::\(token.secret)\n".utf8))
        }
        var json = token.record.json
        json["token"] = .string(token.secret)
        options.console.result(token.secret, json: .object(json))
        options.console.note("\(token.record.name): the token \(token.record.id) holds for 15 minutes.")
    }
}
