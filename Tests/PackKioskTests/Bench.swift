import Foundation
import Synchronization
import TestSupport
import Testing

/// A project, a registry and a device's store in a folder of their own, made by the real `packtool`.
final class Bench: Sendable {
    let folder: URL
    /// What follows the first brace of the packtool.json that `init` has written.
    private let template: String
    static let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == "1"

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("packkiosk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.packtool(["init", "--template", "config"], in: folder)
        let text = try String(contentsOf: folder.appendingPathComponent("packtool.json"), encoding: .utf8)
        template = String(text.drop { $0 != "{" }.dropFirst())
    }

    /// A device with the site of ``KioskSite``, made once for all tests that change nothing of it.
    static func shared() throws -> Bench { try sharedBench.get() }

    private static let sharedBench = Result {
        let bench = try Bench(KioskSite.files())
        sharedFolder.withLock { $0 = bench.folder }
        atexit {
            Bench.sharedFolder.withLock { if let folder = $0 { try? FileManager.default.removeItem(at: folder) } }
        }
        return bench
    }
    private static let sharedFolder = Mutex<URL?>(nil)

    /// A device with version 1.0.0 of a package.
    convenience init(package: String = "shop", _ site: [String: Data]) throws {
        try self.init()
        try publish("1.0.0", of: package, site)
        try update()
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Writes, builds and publishes a version. One with a file `sw.js` says that it has a service worker.
    /// - Parameters:
    ///   - settings: members of packtool.json.
    ///   - build: further arguments.
    func publish(
        _ version: String, of package: String = "shop", _ site: [String: Data], settings: [String] = [],
        build: [String] = []
    ) throws {
        let dist = folder.appendingPathComponent("sites/\(package)-\(version)")
        for (path, content) in site {
            let file = dist.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try content.write(to: file)
        }
        // Sites that do not work are what is tried here, those that lack a script among them.
        let always = [#""audit": {"missing-file": "warning"}"#]
        let members = always + settings + (site["sw.js"] == nil ? [] : [#""serviceWorker": true"#])
        try ("{\n" + members.map { $0 + ",\n" }.joined() + template).write(
            to: folder.appendingPathComponent("packtool.json"), atomically: true, encoding: .utf8)
        try packtool(
            ["build", dist.path, "--package", package, "--package-version", version, "--out", "packages"] + build)
        try packtool("publish", "packages/\(package)-\(version).zip", "--channel", "stable")
    }

    func update() throws { try packtool("client", "update", "--store", "store") }

    @discardableResult
    func packtool(_ arguments: String...) throws -> String { try packtool(arguments) }

    @discardableResult
    func packtool(_ arguments: [String]) throws -> String { try Self.packtool(arguments, in: folder) }

    @discardableResult
    private static func packtool(_ arguments: [String], in folder: URL) throws -> String {
        let process = Process()
        process.executableURL = BuiltProgram.packtool
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(arguments): \(said)")
        return said
    }
}
