import Foundation
import TestSupport

/// What foreign tools find in a zip, and make of it.
final class Unzipped: Sendable {
    struct Failure: Error {
        let text: String
    }

    private let folder: TemporaryFolder
    private var root: URL { folder.url.appending(path: "out") }

    init(_ zip: [UInt8]) throws {
        folder = try TemporaryFolder()
        try add(zip)
    }

    static func files(_ zip: [UInt8]) throws -> [String: String] { try Unzipped(zip).files() }

    /// Unpacks another zip over the files.
    func add(_ zip: [UInt8]) throws {
        let file = folder.url.appending(path: "\(UUID().uuidString).zip")
        try Data(zip).write(to: file)
        _ = try Self.run("/usr/bin/unzip", ["-q", "-o", file.path, "-d", root.path])
    }

    /// The files by path.
    func files() throws -> [String: String] {
        var found: [String: String] = [:]
        for path in try folder.listing("out") {
            let data = try Data(contentsOf: root.appending(path: path))
            found[path] = String(decoding: data, as: UTF8.self)
        }
        return found
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(at: root.appending(path: path)) }

    func codePushHash() throws -> String { try Self.codePushHash(below: root) }

    /// The hash of files as CodePush's clients have it.
    static func codePushHash(below folder: URL) throws -> String {
        let tool = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Tools/codepush_hash.py").standardizedFileURL
        return try run("/usr/bin/python3", [tool.path, folder.path]).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = ["LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"]
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let fault = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(text: String(decoding: fault, as: UTF8.self)) }
        return String(decoding: text, as: UTF8.self)
    }
}
