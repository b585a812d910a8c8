import Foundation
import Testing

/// The JSON examples of docs/ROLLOUTS.md, and the schemas for editors.
extension Tool {
    /// Writes the examples that have a key as `0.json`, `1.json` and so on.
    func writeExamples(with key: String) throws -> [String] {
        let document = try String(
            contentsOf: Self.project.appendingPathComponent("docs/ROLLOUTS.md"), encoding: .utf8)
        let examples = document.matches(of: /```jsonc\n([\s\S]*?)```/).map { String($0.1) }.filter {
            $0.contains("\"\(key)\"")
        }
        #expect(!examples.isEmpty)
        for (number, example) in examples.enumerated() { try write(["\(number).json": example]) }
        return examples.indices.map { "\($0).json" }
    }

    /// - Parameters:
    ///   - schema: the name of a schema in docs/schema.
    ///   - files: what is to be valid by it, with comments.
    ///   - good: what is to be valid too, and `bad`, what is not, as tuples of Python.
    func expectSchema(_ schema: String, allows files: [String], _ good: String = "()", refuses bad: String) async throws
    {
        let path = Self.project.appendingPathComponent("docs/schema/\(schema).schema.json").path
        try write([
            "validate.py": """
            import json, re, sys, jsonschema
            schema = jsonschema.Draft202012Validator(json.load(open("\(path)")))
            for file in sys.argv[1:]:
                text = re.sub(r"//.*", "", open(file).read())
                value = json.loads(re.sub(r",(\\s*[}\\]])", r"\\1", text))
                for fault in schema.iter_errors(value): print(file, fault.message)
            for good in \(good):
                if not schema.is_valid(good): print("refused", good)
            for bad in \(bad):
                if schema.is_valid(bad): print("accepted", bad)
            """
        ])
        let outcome = try await shell("python3 -W ignore validate.py \(files.joined(separator: " "))")
        #expect(outcome.exitCode == 0 && outcome.standardOutput.isEmpty, "\(outcome)")
    }
}
