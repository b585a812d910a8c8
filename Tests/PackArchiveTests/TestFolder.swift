import Foundation

@testable import PackArchive

/// A folder of its own for one test, removed at the end.
final class TestFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "packtool-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func callAsFunction(_ path: String) -> URL { url.appending(path: path) }

    @discardableResult
    func write(_ bytes: some Sequence<UInt8>, to path: String) throws -> URL {
        let file = self(path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(Array(bytes)).write(to: file)
        return file
    }

    /// The names of everything below, sorted.
    func listing(_ path: String = "") throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: self(path).path).sorted()
    }

    /// Runs a foreign tool and gives its exit code and all it said.
    func run(_ tool: String, _ arguments: [String], environment: [String: String] = [:]) throws -> (Int32, String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        process.currentDirectoryURL = url
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = self("run-\(UUID().uuidString).log")
        try Data().write(to: output)
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let text = try String(decoding: Data(contentsOf: output), as: UTF8.self)
        try FileManager.default.removeItem(at: output)
        return (process.terminationStatus, text)
    }
}
