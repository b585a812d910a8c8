import ArgumentParser
import PackFormat
import PackJSON
import PackUpdater

/// `packtool client reports`: shows what the device would report.
struct ClientReportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports", abstract: "Show what this device would report, or give it a new report id.",
        discussion: HelpText.flowing(
            """
            Reports are off until packtool client update --reports on. Without an option the
            next report is printed exactly as it would be sent.
            """))

    @Flag(help: "Print the next report exactly as it would be sent (this is what happens without an option).")
    var show = false

    @Flag(name: .customLong("reset-id"), help: "Make a new report id, and delete unsent reports of the old one.")
    var resetID = false

    @OptionGroup var client: ClientOptions

    func validate() throws {
        guard !(show && resetID) else { throw ValidationError("give either --show or --reset-id") }
    }

    func run() async throws {
        let updater = try client.existingUpdater()
        let console = client.global.console
        guard updater.configuration.reports != nil else {
            throw CommandFailure(
                "reports are off in \(client.store): packtool client update --reports on turns them on",
                exitCode: .nothingToDo)
        }
        if resetID {
            guard let id = try await updater.resetReportID() else { return }
            return console.result("the report id is \(id) now", json: .object(["id": .string(id.text)]))
        }
        let report = try await updater.pendingReport()
        let id = try await updater.reportID()
        console.result(
            report ?? "nothing waits to be sent\(id.map { "; the report id is \($0)" } ?? "")",
            json: .object([
                "id": id.map { .string($0.text) } ?? .null,
                "report": report.flatMap { try? JSONValue(parsing: $0) } ?? .null,
            ]))
    }
}
