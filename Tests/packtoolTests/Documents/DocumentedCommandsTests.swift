import Foundation
import PackJSON
import Testing

/// The commands that documents show, against those that packtool has. What they do is for the tests that carry documents out.
@Suite(.onFolder) struct DocumentedCommandsTests {
    /// A command with its options and subcommands.
    private struct Command {
        var options: Set<String> = []
        var subcommands: [String: Command] = [:]

        init(_ json: JSONObject) throws {
            for argument in try json["arguments"]?.array() ?? [] {
                for name in try argument.object()["names"]?.array() ?? [] {
                    if try name.object().string("kind") == "long" { options.insert(try name.object().string("name")) }
                }
            }
            for sub in try json["subcommands"]?.array() ?? [] {
                subcommands[try sub.object().string("commandName")] = try Command(sub.object())
            }
        }
    }

    /// Texts behind `packtool` in blocks and in code between words.
    private static func commands(of document: String) -> [String] {
        // JavaScript imports what is called packtool too, and packtool is a module that imports others.
        let text = document.replacing(/\\\n\s*/, with: " ").replacing(
            /import packtool|packtool imports/, with: "")
        var found: [String] = []
        var isFenced = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("```") {
                isFenced.toggle()
            } else if isFenced || line.hasPrefix("    ") {
                found += line.matches(of: /(?:^|[\s(;&|])packtool ([^|;&>#]+)/).map { String($0.output.1) }
            }
        }
        // In sentences a command may go on in the next line.
        let sentences = text.replacing(/```.*?```/.dotMatchesNewlines(), with: "").replacing(/[ \n]+/, with: " ")
        found += sentences.matches(of: /`packtool ([^`|;&>#]+)`/).map { String($0.output.1) }
        return found
    }

    private static func fault(in text: String, _ packtool: Command) -> String? {
        let words = text.split { " ()\"',".contains($0) }.map {
            $0.trimmingCharacters(in: CharacterSet(charactersIn: ".:"))
        }
        var (command, isNamed) = (packtool, false)
        var rest = words[...]
        while let word = rest.first, let sub = command.subcommands[word] {
            (command, isNamed) = (sub, true)
            rest.removeFirst()
        }
        guard isNamed || words.first?.hasPrefix("-") != false else { return "no command" }
        // Where a command has subcommands, one of them is meant without its name.
        let options = command.subcommands.values.reduce(command.options) { $0.union($1.options) }
        let own: Set = ["help", "version", "generate-completion-script"]
        for word in rest where word.hasPrefix("--") && word.count > 2 {
            let name = String(word.dropFirst(2).prefix { $0 != "=" })
            if !options.contains(name), !own.contains(name) { return "no option --\(name)" }
        }
        return nil
    }

    @Test func `no document shows a command or an option that packtool does not have`() async throws {
        let dumped = try await Tool().output(of: ["--experimental-dump-help"])
        let packtool = try Command(JSONValue(parsing: Array(dumped.utf8)).object().object("command"))
        let folder = Tool.project.appendingPathComponent("docs")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
        var count = 0
        for file in names.map(folder.appendingPathComponent) + [Tool.project.appendingPathComponent("README.md")] {
            for text in try Self.commands(of: String(contentsOf: file, encoding: .utf8)) {
                count += 1
                if let fault = Self.fault(in: text, packtool) {
                    Issue.record("\(file.lastPathComponent): packtool \(text): \(fault)")
                }
            }
        }
        #expect(count > 400)
        #expect(Self.fault(in: "publish shop --chanel beta", packtool) == "no option --chanel")
        #expect(Self.fault(in: "publsh", packtool) == "no command")
    }
}
