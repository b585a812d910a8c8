import ArgumentParser
import PackFormat
import PackJSON
import PackUpdater

struct ClientRepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Read every installed file, and fetch damaged ones again.")

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let report = try await client.existingUpdater().repair()
        let lines =
            report.repaired.map { "repaired  \($0)" } + report.left.map { "damaged   \($0)" }
            + [
                "\(CountText.text(report.checkedObjects, "object")) read, \(CountText.text(report.repaired.count, "repair")), "
                    + "\(CountText.text(report.left.count, "fault")) left"
            ]
        client.global.console.result(
            lines.joined(separator: "\n"),
            json: .object([
                "checked": .integer(report.checkedObjects),
                "repaired": .array(report.repaired.map { .string($0) }),
                "left": .array(report.left.map { .string($0) }),
            ]))
        if !report.left.isEmpty { throw ExitCode.failed }
    }
}
