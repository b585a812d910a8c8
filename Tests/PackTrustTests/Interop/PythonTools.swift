import Foundation

/// The tools of other people that judge our bytes, and the folder they stand in.
enum PythonTools {
    /// The root of the project.
    static let project = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A Python with the TUF reference implementation. Where pip cannot get it, the tests that need it fail.
    private static let reference = Result {
        let made = try Subprocess.run(project.appendingPathComponent("scripts/tuf-venv"), [])
        guard made.status == 0 else { throw Missing() }
        return URL(fileURLWithPath: made.output.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private struct Missing: Error, CustomStringConvertible {
        let description = "pip cannot get tuf and securesystemslib; see .cache/tuf-venv.log"
    }

    /// Debian's own.
    static let system = URL(fileURLWithPath: "/usr/bin/python3")

    static func script(_ name: String) -> String {
        project.appendingPathComponent("Tests/Tools/\(name)").path
    }

    /// Runs a script of ours in the reference Python.
    static func run(_ script: String, _ arguments: String...) throws -> Subprocess.Result {
        try Subprocess.run(reference.get(), [Self.script(script)] + arguments)
    }
}

/// Another program, run to its end.
enum Subprocess {
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    static func run(_ program: URL, _ arguments: [String], environment: [String: String] = [:]) throws -> Result {
        let folder = FileManager.default.temporaryDirectory
        let output = folder.appendingPathComponent("out-\(UUID().uuidString)")
        let errors = folder.appendingPathComponent("err-\(UUID().uuidString)")
        for file in [output, errors] { try Data().write(to: file) }
        defer { for file in [output, errors] { try? FileManager.default.removeItem(at: file) } }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // Files, and not pipes that fill up while nobody reads.
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationReason == .exit ? process.terminationStatus : -1,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
}
