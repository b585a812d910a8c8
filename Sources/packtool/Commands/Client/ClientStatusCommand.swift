import ArgumentParser
import PackFormat
import PackJSON
import PackUpdater

struct ClientStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what is installed, and its state.")

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let updater = try client.existingUpdater()
        let statuses = try await client.knownPackages(of: updater)
        client.global.console.result(
            statuses.map(text).joined(separator: "\n"),
            json: .object([
                "packages": .object(JSONObject(statuses.map { ($0.package.text, json($0)) }))
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

    private func json(_ status: PackageStatus) -> JSONValue {
        var json: JSONObject = [
            "confirmed": .bool(status.isConfirmed), "starts": .integer(status.unconfirmedStarts),
            "enabled": .bool(status.isEnabled), "decision": .string(status.decision),
            "failures": .array(
                status.failures.map {
                    .object([
                        "version": .string($0.version.description), "release": $0.release.map { .string($0) } ?? .null,
                        "reason": .string($0.reason),
                    ])
                }),
        ]
        json["active"] = status.active.map { .string($0.description) }
        json["previous"] = status.previous.map { .string($0.description) }
        json["staged"] = status.staged.map { .string($0.description) }
        json["waitsFor"] = status.waitsFor.map { .string($0) }
        json["embedded"] = status.embedded.map { .string($0.description) }
        return .object(json)
    }
}
