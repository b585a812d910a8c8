import ArgumentParser
import Foundation
import PackJSON
import PackRegistryAPI

/// `packtool audit`: shows the registry's log of who did what.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show who changed what in the registry, newest first.")

    @Option(help: ArgumentHelp("How many entries, 1 to 10,000.", valueName: "COUNT"))
    var limit = 50

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit is a number from 1 to 10,000") }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let entries = try await session.registry.auditLog(limit: limit)
        let rows = entries.map { entry in
            [entry.time.formatted(.iso8601), entry.actor, entry.action, entry.subject, entry.detail]
        }
        let text = TextTable.lines([["TIME", "WHO", "DID", "TO WHAT", "DETAIL"]] + rows).joined(separator: "\n")
        options.console.result(text, json: .object(["entries": .array(entries.map { .object($0.json) })]))
    }
}
