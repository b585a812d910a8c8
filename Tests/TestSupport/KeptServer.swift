import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A foreign server of the tests, in a folder of its own. A shell keeps it: it ends the server and removes the folder when its input
/// ends. So the server ends with its owner, and with the process of the tests however that ends.
final class KeptServer: Sendable {
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    let folder: URL
    private let name: String
    private let log: URL
    private let keeper: Process
    private let input: FileHandle

    /// - Parameters:
    ///   - name: for messages.
    ///   - script: of Tests/Tools; gets the program, the folder and the arguments, and makes the file `ready` in the folder.
    ///   - seconds: how long that may take.
    init(_ name: String, script: String, program: String, _ arguments: [String], within seconds: Int) async throws {
        self.name = name
        folder = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let keeper = Process()
        self.keeper = keeper
        keeper.executableURL = URL(filePath: "/bin/bash")
        let tools = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Tools")
        keeper.arguments = [tools.appending(path: script).path, program, folder.path] + arguments
        let pipe = Pipe()
        keeper.standardInput = pipe
        log = folder.deletingLastPathComponent().appending(path: folder.lastPathComponent + ".log")
        try Data().write(to: log)
        keeper.standardOutput = try FileHandle(forWritingTo: log)
        keeper.standardError = try FileHandle(forWritingTo: log)
        input = pipe.fileHandleForWriting
        try keeper.run()
        try await waitUntilReady(within: seconds)
    }

    deinit {
        try? input.close()
        keeper.waitUntilExit()
    }

    private func waitUntilReady(within seconds: Int) async throws {
        let ready = folder.appending(path: "ready").path
        for _ in 0..<(seconds * 20) {
            guard keeper.isRunning else { break }
            if FileManager.default.fileExists(atPath: ready) {
                try? FileManager.default.removeItem(at: log)
                return
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        throw Fault(description: "\(name) did not start: \(text.suffix(2000))")
    }

    /// Kills the server as a power cut does; the shell starts it again at once.
    /// - Parameter file: in whose first line its number is.
    func kill(numberIn file: String) throws {
        let file = folder.appending(path: file)
        let text = try String(contentsOf: file, encoding: .utf8)
        guard let number = text.split(separator: "\n").first.flatMap({ Int32($0) }) else {
            throw Fault(description: "no number of a process in \(file.path)")
        }
        #if canImport(Glibc)
            Glibc.kill(number, SIGKILL)
        #else
            Darwin.kill(number, SIGKILL)
        #endif
    }
}
