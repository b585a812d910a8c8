import Foundation
import PackJSON
import PackSystem
import Synchronization

/// The output of a command: results go to stdout, messages and progress to stderr.
///
/// With `--json` stdout carries one JSON document and nothing else; with `--quiet` messages are dropped.
struct Console {
    let isJSON: Bool
    let isQuiet: Bool

    /// Prints the result: the document with `--json`, else the text. It is written at once, because what waits for
    /// a server's address reads it from a file or a pipe, where `print` would hold it back.
    func result(_ text: @autoclosure () -> String, json: @autoclosure () -> JSONValue) {
        let text = isJSON ? json().prettyText : text()
        Self.hasResult.withLock { $0 = true }
        if !text.isEmpty { Self.write(text, to: .standardOutput) }
    }

    /// Whether a result was printed: then a failure after it has no document of its own on stdout.
    private static let hasResult = Mutex(false)

    /// The document that `--json` gives in place of a result (docs/JSON.md).
    /// - Parameter details: what it has besides the error and the exit code.
    static func failure(_ message: String, kind: String, exitCode: Int32, _ details: JSONObject = [:]) {
        let isFirst = hasResult.withLock { has in
            defer { has = true }
            return !has
        }
        guard isFirst else { return }
        var document: JSONObject = [
            "error": .object(["kind": .string(kind), "detail": .string(message)]),
            "exitCode": .integer(Int(exitCode)),
        ]
        for member in details.members { document[member.key] = member.value }
        write(JSONValue.object(document).prettyText, to: .standardOutput)
    }

    /// A message for people, on stderr.
    func note(_ text: String) {
        if !isQuiet { Self.standardError(text) }
    }

    /// A message while a line of progress, or another program's question, may be on the terminal: it begins a line of its own.
    func interrupt(_ text: String) { note(showsProgress ? "\n\(text)" : text) }

    /// Whether progress may be drawn: only on a terminal.
    var showsProgress: Bool { !isQuiet && !isJSON && isatty(FileHandle.standardError.fileDescriptor) == 1 }

    static func standardError(_ text: String) {
        write(text, to: .standardError)
    }

    /// Why a result could not be written; nil: it was. A reader that left wants no more, and is no fault.
    static var resultFault: FileFault? { lostResult.withLock { $0 } }

    private static let lostResult = Mutex<FileFault?>(nil)

    private static func write(_ text: String, to output: FileHandle) {
        do {
            let file = URL(filePath: output === FileHandle.standardOutput ? "/dev/stdout" : "/dev/stderr")
            try SystemCall.writeAll(Array((text + "\n").utf8), to: output.fileDescriptor, file)
        } catch let fault {
            if output === FileHandle.standardOutput, fault.code != EPIPE { lostResult.withLock { $0 = fault } }
        }
    }
}
