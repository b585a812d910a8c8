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
    let before = try tool.content()
    let outcome = try await tool.run(arguments, environment: environment)
    expectClearError(outcome, naming: words, exitCode: exitCode, sourceLocation: sourceLocation)
    let after = try tool.content()
    #expect(
        Set(after.keys) == Set(before.keys) && after == before, "something was written: \(arguments)",
        sourceLocation: sourceLocation)
}

extension Tool {
    /// Copies a database, so that reading it moves nothing, and prints all that it holds.
    private static let dump = """
        import os, shutil, sqlite3, sys, tempfile
        with tempfile.TemporaryDirectory() as folder:
            for end in ("", "-wal"):
                if os.path.exists(sys.argv[1] + end):
                    shutil.copy(sys.argv[1] + end, os.path.join(folder, "copy" + end))
            for line in sqlite3.connect(os.path.join(folder, "copy")).iterdump():
                print(line)
        """

    /// All files, and of a database what it holds: opening it raises counters, and moves what was written last from the
    /// file beside it.
    func content() throws -> [String: Data] {
        var files = try listing().filter { !$0.key.hasSuffix("-wal") && !$0.key.hasSuffix("-shm") }
        // On storage the registry's folder has copies, and a server may be making some.
        if Self.isOnStorage { files = files.filter { !$0.key.hasPrefix(".packtool/registry/view/") } }
        for name in files.keys where name.hasSuffix(".sqlite") {
            let (process, output) = (Process(), Pipe())
            process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
            process.arguments = ["-c", Self.dump, folder.appendingPathComponent(name).path]
            process.standardOutput = output
            try process.run()
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            // What is no database stays as it is.
            if process.terminationStatus == 0 { files[name] = text }
        }
        return files
    }
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
