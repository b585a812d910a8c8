import ArgumentParser
import Foundation
import PackJSON
import PackRegistryAPI
import PackRegistryLocal

/// `packtool webhook`: who is told what happens.
struct WebhookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook", abstract: "Have releases, halts and other events sent to an address.",
        discussion: "packtool serve sends them. docs/OPERATIONS.md says how a receiver checks a delivery.",
        subcommands: [
            WebhookAddCommand.self, WebhookListCommand.self, WebhookRemoveCommand.self, WebhookTestCommand.self,
            WebhookDeadLettersCommand.self,
        ])
}

/// `packtool webhook list`.
struct WebhookListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the webhooks.")

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let webhooks = try await session.registry.webhooks()
        let rows = webhooks.map { webhook in
            [
                webhook.id, webhook.format.rawValue, "\(webhook.waitingCount)", "\(webhook.deadCount)",
                WebhookText.kinds(webhook.kinds), webhook.url, webhook.lastError ?? "",
            ]
        }
        let lines = TextTable.lines([["ID", "FORM", "WAITING", "DEAD", "EVENTS", "URL", "LAST ERROR"]] + rows)
        options.console.result(
            webhooks.isEmpty ? "there are no webhooks" : lines.joined(separator: "\n"),
            json: .object(["webhooks": .array(webhooks.map { .object($0.json) })]))
    }
}

/// `packtool webhook remove`.
struct WebhookRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a webhook, and what waits to be sent to it.")

    @Argument(help: "The webhook's id, as list shows it.")
    var id: String

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        guard try await session.registry.removeWebhook(id: id) else { throw WebhookText.unknown(id) }
        options.console.result("removed  \(id)", json: .object(["id": .string(id), "removed": true]))
    }
}

/// `packtool webhook test`.
struct WebhookTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send a trial to a webhook.",
        discussion: "The server sends it within a second. If it is not taken, list and dead-letters show it.")

    @Argument(help: "The webhook's id, as list shows it.")
    var id: String

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        guard let delivery = try await session.registry.testWebhook(id: id) else { throw WebhookText.unknown(id) }
        options.console.result(
            "queued  \(delivery)", json: .object(["id": .string(id), "delivery": .string(delivery)]))
        if let local = session.local, await !local.isServed() {
            options.console.note("No server has this registry: packtool serve sends it.")
        }
    }
}

/// `packtool webhook dead-letters`.
struct WebhookDeadLettersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters", abstract: "List what was given up after about two days, or send it again.")

    @Flag(help: "Send all of them again.")
    var retry = false

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        if retry {
            let count = try await session.registry.retryDeadLetters()
            options.console.result("queued  \(count) once more", json: .object(["count": .integer(count)]))
            return
        }
        let letters = try await session.registry.deadLetters()
        let rows = letters.map { letter in
            [letter.id, letter.kind.rawValue, letter.created.formatted(.iso8601), "\(letter.attempts)", letter.error]
        }
        let lines = TextTable.lines([["ID", "EVENT", "TIME", "ATTEMPTS", "ERROR"]] + rows)
        options.console.result(
            letters.isEmpty ? "nothing was given up" : lines.joined(separator: "\n"),
            json: .object(["deadLetters": .array(letters.map { .object($0.json) })]))
    }
}

/// Words that the commands share.
enum WebhookText {
    static func kinds(_ kinds: Set<Webhook.Kind>) -> String {
        kinds.count == Webhook.Kind.allCases.count
            ? "all" : Webhook.Kind.allCases.filter(kinds.contains).map(\.rawValue).joined(separator: ",")
    }

    static func unknown(_ id: String) -> CommandFailure {
        CommandFailure("there is no webhook with the id \(id): see packtool webhook list", kind: "notFound")
    }
}
