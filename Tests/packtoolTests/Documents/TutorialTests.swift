import Foundation
import TestSupport
import Testing

/// docs/TUTORIAL.md in terminals, line by line as it is written.
@Suite(.onFolder) struct TutorialTests {
    @Test func `every command of the tutorial prints what the page shows`() async throws {
        let tool = try Tool()
        let port = try LoopbackPort.free(1)[0]
        let place = Tool.executable.deletingLastPathComponent().path
        let environment = ["PATH": "\(place):\(tool.environment["PATH"] ?? "")"]
        // What a shell keeps from line to line.
        var (folder, variables) = ("", "")
        var servers: [RunningTool] = []
        defer { for server in servers { server.kill(SIGKILL) } }
        var count = 0
        func local(_ text: String) -> String { text.replacing("8787", with: "\(port)") }
        for block in try TerminalText("docs/TUTORIAL.md").blocks {
            for step in block.steps {
                count += 1
                let (command, shown) = (local(step.command), step.output.map(local))
                if block.terminal != nil {
                    let words = command.split(separator: " ").dropFirst().map(String.init)
                    let server = try tool.start(words + ["--registry", "\(tool.folder.path)/shop/.packtool/registry"])
                    servers.append(server)
                    #expect(try await server.line(holding: shown[0]) != nil, "\(command)")
                    continue
                }
                if command.hasPrefix("cd ") {
                    folder = String(command.dropFirst(3))
                    continue
                }
                if command.hasPrefix("export ") { variables += command + "\n" }
                let script = "cd '\(tool.folder.path)/\(folder)'\n" + variables + "exec 2>&1\n" + command
                let outcome = try await tool.shell(script, environment: environment)
                var lines = outcome.standardOutput.components(separatedBy: "\n")
                if lines.last?.isEmpty == true { lines.removeLast() }
                #expect(outcome.exitCode == 0, "\(command): \(outcome)")
                #expect(
                    TerminalText.matches(lines, shown),
                    "\(command) printed\n\(outcome.standardOutput)\nand not\n\(shown)")
            }
        }
        #expect(count > 20)
    }

    @Test(arguments: [
        (["a", "b"], ["a", "b"], true), (["a", "b"], ["a"], false), (["a"], ["a", "b"], false), ([], [], true),
        (["a", "b", "c"], ["a", "…"], true), (["a", "b", "c"], ["…", "c"], true), (["a", "b"], ["…", "c"], false),
        (["a 17 b"], ["a … b"], true), (["a 17 c"], ["a … b"], false), (["17 b"], ["a … b"], false),
        (["x"], ["…"], true),
        (["1 of 2, 3"], ["… of …, 3"], true), (["1 of 2, 3"], ["… of …, 4"], false),
    ])
    func `text that differs is told from text that fits`(lines: [String], shown: [String], fits: Bool) {
        #expect(TerminalText.matches(lines, shown) == fits)
    }
}
