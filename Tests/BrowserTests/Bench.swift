import Foundation
import Testing

/// A real Chromium and the servers around it, in a process of their own (`Tests/WebScripts/browser_bench.py`).
///
/// Every wait has a deadline, and what fails names the scenarios that the page was at.
actor Bench {
    /// The port of the echo server.
    nonisolated let echoPort: Int
    private let process: Process
    private let input: FileHandle
    private var count = 0
    private var waiting: [Int: CheckedContinuation<String, any Error>] = [:]
    /// What each page said last that it was doing.
    private var steps: [Int: String] = [:]

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private struct Line: Decodable {
        let number: Int?
        let step: String?
        let report: String?
        let fault: String?
        let echo: Int?
    }

    init() async throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", tests.appendingPathComponent("WebScripts/browser_bench.py").path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        (self.process, self.input) = (process, input.fileHandleForWriting)
        let starting = Self.deadline(60) { process.terminate() }
        let lines = Self.lines(of: output.fileHandleForReading)
        var first: Data?
        for await line in lines {
            first = line
            break
        }
        starting.cancel()
        guard let first, let port = try JSONDecoder().decode(Line.self, from: first).echo else {
            throw Failure(description: "the browser did not start")
        }
        echoPort = port
        Task { [weak self] in
            for await line in lines { await self?.receive(line) }
            await self?.end()
        }
    }

    deinit {
        try? input.close()
    }

    /// Sends a host's requests to a port of this machine; the others go to the echo server.
    func route(_ hosts: [String: Int]) throws { try write(["routes": hosts]) }

    /// Opens a page and waits for what it reports.
    /// - Parameters:
    ///   - script: run in each frame before any script of the page.
    ///   - timeout: in seconds, for the whole page.
    func run(_ url: String, script: String? = nil, timeout: Int = 240) async throws -> String {
        count += 1
        let number = count
        var command: [String: Any] = ["number": number, "run": url, "timeout": timeout]
        if let script { command["script"] = script }
        // The bench keeps the deadline itself; this one is for a bench that does not.
        let late = Self.deadline(timeout + 60) { [weak self] in await self?.giveUp(number, url) }
        defer { late.cancel() }
        let line = try JSONSerialization.data(withJSONObject: command)
        return try await withCheckedThrowingContinuation { continuation in
            waiting[number] = continuation
            do {
                try input.write(contentsOf: line + Data("\n".utf8))
            } catch {
                waiting.removeValue(forKey: number)?.resume(throwing: error)
            }
        }
    }

    func close() async {
        try? input.close()
        let process = process
        let late = Self.deadline(30) { process.terminate() }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                process.waitUntilExit()
                continuation.resume()
            }
        }
        late.cancel()
    }

    private func write(_ value: [String: Any]) throws {
        let line = try JSONSerialization.data(withJSONObject: value)
        try input.write(contentsOf: line + Data("\n".utf8))
    }

    private func receive(_ data: Data) {
        let line: Line
        do {
            line = try JSONDecoder().decode(Line.self, from: data)
        } catch {
            fail(Failure(description: "the bench said what cannot be read: \(String(decoding: data, as: UTF8.self))"))
            return
        }
        guard let number = line.number else { return }
        if let step = line.step { steps[number] = step }
        if let report = line.report { waiting.removeValue(forKey: number)?.resume(returning: report) }
        if let fault = line.fault {
            waiting.removeValue(forKey: number)?.resume(throwing: Failure(description: fault))
        }
    }

    private func end() { fail(Failure(description: "the browser is gone; its pages were at \(steps)")) }

    private func fail(_ error: Failure) {
        for continuation in waiting.values { continuation.resume(throwing: error) }
        waiting = [:]
    }

    private func giveUp(_ number: Int, _ url: String) {
        let step = steps[number] ?? "its start"
        waiting.removeValue(forKey: number)?
            .resume(throwing: Failure(description: "\(url): the bench does not answer; the page was at \(step)"))
    }

    private static func deadline(_ seconds: Int, _ act: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task {
            do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
            await act()
        }
    }

    /// The lines that a pipe brings, in their order: one thread reads, and one stream carries them on. A task for each
    /// piece would not keep the order, and a report of many pieces would now and then be torn.
    private static func lines(of handle: FileHandle) -> AsyncStream<Data> {
        let (stream, continuation) = AsyncStream<Data>.makeStream()
        Thread.detachNewThread {
            var rest = Data()
            while true {
                var data = handle.availableData
                if data.isEmpty { break }
                // Only what is new is searched: a report comes in many pieces.
                while let end = data.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(rest + data[..<end])
                    rest = Data()
                    data = data[data.index(after: end)...]
                }
                rest += data
            }
            continuation.finish()
        }
        return stream
    }
}
