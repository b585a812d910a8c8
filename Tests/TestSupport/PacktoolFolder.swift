package import Foundation

/// A folder of its own with a project and a registry of the real `packtool`, and one server of it. Both go with it.
package final class PacktoolFolder {
    /// What a command said that was to succeed.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let url: URL
    private var server: Process?

    /// - Parameter name: how the folder's name begins.
    package init(_ name: String) throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try run("init", "--template", "config")
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: url)
    }

    /// Builds a version of `shop` and publishes it on `stable`.
    /// - Parameter settings: the project's `packtool.json`.
    package func publish(_ version: String, _ site: [String: String], settings: String) throws {
        try Data(settings.utf8).write(to: url.appendingPathComponent("packtool.json"))
        let dist = url.appendingPathComponent("sites/\(version)")
        try FileManager.default.createDirectory(at: dist, withIntermediateDirectories: true)
        for (name, text) in site { try Data(text.utf8).write(to: dist.appendingPathComponent(name)) }
        try run("build", dist.path, "--package", "shop", "--package-version", version, "--out", "packages")
        try run("publish", "packages/shop-\(version).zip", "--channel", "stable")
    }

    /// Runs a command that has to succeed.
    /// - Returns: all that it said.
    @discardableResult
    package func run(_ arguments: String...) throws -> String { try run(arguments) }

    @discardableResult
    package func run(_ arguments: [String]) throws -> String {
        let (process, output) = (process(arguments), Pipe())
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "\(arguments): \(said)") }
        return said
    }

    /// Starts a server on any port.
    /// - Returns: the address that it says, in the form of `address`.
    package func serve(_ arguments: String..., saying address: Regex<Substring>) throws -> String {
        let (process, output) = (process(arguments + ["--port", "0"]), Pipe())
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        server = process
        var said = ""
        while true {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Failure(description: "it did not start: \(said)") }
            said += String(decoding: data, as: UTF8.self)
            if let found = said.firstMatch(of: address) { return String(found.output) }
        }
    }

    /// Ends the server.
    package func stop() {
        server?.terminate()
        server?.waitUntilExit()
    }

    private func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = BuiltProgram.packtool
        process.arguments = arguments
        process.currentDirectoryURL = url
        process.standardInput = FileHandle.nullDevice
        return process
    }
}
