import Foundation

/// One run of a program that a test has built.
struct ProgramRun {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let program: URL
    let arguments: [String]
    /// Beside those of the test.
    var environment: [String: String] = [:]

    /// Runs the program to its end.
    /// - Parameter answer: is called with each line of the program that is to be answered by one.
    /// - Returns: everything that it printed.
    func output(answer: ((String) throws -> Void)? = nil) throws -> String {
        let (process, output, input) = (Process(), Pipe(), Pipe())
        // A file and not a pipe: a program that says much waits for nobody.
        let errors = FileManager.default.temporaryDirectory.appendingPathComponent("program-\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: errors.path, contents: nil) else {
            throw Failure(description: "\(errors.path) cannot be made")
        }
        defer { try? FileManager.default.removeItem(at: errors) }
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = input
        try process.run()
        var said = ""
        while true {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            let text = String(decoding: data, as: UTF8.self)
            said += text
            guard let answer else { continue }
            for line in text.split(separator: "\n") where line != "done" {
                do {
                    try answer(String(line))
                } catch {
                    process.terminate()
                    throw error
                }
                try input.fileHandleForWriting.write(contentsOf: Data("done\n".utf8))
            }
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0, process.terminationReason == .exit else {
            let fault = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
            throw Failure(description: "\(process.terminationReason) \(process.terminationStatus): \(said)\(fault)")
        }
        return said
    }

    /// Runs a tool to its end, and returns what it says on both of its outputs.
    static func tool(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "\(arguments): \(text)") }
        return text
    }
}
