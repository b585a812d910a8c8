import Foundation
import TestSupport

/// A command that is under way. Its output goes to files, so that it never waits for a reader; waiting for it suspends the
/// test and blocks no thread, which other tests' servers may need.
final class RunningTool: Sendable {
    private let process: RunningProcess
    private let output: URL
    private let errors: URL

    init(executable: URL, arguments: [String], folder: URL, environment: [String: String]) throws {
        let outputs = FileManager.default.temporaryDirectory.appendingPathComponent("packtool-\(UUID().uuidString)")
        output = outputs.appendingPathExtension("out")
        errors = outputs.appendingPathExtension("err")
        for file in [output, errors] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        let handles = try [output, errors].map { try FileHandle(forWritingTo: $0) }
        (process.standardOutput, process.standardError) = (handles[0], handles[1])
        // Foundation keeps them, and crashes when it starts something while 1,400 files are open.
        defer { for handle in handles { try? handle.close() } }
        self.process = try RunningProcess(starting: process)
    }

    deinit {
        process.kill(SIGKILL)
        for file in [output, errors] { try? FileManager.default.removeItem(at: file) }
    }

    func kill(_ signal: Int32) { process.kill(signal) }

    /// Waits for the end.
    func outcome() async -> Outcome {
        let code = await process.exitCode()
        return Outcome(exitCode: code, standardOutput: text(output), standardError: text(errors))
    }

    /// Waits until stdout or stderr holds a text (any, where it is empty), and returns the line that does; nil when the command ends before, or
    /// after a minute.
    func line(holding text: String) async throws -> String? {
        for _ in 0..<1_200 {
            let isRunning = process.isRunning
            let lines = (self.text(output) + "\n" + self.text(errors)).split(separator: "\n")
            if let line = lines.first(where: { text.isEmpty || $0.contains(text) }) { return String(line) }
            if !isRunning { return nil }
            try await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    /// Bytes that the process has in memory.
    func residentByteCount() throws -> Int { try ProcessMemory.residentByteCount(of: process.identifier) }

    /// What its threads wait for, where Linux says it.
    func threads() async throws -> String {
        let ps = ["-L", "-o", "pid,lwp,stat,etime,wchan:24,comm", "-p", "\(process.identifier)"]
        return try await RunningTool(
            executable: URL(filePath: "/bin/ps"), arguments: ps, folder: FileManager.default.temporaryDirectory,
            environment: [:]
        ).outcome().standardOutput
    }

    /// What stdout holds so far.
    var lines: [String] { text(output).split(separator: "\n").map(String.init) }

    /// What stderr holds so far.
    var log: String { text(errors) }

    private func text(_ file: URL) -> String {
        (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
