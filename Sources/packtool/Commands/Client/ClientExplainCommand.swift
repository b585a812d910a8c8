import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackUpdater
import PackWeb

struct ClientExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Tell what this device gets and did, and why.",
        discussion: HelpText.flowing(
            """
            First each release of each package, from the channel file of the last check: every condition,
            whether the device meets it, and the value that was seen. packtool explain prints the same from the
            registry. Then the events on the device.
            """))

    @OptionGroup var client: ClientOptions

    @Option(help: ArgumentHelp("The number of events, the newest last.", valueName: "N"))
    var limit = 50

    @Flag(help: "Show the last page instead: each request, its answer, the reason, its size and time.")
    var lastPage = false

    func run() async throws {
        let updater = try client.existingUpdater()
        if lastPage { return try explainLastPage() }
        let given = try client.packages
        let events = await updater.events(limit: .max).filter { event in
            given.isEmpty || event.package.map { given.contains($0) } ?? true
        }.suffix(max(0, limit))
        let explained = try await updater.explain(given)
        let sections = explained.map(\.text) + [events.map(text).joined(separator: "\n")]
        client.global.console.result(
            sections.joined(separator: "\n\n"),
            json: .object([
                "packages": .object(JSONObject(explained.map { ($0.package.text, .object($0.json)) })),
                "events": .array(events.map { .object($0.json) }),
            ]))
    }

    private func explainLastPage() throws {
        guard let record = LastPage(folder: URL(fileURLWithPath: client.store)).read() else {
            throw CommandFailure("no page was loaded from \(client.store): open one with packtool client serve")
        }
        let page = LastPageText(record)
        client.global.console.result(page.text, json: page.json)
    }

    private func text(_ event: Event) -> String {
        let subject = [event.package?.text, event.version?.description].compactMap { $0 }.joined(separator: " ")
        return
            "\(event.time.ISO8601Format())  \(event.kind.rawValue)\(subject.isEmpty ? "" : "  \(subject)"): \(event.why)"
    }
}
