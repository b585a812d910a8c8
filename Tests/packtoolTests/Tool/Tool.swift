import Foundation
import PackJSON
import TestSupport
import Testing

/// Runs the built `packtool` in a folder of its own, with nothing of the caller's environment but PATH.
///
///     let tool = try Tool()
///     let result = try tool.run("build", "dist", "--json")
///     #expect(result.exitCode == 0)
///     let report = try result.json()
final class Tool {
    /// The temporary folder that commands run in; removed with the tool.
    let folder: URL
    var environment: [String: String]

    init(environment: [String: String] = [:]) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("packtool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let home = folder.appendingPathComponent(".home").path
        let inherited = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": home,
            // Most servers that are away here stay away.
            "PACKTOOL_WAIT": "0",
        ]
        let storage = try Self.storageOfThisRun(folder, hasPlace: environment["PACKTOOL_REGISTRY"] != nil)
        self.environment = inherited.merging(storage) { $1 }.merging(environment) { $1 }
    }

    deinit {
        endServerOfStorage()
        removeRowsOfStorage()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The project's own folder.
    static let project: URL = {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder
    }()

    /// Runs packtool to its end.
    @discardableResult
    func run(_ arguments: String..., environment extra: [String: String] = [:]) async throws -> Outcome {
        try await run(arguments, environment: extra)
    }

    @discardableResult
    func run(_ arguments: [String], environment extra: [String: String] = [:]) async throws -> Outcome {
        try await run(Self.executable, arguments, environment: extra)
    }

    /// Runs packtool, which must succeed.
    /// - Returns: what it printed.
    @discardableResult
    func output(of arguments: [String], environment extra: [String: String] = [:]) async throws -> String {
        let outcome = try await run(arguments, environment: extra)
        try #require(outcome.exitCode == 0, "\(arguments): \(outcome)")
        return outcome.standardOutput
    }

    /// Runs a line of bash, as a CI step or a person would.
    @discardableResult
    func shell(_ script: String, environment extra: [String: String] = [:]) async throws -> Outcome {
        try await run(URL(fileURLWithPath: "/bin/bash"), ["-eu", "-o", "pipefail", "-c", script], environment: extra)
    }

    func run(_ executable: URL, _ arguments: [String], environment extra: [String: String]) async throws -> Outcome {
        let process = try start(executable, arguments, environment: extra)
        return await process.outcome()
    }

    /// Starts packtool and returns while it runs, for servers and for what is to be killed.
    func start(_ arguments: String..., environment extra: [String: String] = [:]) throws -> RunningTool {
        try start(Self.executable, arguments, environment: extra)
    }

    func start(_ arguments: [String], environment extra: [String: String] = [:]) throws -> RunningTool {
        try start(Self.executable, arguments, environment: extra)
    }

    /// Starts a script of Tests/Tools.
    func startScript(_ name: String, _ arguments: String...) throws -> RunningTool {
        try startScript(name, arguments)
    }

    func startScript(_ name: String, _ arguments: [String]) throws -> RunningTool {
        let script = Self.project.appendingPathComponent("Tests/Tools/\(name)").path
        return try start(URL(fileURLWithPath: "/usr/bin/python3"), [script] + arguments, environment: [:])
    }

    func start(
        _ executable: URL, _ arguments: [String], environment extra: [String: String] = [:]
    ) throws -> RunningTool {
        try RunningTool(
            executable: executable, arguments: arguments, folder: folder,
            environment: environment.merging(extra) { $1 })
    }

    /// Writes files below the folder, making folders as needed.
    func write(_ files: [String: String]) throws {
        for (path, text) in files {
            let file = folder.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    func read(_ path: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(path))
    }

    /// Every file and link below a folder with the bytes it holds, for "nothing was written" and "exactly this".
    func listing(_ path: String = ".") throws -> [String: Data] {
        let root = folder.appendingPathComponent(path).standardizedFileURL
        var found: [String: Data] = [:]
        let walk = FileManager.default.enumerator(atPath: root.path)
        while let name = walk?.nextObject() as? String {
            let type = walk?.fileAttributes?[.type] as? FileAttributeType
            if type == .typeSymbolicLink {
                let target = try FileManager.default.destinationOfSymbolicLink(atPath: "\(root.path)/\(name)")
                found[name] = Data("-> \(target)".utf8)
            } else if type == .typeRegular {
                found[name] = (try? Data(contentsOf: root.appendingPathComponent(name))) ?? Data("unreadable".utf8)
            }
        }
        return found
    }
}
