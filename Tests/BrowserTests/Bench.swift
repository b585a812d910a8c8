import Foundation
import Testing

/// A real Chromium and the servers around it, in a process of their own (`Tests/WebScripts/browser_bench.py`).
actor Bench {
    /// The port of the echo server.
    nonisolated let echoPort: Int
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var count = 0
    private var waiting: [Int: CheckedContinuation<String, any Error>] = [:]
    private var rest = Data()

    struct Failure: Error {
        let text: String
    }

    private struct Answer: Decodable {
        let number: Int
        let report: String
    }

    init() async throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", tests.appendingPathComponent("WebScripts/browser_bench.py").path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let byte = try #require(try output.fileHandleForReading.read(upToCount: 1))
            guard !byte.isEmpty else { throw Failure(text: "the browser did not start") }
            line += byte
        }
        echoPort = try #require(try JSONDecoder().decode([String: Int].self, from: line)["echo"])
        let handle = output.fileHandleForReading
        Thread.detachNewThread {
            while true {
                let data = handle.availableData
                Task { await self.receive(data) }
                if data.isEmpty { return }
            }
        }
    }

    deinit {
        try? input.fileHandleForWriting.close()
    }

    /// Sends a host's requests to a port of this machine; the others go to the echo server.
    func route(_ hosts: [String: Int]) throws { try write(["routes": hosts]) }

    /// Opens a page and waits for what it reports.
    /// - Parameter script: run in each frame before any script of the page.
    func run(_ url: String, script: String? = nil, timeout: Int = 60) async throws -> String {
        count += 1
        let number = count
        var command: [String: Any] = ["number": number, "run": url, "timeout": timeout]
        if let script { command["script"] = script }
        let line = try JSONSerialization.data(withJSONObject: command)
        return try await withCheckedThrowingContinuation { continuation in
            waiting[number] = continuation
            do {
                try input.fileHandleForWriting.write(contentsOf: line + Data("\n".utf8))
            } catch {
                waiting.removeValue(forKey: number)?.resume(throwing: error)
            }
        }
    }

    func close() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private func write(_ value: [String: Any]) throws {
        let line = try JSONSerialization.data(withJSONObject: value)
        try input.fileHandleForWriting.write(contentsOf: line + Data("\n".utf8))
    }

    private func receive(_ data: Data) {
        if data.isEmpty {
            for continuation in waiting.values { continuation.resume(throwing: Failure(text: "the browser is gone")) }
            waiting = [:]
            return
        }
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Data(rest[rest.startIndex..<end])
            rest = Data(rest[rest.index(after: end)...])
            guard let answer = try? JSONDecoder().decode(Answer.self, from: line) else { continue }
            waiting.removeValue(forKey: answer.number)?.resume(returning: answer.report)
        }
    }
}
