import ArgumentParser
import PackFormat
import PackJSON
import PackUpdater

struct ClientStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what is installed, and its state.")

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let updater = try client.existingUpdater(asksRegistry: false)
        let statuses = try await client.knownPackages(of: updater)
        client.global.console.result(
            statuses.map(text).joined(separator: "\n"),
            json: .object([
                "packages": .object(JSONObject(statuses.map { ($0.package.text, .object($0.json)) }))
            ]))
    }

    private func text(_ status: PackageStatus) -> String {
        var parts: [String] = []
        if let active = status.active {
            let state = status.isConfirmed ? "confirmed" : "not confirmed, started \(status.unconfirmedStarts) ×"
            parts.append("\(active) active (\(state))")
        } else {
            parts.append("nothing active")
        }
        if let staged = status.staged { parts.append("\(staged) from the next start on") }
        if let previous = status.previous { parts.append("goes back to \(previous)") }
        if let embedded = status.embedded { parts.append("app embeds \(embedded)") }
        if let wait = status.waitsFor { parts.append("what the channel offers is not installed yet: \(wait)") }
        if let set = status.awaitedSet {
            parts.append("switched on again, and shown when its version of \(set) is here")
        } else if !status.isEnabled {
            parts.append("switched off by the channel")
        }
        let failures = status.failures.map { "\n  failed: \($0.version), \($0.reason)" }.joined()
        return "\(status.package)  \(parts.joined(separator: "; "))\(failures)"
    }
}
