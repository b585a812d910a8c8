import Foundation
import PackJSON

/// Where a command's words go: results to stdout, messages and progress to stderr.
///
/// With `--json` stdout carries one JSON document and nothing else; with `--quiet` messages are dropped.
struct Console {
    let isJSON: Bool
    let isQuiet: Bool

    /// Prints the result: the document with `--json`, else the text.
    func result(_ text: @autoclosure () -> String, json: @autoclosure () -> JSONValue) {
        if isJSON {
            print(json().prettyText)
        } else {
            let text = text()
            if !text.isEmpty { print(text) }
        }
    }

    /// A message for people, on stderr.
    func note(_ text: String) {
        if !isQuiet { Self.standardError(text) }
    }

    /// Whether progress may be drawn: only on a terminal.
    var showsProgress: Bool { !isQuiet && !isJSON && isatty(FileHandle.standardError.fileDescriptor) == 1 }

    /// Whether colour may be used on stderr: a terminal, and no `NO_COLOR` (https://no-color.org).
    var usesColor: Bool {
        showsProgress && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    }

    static func standardError(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}
