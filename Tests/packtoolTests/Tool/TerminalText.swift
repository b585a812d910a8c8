import Foundation
import Testing

/// What a document shows of a terminal: commands behind `$`, and below each what it prints. `…` stands for any text of a line, and
/// alone on a line for any number of lines.
struct TerminalText {
    struct Step {
        let command: String
        let output: [String]
    }

    /// A block of steps for one terminal, named by the word behind `console`; none: the first terminal.
    struct Block {
        let terminal: String?
        let steps: [Step]
    }

    let blocks: [Block]

    init(_ document: String) throws {
        let text = try String(contentsOf: Tool.project.appendingPathComponent(document), encoding: .utf8)
        blocks = text.matches(of: /```console(?: (\w+))?\n(.*?)```/.dotMatchesNewlines()).map { match in
            var steps: [Step] = []
            for line in match.output.2.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                if line.hasPrefix("$ ") {
                    steps.append(Step(command: String(line.dropFirst(2)), output: []))
                } else if let last = steps.popLast() {
                    steps.append(Step(command: last.command, output: last.output + [String(line)]))
                }
            }
            return Block(terminal: match.output.1.map(String.init), steps: steps)
        }
    }

    /// Whether lines are what the document shows.
    static func matches(_ lines: [String], _ shown: [String]) -> Bool {
        guard let first = shown.first else { return lines.isEmpty }
        let rest = Array(shown.dropFirst())
        if first == "…" {
            return (0...lines.count).contains { matches(Array(lines.dropFirst($0)), rest) }
        }
        guard let line = lines.first, fits(line, first) else { return false }
        return matches(Array(lines.dropFirst()), rest)
    }

    private static func fits(_ line: String, _ shown: String) -> Bool {
        let parts = shown.components(separatedBy: "…")
        guard parts.count > 1 else { return line == shown }
        var rest = line[...]
        for (number, part) in parts.enumerated() {
            if number == 0 {
                guard rest.hasPrefix(part) else { return false }
                rest = rest.dropFirst(part.count)
            } else if number == parts.count - 1 {
                return rest.hasSuffix(part)
            } else if let found = rest.range(of: part) {
                rest = rest[found.upperBound...]
            } else {
                return false
            }
        }
        return true
    }
}
