import Foundation
import PackFormat
import PackHost
import PackUpdater
import PackWeb
import Testing

/// A registry that the real `packtool` has made, a `packtool serve` on it on loopback, and hosts whose stores are folders here.
final class ServedRegistry {
    let folder: URL
    let shop: PackageID
    private var server: Process?
    private var url = ""

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("packhost-\(UUID().uuidString)")
        shop = try PackageID("shop")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try packtool("init", "--template", "config")
        url = try serve()
    }

    deinit {
        server?.terminate()
        server?.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Builds and publishes a version of `shop`, whose own web site is `https://shop.example.com/`.
    func publish(_ version: String, _ site: [String: String]) throws {
        let settings = #"{ "origins": ["https://shop.example.com/"], "channel": "stable" }"#
        try Data(settings.utf8).write(to: folder.appendingPathComponent("packtool.json"))
        let dist = folder.appendingPathComponent("sites/\(version)")
        try FileManager.default.createDirectory(at: dist, withIntermediateDirectories: true)
        for (name, text) in site { try Data(text.utf8).write(to: dist.appendingPathComponent(name)) }
        try packtool("build", dist.path, "--package", "shop", "--package-version", version, "--out", "packages")
        try packtool("publish", "packages/shop-\(version).zip", "--channel", "stable")
    }

    /// A host over a store here, as an app has it.
    /// - Parameter rules: the app's own, as JSON.
    func host(rules: String? = nil, change: (inout UpdaterConfiguration) -> Void = { _ in }) throws -> PackHost {
        let root = try Data(contentsOf: folder.appendingPathComponent(".packtool/root.json"))
        var configuration = try UpdaterConfiguration(
            store: folder.appendingPathComponent("store"), base: #require(URL(string: url)),
            channel: ChannelName("stable"), root: Array(root))
        configuration.activation = .atOnce
        change(&configuration)
        var settings = PackHostConfiguration(updater: configuration, schemes: ["h5pack"])
        if let rules { settings.rules = try WebRules(parsing: Data(rules.utf8)) }
        return try PackHost(settings)
    }

    /// Writes into the store that the channel's gate is off for `shop`, as a check does.
    func switchOff() throws {
        let file = folder.appendingPathComponent("store/state.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        let key = try #require(text.firstRange(of: /"shop": *\{/), "\(text)")
        try Data(text.replacingCharacters(in: key, with: "\"shop\": {\"enabled\": false,").utf8).write(to: file)
    }

    /// Nothing answers from here on.
    func stop() {
        server?.terminate()
        server?.waitUntilExit()
    }

    private func serve() throws -> String {
        let (process, output) = (process(["serve", "--port", "0"]), Pipe())
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        server = process
        var said = ""
        while true {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "it did not start: \(said)")
            said += String(decoding: data, as: UTF8.self)
            if let found = said.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/) { return String(found.output) }
        }
    }

    private func packtool(_ arguments: String...) throws {
        let (process, output) = (process(arguments), Pipe())
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(arguments): \(said)")
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
