import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackUpdater

struct ClientStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Start like an app: switch to staged versions, open packages and count the start.",
        discussion: HelpText.flowing(
            """
            Prints each package's version, the folder of its files and the load
            token that confirms it. A version that was started more often than
            --starts without being confirmed is left for the one before.
            """))

    @OptionGroup var client: ClientOptions

    @Option(help: ArgumentHelp("Keep the versions pinned for so long, as open pages do.", valueName: "SECONDS"))
    var hold = 0

    func run() async throws {
        if client.preset.isEmpty { try client.requireStore() }
        let updater = try client.updater(asksRegistry: false)
        let earlier = Set(await updater.events(limit: 100))
        try await updater.start()
        let packages = try await client.knownPackages(of: updater).map(\.package)
        var sessions: [PackageSession] = []
        var lines: [String] = []
        var documents: [(String, JSONValue)] = []
        for package in packages {
            if let session = try await updater.openInstalled(package) {
                sessions.append(session)
                lines.append("\(package) \(session.version)  token \(session.loadToken)  \(session.folder.path)")
                documents.append(
                    (
                        package.text,
                        .object([
                            "version": .string(session.version.description), "token": .string(session.loadToken),
                            "folder": .string(session.folder.path),
                        ])
                    ))
            } else {
                let isEnabled = try await updater.status().first { $0.package == package }?.isEnabled ?? true
                let why = isEnabled ? "no version is installed" : "the channel's feature gate is off"
                lines.append("\(package) has no page: \(why)")
                documents.append((package.text, .object(["installed": false, "why": .string(why)])))
            }
        }
        for event in await updater.events(limit: 100) where event.kind == .rolledBack && !earlier.contains(event) {
            client.global.console.note("\(event.package.map { "\($0): " } ?? "")\(event.why)")
        }
        client.global.console.result(
            lines.joined(separator: "\n"), json: .object(["packages": .object(JSONObject(documents))]))
        if hold > 0 { try await Task.sleep(for: .seconds(hold)) }
        // The pins last as long as the sessions.
        withExtendedLifetime(sessions) {}
        if sessions.isEmpty { throw ExitCode.nothingToDo }
    }
}
