import Foundation

/// `packtool serve` as a process of its own, which signals can reach.
final class ServeProcess {
    struct NotRunning: Error, CustomStringConvertible {
        let description: String
    }

    private let process = Process()
    private let output: URL
    private let errors: URL

    /// The executable that the build has put beside the tests.
    private static let executable = URL(filePath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "packtool")

    init(_ arguments: String...) throws {
        let folder = FileManager.default.temporaryDirectory
        output = folder.appending(path: "serve-\(UUID().uuidString).out")
        errors = output.appendingPathExtension("err")
        for file in [output, errors] { try Data().write(to: file) }
        process.executableURL = Self.executable
        process.arguments = ["serve"] + arguments
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "SWIFT_BACKTRACE": "enable=no"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
    }

    deinit {
        if process.isRunning { signal(SIGKILL) }
        for file in [output, errors] { try? FileManager.default.removeItem(at: file) }
    }

    /// The port, as soon as the server says which it is.
    func port() async throws -> Int {
        while process.isRunning {
            let line = text(output).split(separator: "\n").first { $0.hasPrefix("http://") }
            if let port = line?.split(separator: ":").last.flatMap({ Int($0) }) { return port }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw NotRunning(description: text(errors))
    }

    func signal(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// The exit code, or the signal's number negated.
    func end() async throws -> Int32 {
        while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        return process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
    }

    var errorText: String { text(errors) }

    private func text(_ file: URL) -> String {
        (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
