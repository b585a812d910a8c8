import Foundation
import Testing

/// Some 140 repositories, honest and hostile, signed by the TUF reference implementation and played to the built
/// `tuf-client`: what it accepts, what it keeps, what it asks for. `Tests/Tools/tuf_scenarios.py` has them by name.
struct ScenarioTests {
    @Test func `the client does what the specification says in every scenario`() throws {
        let client = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("tuf-client")
        let result = try PythonTools.run("tuf_scenarios.py", client.path)
        let lines = result.output.split(separator: "\n")
        for line in lines where !line.hasPrefix("ok ") { Issue.record("\(line)") }
        #expect(lines.count { $0.hasPrefix("ok ") } == 145)
        #expect(result.status == 0, "\(result.errors.suffix(2_000))")
    }
}
