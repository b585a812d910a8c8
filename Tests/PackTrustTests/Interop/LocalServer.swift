import Foundation

/// A real HTTP server on the loopback that serves a folder and tells what it was asked.
final class LocalServer {
    let folder: URL
    let port: Int
    private let process: Process
    private let log: URL

    struct DidNotStart: Error {}

    init(serving folder: URL, mode: String = "plain") throws {
        self.folder = folder
        log = FileManager.default.temporaryDirectory.appendingPathComponent("log-\(UUID().uuidString)")
        try Data().write(to: log)
        process = Process()
        process.executableURL = PythonTools.system
        process.arguments = [PythonTools.script("http_server.py"), folder.path, mode]
        process.standardOutput = try FileHandle(forWritingTo: log)
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        let deadline = Date() + 30
        while !text.contains("\n") {
            guard Date() < deadline, process.isRunning else { throw DidNotStart() }
            usleep(10_000)
            text = try String(contentsOf: log, encoding: .utf8)
        }
        guard let port = Int(text.prefix { $0 != "\n" }) else { throw DidNotStart() }
        self.port = port
    }

    deinit {
        // Children of a thread that blocks SIGTERM never see it.
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: log)
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Method and path of every request so far.
    func requests() throws -> [String] {
        try String(contentsOf: log, encoding: .utf8).split(separator: "\n").dropFirst().map(String.init)
    }
}
