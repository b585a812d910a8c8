import Foundation
import TestSupport

/// `packtool serve` as a process of its own, which signals can reach.
final class ServeProcess {
    struct NotRunning: Error, CustomStringConvertible {
        let description: String
    }

    private let process = Process()
    private let output: URL
    private let errors: URL

    init(_ arguments: String...) throws {
        let folder = FileManager.default.temporaryDirectory
        output = folder.appending(path: "serve-\(UUID().uuidString).out")
        errors = output.appendingPathExtension("err")
        for file in [output, errors] { try Data().write(to: file) }
        process.executableURL = BuiltProgram.packtool
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

    /// Processes that the server has started and that have not ended, by number.
    func children() throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { number in
            // "12 (name) S 1 …": the name may hold anything but the last bracket.
            let text = (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)) ?? ""
            let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 1 && fields[0] != "Z" && fields[1] == "\(process.processIdentifier)"
        }
    }

    /// Bytes that the server has in memory.
    func residentByteCount() throws -> Int { try ProcessMemory.residentByteCount(of: process.processIdentifier) }

    var identifier: Int32 { process.processIdentifier }

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
