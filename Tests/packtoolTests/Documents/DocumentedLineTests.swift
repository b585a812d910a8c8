import Foundation
import TestSupport
import Testing

/// The command lines in code blocks of all pages of the site, of all programs. `Tests/Tools/documented_walks.py` says what executes
/// each: a test that takes it from the document, a walk here, or nothing, with the reason.
@Suite(.onFolder) struct DocumentedLineTests {
    private static let script = Tool.project.appendingPathComponent("Tests/Tools/documented_lines.py").path

    private static func walks() throws -> [String] {
        let text = try String(
            contentsOf: Tool.project.appendingPathComponent("Tests/Tools/documented_walks.py"), encoding: .utf8)
        return text.matches(of: /(?m)^    "([a-z-]+)": \{/).map { String($0.output.1) }
    }

    @Test func `every command line is executed by a test, or is excused with a reason`() async throws {
        let tool = try Tool()
        let outcome = try await tool.shell("python3 '\(Self.script)' '\(Tool.project.path)' coverage")
        #expect(outcome.exitCode == 0, "\(outcome)")
        let walks = try await tool.shell("python3 '\(Self.script)' '\(Tool.project.path)' walks").expectSuccess()
        #expect(try walks.standardOutput.split(separator: "\n").map(String.init) == Self.walks())
    }

    @Test(arguments: try walks())
    func `the lines of a section do what the document says`(walk: String) async throws {
        let tool = try Tool()
        let port = try LoopbackPort.free(1)[0]
        try tool.write(["project/.keep": ""])
        let place = Tool.executable.deletingLastPathComponent().path
        let outcome = try await tool.shell(
            "rm project/.keep; python3 '\(Self.script)' '\(Tool.project.path)' walk \(walk) \"$PWD/project\" \(port)",
            environment: [
                "PATH": "\(place):\(tool.environment["PATH"] ?? "")", "PROJECT": Tool.project.path,
            ])
        #expect(outcome.exitCode == 0, "\(walk): \(outcome)")
    }

    @Test func `the five minutes of the README`() async throws {
        let tool = try Tool()
        let port = try LoopbackPort.free(1)[0]
        let script = Tool.project.appendingPathComponent("scripts/dist-five-minutes.sh").path
        let outcome = try await tool.shell(
            "bash '\(script)' '\(Tool.executable.path)'",
            environment: ["FOLDER": tool.folder.path, "PORT": "\(port)"])
        #expect(outcome.exitCode == 0, "\(outcome)")
    }
}
