import Foundation
import Testing

/// A real HTTP server in its own process, which says what it got.
final class EchoServer: @unchecked Sendable {
    struct Said: Decodable {
        let method: String
        let path: String
        let headers: [String: String]
        /// In hexadecimal.
        let body: String
    }

    let address: String
    private let process = Process()
    private let input = Pipe()

    init() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let script = tests.appendingPathComponent("WebScripts/echo_server.py")
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", script.path]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let byte = try #require(try output.fileHandleForReading.read(upToCount: 1))
            try #require(!byte.isEmpty)
            line += byte
        }
        let port = try #require(Int(String(decoding: line.dropLast(), as: UTF8.self)))
        address = "http://127.0.0.1:\(port)"
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
