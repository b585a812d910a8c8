import Foundation
import PackJSON

/// What a command said and how it ended.
struct Outcome: CustomStringConvertible {
    let exitCode: Int32
    let standardOutput: String
    let standardError: String

    /// The one JSON document that `--json` promises on stdout.
    func json() throws -> JSONValue { try JSONValue(parsing: Array(standardOutput.utf8)) }

    /// The first line on stderr that reports an error.
    var errorLine: String? {
        standardError.split(separator: "\n").map(String.init).first { $0.lowercased().hasPrefix("error: ") }
    }

    var description: String { "exit \(exitCode)\nstdout: \(standardOutput)\nstderr: \(standardError)" }
}
