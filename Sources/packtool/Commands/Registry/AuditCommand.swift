import ArgumentParser
import Foundation
import PackJSON
import PackRegistryAPI

/// `packtool audit`: shows the registry's log of who did what.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show who changed what in the registry, newest first.",
        discussion: HelpText.flowing(
            """
            packtool audit --subject shop --subject stable --action rollback --since 7d

            Each option leaves out the entries that do not have what it asks for. --json has the names of the columns.
            """))

    @Option(help: ArgumentHelp("How many entries, 1 to 10,000.", valueName: "COUNT"))
    var limit = 50

    @Option(help: ArgumentHelp("Who: a token's name or id, or local:USER.", valueName: "NAME"))
    var actor: String?

    @Option(help: ArgumentHelp("What was done, such as release, rollback or token.", valueName: "NAME"))
    var action: String?

    @Option(
        help: ArgumentHelp(
            "To what: a package, a version, a channel; may be given several times, and all must be there.",
            valueName: "NAME"))
    var subject: [String] = []

    @Option(
        help: ArgumentHelp(
            "The oldest: a time such as 2026-11-30T08:00:00Z, or so long ago: 24h, 7d.", valueName: "TIME"),
        transform: { try Self.moment($0) })
    var since: Date?

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...AuditQuery.maximumLimit).contains(limit) else {
            throw ValidationError("--limit is a number from 1 to 10,000")
        }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        var query = AuditQuery(limit: limit)
        query.actor = actor
        query.action = action
        query.subject = subject
        query.since = since
        let entries = try await session.registry.auditLog(query)
        let rows = entries.map { entry in
            [entry.time.formatted(.iso8601), entry.actor, entry.action, entry.subject, entry.detail]
        }
        let text = TextTable.lines([["TIME", "WHO", "DID", "TO WHAT", "DETAIL"]] + rows).joined(separator: "\n")
        options.console.result(text, json: .object(["entries": .array(entries.map { .object($0.json) })]))
        if entries.isEmpty { options.console.note("the audit log has no such entry") }
    }

    private static func moment(_ text: String) throws -> Date {
        if let duration = try? PlanDuration(text) { return .now - Double(duration.seconds) }
        return try ScheduleOptions.time(text)
    }
}
