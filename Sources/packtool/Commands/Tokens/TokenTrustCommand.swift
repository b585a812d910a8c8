import ArgumentParser
import Foundation
import PackJSON
import PackRegistryAPI

/// `packtool token trust`: lets CI jobs get tokens without a secret.
struct TokenTrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Let CI jobs get short tokens for their id tokens, without a secret.",
        discussion: HelpText.flowing(
            """
            The registry then makes a token of 15 minutes for each job that fits (packtool token exchange). It is listed and revoked as \
            a token is.

            packtool token trust github --repository acme/shop --workflow release.yml --environment production \
            --publish --package shop --audience https://packages.example.com

            Without --publish, --release or --observe the jobs may publish and release. Of github and gitlab it needs the branch, the \
            tag or the environment, because whoever can push a branch can change its workflow.
            """))

    @Argument(help: "github, gitlab (gitlab.com), or the issuer's URL as it stands in iss.")
    var issuer: String

    @Option(help: ArgumentHelp("The repository, or GitLab's project, of the jobs.", valueName: "OWNER/NAME"))
    var repository: String?

    @Option(help: ArgumentHelp("The file of the workflow, such as release.yml.", valueName: "FILE"))
    var workflow: String?

    @Option(help: ArgumentHelp("The environment that the job names.", valueName: "NAME"))
    var environment: String?

    @Option(
        help: ArgumentHelp(
            "What the job runs for: refs/heads/main, or refs/tags/v* for all tags that begin so.", valueName: "REF"))
    var ref: String?

    @Flag(help: "Trust jobs of every branch and environment: whoever can push a branch can then publish.")
    var anyRef = false

    @Option(
        help: ArgumentHelp(
            "Another claim that the id token must have; may be given several times. A * at the end admits all that begin so.",
            valueName: "NAME=TEXT"))
    var claim: [String] = []

    @Option(help: ArgumentHelp("What the id token is for (default: the registry's URL).", valueName: "TEXT"))
    var audience: String?

    @Option(
        name: .customLong("keys-url"),
        help: ArgumentHelp(
            "Where the issuer's keys are, if they are not on its own host: its discovery document is not read then.",
            valueName: "URL"))
    var keysURL: String?

    @Option(
        help: ArgumentHelp("The name of the jobs in the audit log (default: issuer and repository).", valueName: "NAME")
    )
    var name: String?

    @OptionGroup var rights: TokenScopeOptions
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        for text in claim where !text.contains("=") || text.hasPrefix("=") {
            throw ValidationError("--claim has the form NAME=TEXT, such as --claim repository_owner_id=12345")
        }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        var others: [String: String] = [:]
        for text in claim {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            others[String(parts[0])] = String(parts[1])
        }
        let jobs = TrustedJobs(
            issuer: issuer, repository: repository, workflow: workflow, environment: environment, ref: ref,
            others: others, isForAnyRef: anyRef)
        let claims = try jobs.claims()
        let trust = try TokenTrust(
            issuer: jobs.issuerURL, audience: try audience(session.location), claims: claims, keysURL: keysURL)
        let record = try await session.registry.createTrust(
            TrustRequest(name: name ?? jobs.name, scope: rights.scope, trust: trust))
        let breadth = trust.admitsAnyRef ? "  jobs of every branch (--any-ref)" : ""
        options.console.result("trusts  \(record.id)  \(record.name)\(breadth)", json: .object(record.json))
        options.console.note(
            "A job gets its token with: PACKTOOL_TOKEN=$(packtool token exchange). Its id token is for the "
                + "audience \(trust.audience).")
        await rights.noteUnknownNames(session, options.console)
        if trust.admitsAnyRef {
            options.console.note("Whoever can push a branch to the repository can change the job, and gets its rights.")
        }
    }

    private func audience(_ location: RegistryLocation) throws -> String {
        // A server's address, which is the same with a slash at its end.
        if let audience { return URL(string: audience).map { AudienceText.of($0) } ?? audience }
        guard case .server(let url) = location else {
            throw CommandFailure(
                "--audience is needed here: give the URL at which jobs reach this registry's server, such as "
                    + "https://packages.example.com")
        }
        return AudienceText.of(url)
    }
}
