import Foundation
import Logging
import PackJSON

/// Writes each log message as one line of JSON on stderr, for machines that collect logs.
struct JSONLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var line: JSONObject = [
            "time": .string(Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
            "level": .string(event.level.rawValue), "message": .string("\(event.message)"),
        ]
        var milliseconds: String?
        for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) {
            // The framework's own id of the request: ours stands beside it.
            if key == "hb.request.id" { continue }
            let text = "\(value)"
            if key == "ms", let number = Double(text), number.isFinite {
                milliseconds = text
                continue
            }
            // A request's id may be all digits, and is no number.
            line[key] = key == "id" ? .string(text) : Int(text).map { .integer($0) } ?? .string(text)
        }
        let text = JSONValue.object(line).compactText
        // A number with decimals, which no document of ours has.
        Console.standardError(milliseconds.map { "\(text.dropLast()),\"ms\":\($0)}" } ?? text)
    }
}
