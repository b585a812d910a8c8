import Foundation
import Testing

/// Runs a command that must refuse its input: exit code 1, one clear `error:` line that names what is wrong, no trap, and not
/// a byte written anywhere.
///
///     try await expectRefusal(tool, "build", "dist", naming: "index.html")
func expectRefusal(
    _ tool: Tool, _ arguments: String..., naming words: [String], sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    try await expectRefusal(tool, arguments: arguments, naming: words, sourceLocation: sourceLocation)
}

func expectRefusal(
    _ tool: Tool, arguments: [String], naming words: [String], exitCode: Int32 = 1,
    environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let before = try tool.listing()
    let outcome = try await tool.run(arguments, environment: environment)
    expectClearError(outcome, naming: words, exitCode: exitCode, sourceLocation: sourceLocation)
    let after = try tool.listing()
    #expect(
        Set(after.keys) == Set(before.keys) && after == before, "something was written: \(arguments)",
        sourceLocation: sourceLocation)
}

func expectClearError(
    _ outcome: Outcome, naming words: [String], exitCode: Int32 = 1,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(outcome.exitCode == exitCode, "\(outcome)", sourceLocation: sourceLocation)
    let line = outcome.errorLine ?? ""
    #expect(!line.isEmpty, "no line says error: \(outcome)", sourceLocation: sourceLocation)
    for word in words {
        #expect(
            outcome.standardError.contains(word), "\"\(word)\" is not named: \(outcome)",
            sourceLocation: sourceLocation)
    }
    // A sentence for people, not a dump of a value or of another layer's error.
    for dump in ["Fatal error", "Error Domain", "NSError", "Code=", "Optional(", "SQLite error", "The operation could"]
    {
        #expect(!outcome.standardError.contains(dump), "\(outcome)", sourceLocation: sourceLocation)
    }
}
