import Foundation
import PackJSON

/// Commands as JSON lines on stdin, and events and replies as JSON lines on stdout. Tests and supervisors drive a
/// kiosk with them.
///
///     → {"id": 1, "command": "evaluate", "script": "return document.title"}
///     ← {"event": "reply", "id": 1, "value": "\"Shop\""}
final class KioskControl: Sendable {
    struct Command: Sendable {
        let id: Int
        let name: String
        let arguments: JSONObject

        func argument(_ name: String) throws -> String { try arguments.string(name) }
    }

    enum Reply: Sendable {
        /// A JSON text.
        case value(String)
        case failed(String)
    }

    /// Reads until stdin ends, which is a request to quit.
    func start(_ perform: @escaping @MainActor @Sendable (Command) async -> Reply) {
        let thread = Thread {
            while let line = readLine() { self.take(line, perform) }
            let quit = Command(id: -1, name: "quit", arguments: [:])
            Task { @MainActor in _ = await perform(quit) }
        }
        thread.start()
    }

    private func take(_ line: String, _ perform: @escaping @MainActor @Sendable (Command) async -> Reply) {
        guard let arguments = try? JSONValue(parsing: line).object(), let id = try? arguments.integer("id"),
            let name = try? arguments.string("command")
        else {
            say("error", ["reason": "a command is {\"id\": NUMBER, \"command\": NAME, …} on one line"])
            return
        }
        let command = Command(id: id, name: name, arguments: arguments)
        Task { @MainActor in
            switch await perform(command) {
            case .value(let json): self.say("reply", ["id": .integer(id), "value": .string(json)])
            case .failed(let reason): self.say("reply", ["id": .integer(id), "error": .string(reason)])
            }
        }
    }

    func say(_ event: String, _ fields: JSONObject) {
        var line: JSONObject = ["event": .string(event)]
        for member in fields.members { line[member.key] = member.value }
        try? FileHandle.standardOutput.write(contentsOf: Data((JSONValue.object(line).compactText + "\n").utf8))
    }
}
