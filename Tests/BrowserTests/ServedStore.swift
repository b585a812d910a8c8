import Foundation
import Testing

/// A project, a registry and a device's store of the real `packtool`, and a `packtool client serve` on it.
final class ServedStore {
    let folder: URL
    private var server: Process?

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("packbrowser-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try packtool("init", "--template", "config")
    }

    deinit {
        server?.terminate()
        server?.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Builds and publishes a version of `shop`, and installs it.
    func install(_ version: String, _ site: [String: String], allowsWorker: Bool = true) throws {
        let settings = "{ \"serviceWorker\": \(allowsWorker), \"channel\": \"stable\" }"
        try Data(settings.utf8).write(to: folder.appendingPathComponent("packtool.json"))
        let dist = folder.appendingPathComponent("sites/\(version)")
        try FileManager.default.createDirectory(at: dist, withIntermediateDirectories: true)
        for (name, text) in site { try Data(text.utf8).write(to: dist.appendingPathComponent(name)) }
        try packtool("build", dist.path, "--package", "shop", "--package-version", version, "--out", "packages")
        try packtool("publish", "packages/shop-\(version).zip", "--channel", "stable")
        try packtool("client", "update", "--store", "store")
    }

    /// Starts `packtool client serve`.
    /// - Returns: the address of `shop`.
    func serve() throws -> String {
        let (process, output) = (process(["client", "serve", "--port", "0", "--store", "store"]), Pipe())
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        server = process
        var said = ""
        while true {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "it did not start: \(said)")
            said += String(decoding: data, as: UTF8.self)
            if let found = said.firstMatch(of: /http:\/\/shop\.package\.localhost:[0-9]+\//) {
                return String(found.output)
            }
        }
    }

    @discardableResult
    func packtool(_ arguments: String...) throws -> String {
        let (process, output) = (process(arguments), Pipe())
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(arguments): \(said)")
        return said
    }

    private func process(_ arguments: [String]) -> Process {
        let tests = URL(fileURLWithPath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
        let process = Process()
        process.executableURL = tests.deletingLastPathComponent().appendingPathComponent("packtool")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        return process
    }
}
