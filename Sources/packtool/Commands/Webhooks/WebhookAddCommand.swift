import ArgumentParser
import Foundation
import PackJSON
import PackRegistryAPI
import PackRegistryLocal

/// `packtool webhook add`.
struct WebhookAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Have events sent to an address.",
        discussion: HelpText.flowing(
            """
            Events: \(Webhook.Kind.allCases.map(\.rawValue).joined(separator: ", ")).

            Each delivery is signed by a secret (HMAC-SHA256 over id, time and body, as Standard
            Webhooks say). The registry makes the secret and shows it once, or takes the one in
            a file or an environment variable. Slack checks none: for Slack the URL is the secret.

            Addresses of the server's own machine and network are refused when something is
            sent, unless packtool serve runs with --internal-webhooks.
            """))

    @Argument(help: "Where to send, such as https://hooks.example.com/packtool.")
    var url: String

    @Option(help: ArgumentHelp("The form: json or slack.", valueName: "FORM"))
    var form = "json"

    @Option(help: ArgumentHelp("Only these events, with commas between them.", valueName: "EVENTS"))
    var events: String?

    @Option(name: .customLong("secret-file"), help: ArgumentHelp("A file with the secret.", valueName: "FILE"))
    var secretFile: String?

    @Option(
        name: .customLong("secret-variable"),
        help: ArgumentHelp("The environment variable that has the secret.", valueName: "NAME"))
    var secretVariable: String?

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard Webhook.Format(rawValue: form) != nil else { throw ValidationError("--form must be json or slack") }
        guard secretFile == nil || secretVariable == nil else {
            throw ValidationError("give --secret-file or --secret-variable, not both")
        }
        let known = Webhook.Kind.allCases.map(\.rawValue)
        if let unknown = events?.split(separator: ",").first(where: { !known.contains(String($0)) }) {
            throw ValidationError("there is no event \(unknown): there are \(known.joined(separator: ", "))")
        }
    }

    func run() async throws {
        let secret = try secret()
        let session = try await RegistrySession(registry, console: options.console)
        let kinds = events.map { Set($0.split(separator: ",").compactMap { Webhook.Kind(rawValue: String($0)) }) }
        let created = try await session.registry.addWebhook(
            WebhookRequest(
                url: url, format: Webhook.Format(rawValue: form) ?? .json,
                kinds: kinds ?? Set(Webhook.Kind.allCases), secret: secret))
        var json = created.webhook.json
        json["secret"] = created.secret.map { .string($0) }
        options.console.result(
            "\(created.webhook.id)\(created.secret.map { "  \($0)" } ?? "")", json: .object(json))
        if created.secret != nil {
            options.console.note(
                "This is the only time that the secret is shown: the receiver checks deliveries by it.")
        }
        if url.lowercased().hasPrefix("http:") {
            options.console.note(
                "warning: this is plain HTTP, where packtool serve sends only if it runs with --internal-webhooks; packtool webhook "
                    + "list shows what was not taken, and why")
        }
        if let local = session.local, await !local.isServed() {
            options.console.note("No server has this registry: packtool serve sends.")
        }
    }

    private func secret() throws -> String? {
        if let secretVariable {
            guard let text = ProcessInfo.processInfo.environment[secretVariable], !text.isEmpty else {
                throw CommandFailure("the environment variable \(secretVariable) is not set", kind: "invalid")
            }
            return text
        }
        guard let secretFile else { return nil }
        guard let data = try? Data(contentsOf: URL(filePath: secretFile)), data.count <= 4_096 else {
            throw CommandFailure("the secret \(secretFile) cannot be read: is the name right?", kind: "notFound")
        }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
