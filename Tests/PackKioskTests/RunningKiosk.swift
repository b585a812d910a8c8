import Foundation
import PackJSON
import Synchronization
import TestSupport
import Testing

enum Transport: String, CaseIterable, CustomTestStringConvertible {
    case proxy, scheme

    var testDescription: String { rawValue }
    /// The address of a package's page.
    func url(_ path: String, package: String = "shop") -> String {
        self == .proxy ? "https://\(package).package\(path)" : "h5pack://\(package)\(path)"
    }
}

/// A `packtool-kiosk` under a virtual display of its own, driven by its control lines.
final class RunningKiosk: Sendable {
    private struct State {
        var events: [JSONObject] = []
        /// When each of them came.
        var times: [ContinuousClock.Instant] = []
        var rest = Data()
        var nextID = 1
        /// Of the updates that changed something: those that ``RunningKiosk/update()`` has told.
        var toldChanges = 0
    }

    private let state = Mutex(State())
    private let kiosk = Process()
    private let display = Process()
    private let input = Pipe()
    private let output = Pipe()
    let errors: URL
    /// The kiosk reads from the bench's folder until it ends.
    private let bench: Bench

    /// Starts it and waits until its first page has loaded.
    convenience init(
        _ bench: Bench, _ transport: Transport, package: String = "shop", inWindow: Bool = false,
        _ arguments: String...
    ) async throws {
        try await self.init(bench, transport, package: package, inWindow: inWindow, arguments)
    }

    init(
        _ bench: Bench, _ transport: Transport, package: String = "shop", inWindow: Bool = false,
        environment given: [String: String] = [:], _ arguments: [String]
    ) async throws {
        self.bench = bench
        errors = bench.folder.appendingPathComponent("kiosk.err")
        try Data().write(to: errors)
        let displayOutput = Pipe()
        display.executableURL = URL(fileURLWithPath: "/usr/bin/Xvfb")
        // Ends with its only client.
        display.arguments = ["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-terminate"]
        display.standardOutput = displayOutput
        display.standardError = FileHandle.nullDevice
        try display.run()
        var number = Data()
        while number.last != UInt8(ascii: "\n") {
            let byte = try #require(try displayOutput.fileHandleForReading.read(upToCount: 1))
            try #require(!byte.isEmpty, "Xvfb did not start")
            number += byte
        }
        kiosk.executableURL = BuiltProgram.beside("packtool-kiosk")
        kiosk.arguments =
            [
                "--store", "store", "--registry", ".packtool/registry", "--package", package, "--transport",
                transport.rawValue, inWindow ? "--software" : "--offscreen", "--control", "--update-interval", "0",
            ] + arguments
        kiosk.currentDirectoryURL = bench.folder
        var environment = ProcessInfo.processInfo.environment
        environment["DISPLAY"] = ":" + String(decoding: number.dropLast(), as: UTF8.self)
        environment["GDK_BACKEND"] = "x11"
        environment["NO_AT_BRIDGE"] = "1"
        environment.merge(given) { $1 }
        kiosk.environment = environment
        kiosk.standardInput = input
        kiosk.standardOutput = output
        kiosk.standardError = try FileHandle(forWritingTo: errors)
        output.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.state.withLock { state in
                state.rest += data
                while let end = state.rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = state.rest[state.rest.startIndex..<end]
                    state.rest = Data(state.rest[state.rest.index(after: end)...])
                    guard let event = try? JSONValue(parsing: Array(line)).object() else { continue }
                    state.events.append(event)
                    state.times.append(.now)
                }
            }
        }
        try kiosk.run()
        try await event("finished")
    }

    deinit {
        try? input.fileHandleForWriting.close()
        if kiosk.isRunning {
            kiosk.waitUntilExit()
        }
        display.terminate()
    }

    var processID: Int32 { kiosk.processIdentifier }
    var isRunning: Bool { kiosk.isRunning }
    var saidErrors: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    /// How many events have come; what ``event(_:after:where:)`` counts from.
    var eventCount: Int { state.withLock { $0.events.count } }

    /// The names of the events between two counts.
    func names(after: Int, before: Int) -> [String] {
        state.withLock { $0.events[after..<before].compactMap { try? $0["event"]?.string() } }
    }

    /// When the first such event came; nil: none has.
    func time(of name: String, where holds: (JSONObject) -> Bool = { _ in true }) -> ContinuousClock.Instant? {
        state.withLock { state in
            state.events.firstIndex { $0["event"] == .string(name) && holds($0) }.map { state.times[$0] }
        }
    }

    /// Waits up to a minute for an event, ten in the long sweep.
    @discardableResult
    func event(
        _ name: String, after count: Int = 0, where holds: (JSONObject) -> Bool = { _ in true }
    ) async throws -> JSONObject {
        for _ in 0..<(Bench.isLong ? 60_000 : 6_000) {
            let found = state.withLock { state in
                state.events.dropFirst(count).first { $0["event"] == .string(name) && holds($0) }
            }
            if let found { return found }
            try #require(kiosk.isRunning, "the kiosk has ended: \(saidErrors)")
            try await Task.sleep(for: .milliseconds(10))
        }
        let others = state.withLock { $0.events.dropFirst(count).map { JSONValue.object($0).compactText } }
        Issue.record("no event \(name), only \(others): \(saidErrors)")
        throw CancellationError()
    }

    /// Sends a command and gives its value as JSON text.
    @discardableResult
    func send(_ command: String, _ arguments: [String: String] = [:]) async throws -> String {
        let (id, count) = state.withLock { state in
            state.nextID += 1
            return (state.nextID, state.events.count)
        }
        var line: JSONObject = ["id": .integer(id), "command": .string(command)]
        for (name, value) in arguments { line[name] = .string(value) }
        try input.fileHandleForWriting.write(contentsOf: Data((JSONValue.object(line).compactText + "\n").utf8))
        let reply = try await event("reply", after: count) { $0["id"] == .integer(id) }
        if let error = reply["error"] { throw KioskRefusal(reason: try error.string()) }
        return try reply.string("value")
    }

    /// Looks for an update. The kiosk's own first look, two seconds after its start, may have found it before.
    /// - Returns: whether something changed since the last call.
    func update() async throws -> Bool {
        try await send("update")
        return state.withLock { state in
            let changes = state.events.count { $0["event"] == "updated" && $0["changed"] == true }
            defer { state.toldChanges = changes }
            return changes > state.toldChanges
        }
    }

    /// Runs a script's body in the page; the value as Foundation reads its JSON.
    func evaluate(_ script: String) async throws -> Any {
        let json = try await send("evaluate", ["script": script])
        return try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    }

    func load(_ url: String) async throws {
        let count = eventCount
        try await send("load", ["url": url])
        // Not the end of a load that was given up before.
        try await event("finished", after: count) { $0["url"] == .string(url) }
    }

    /// What the kiosk holds: its sockets, pipes and content files, its resident bytes, and those of the engine's processes.
    struct Resources: CustomStringConvertible {
        let files: Int
        let bytes: Int
        let engineBytes: Int

        var description: String { "\(files) files, \(bytes >> 20) MiB, its engine \(engineBytes >> 20) MiB" }
    }

    func resources() throws -> Resources {
        let folder = "/proc/\(processID)/fd"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
            let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) ?? ""
            return ["socket:", "pipe:"].contains { target.hasPrefix($0) } || target.contains("/objects/")
        }
        return Resources(
            files: files, bytes: try Self.residentBytes(of: processID),
            engineBytes: Self.children(of: processID).reduce(0) { $0 + ((try? Self.residentBytes(of: $1)) ?? 0) })
    }

    private static func residentBytes(of process: Int32) throws -> Int {
        let pages = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8).split(separator: " ")
        return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * 4096
    }

    static func children(of process: Int32) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        let direct = names.flatMap { name -> [Int32] in
            let text = try? String(contentsOfFile: "/proc/\(process)/task/\(name)/children", encoding: .utf8)
            return (text ?? "").split(separator: " ").compactMap { Int32($0) }
        }
        return direct + direct.flatMap { children(of: $0) }
    }
}

struct KioskRefusal: Error {
    let reason: String
}
