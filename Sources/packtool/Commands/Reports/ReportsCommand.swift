import ArgumentParser
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool reports`: manages what devices reported.
struct ReportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports", abstract: "Delete what a device reported.", subcommands: [ReportsDeleteCommand.self])
}

/// `packtool reports delete`.
struct ReportsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete every event of a report id.",
        discussion: HelpText.flowing(
            """
            Counts, which contain no ids, stay. Over HTTP the command needs a token with --admin.
            """))

    @Argument(help: "The report id.")
    var id: String

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let sender = try ReportID(id)
        let session = try await RegistrySession(registry, console: options.console)
        let count = try await session.registry.deleteReports(of: sender)
        guard count > 0 else {
            throw CommandFailure("nothing is stored of the report id \(sender)", exitCode: .nothingToDo)
        }
        options.console.result(
            "deleted  \(CountText.text(count, "event")) of \(sender)",
            json: .object(["id": .string(sender.text), "deleted": .integer(count)]))
    }
}
