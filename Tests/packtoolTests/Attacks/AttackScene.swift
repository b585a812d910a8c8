import AttackSupport
import Foundation
import PackJSON
import Testing

/// A registry with version 1.0.0 of `shop` on beta, and a device that runs it, confirmed. The attacker has the
/// network, a mirror, the registry's disk or its online key, as each test says.
///
///     let scene = try await AttackScene()
///     let mirror = try await scene.mirror()              // a copy of the view, behind a server of its own
///     try mirror.replace("metadata/timestamp.json", with: old)
///     try await scene.expectRefusal(from: mirror.url, saying: ["timestamp", "would go back"])
final class AttackScene {
    let tool: Tool
    private var servers: [RunningTool] = []

    /// The files that devices read, or a new copy of them where they are in a bucket.
    func view() async throws -> URL {
        guard Tool.isOnStorage else { return tool.folder.appending(path: ".packtool/registry/view") }
        let copy = tool.folder.appending(path: "bucket-\(UUID().uuidString)")
        try await bucket("get", copy)
        return copy
    }

    /// What an attacker does to those files who owns the registry's disk, or the bucket and the disk of a server.
    /// - Parameter script: of bash, in the folder of the files.
    func changeView(_ script: String) async throws {
        // One that runs would make derived files anew meanwhile.
        try await tool.stopServerOfStorage()
        let view = try await view()
        let folders = Tool.isOnStorage ? [view.path, ".packtool/registry/view"] : [view.path]
        for folder in folders { try await tool.shell("cd '\(folder)'; \(script)").expectSuccess() }
        if Tool.isOnStorage { try await bucket("put", view) }
    }

    private func bucket(_ command: String, _ folder: URL) async throws {
        try await tool.startScript("on-storage/bucket.py", command, folder.path).outcome().expectSuccess()
    }

    /// - Parameter template: made once, and copied for each test.
    init(_ template: AttackTemplates.Name = .first) async throws {
        tool = try Tool()
        if Tool.isOnStorage {
            // A copy of the folder would have the same rows.
            try await make(clock: nil)
            if let newest = template.newest { try await publish(newest) }
            return
        }
        try await tool.shell("cp -r '\(AttackTemplates.shared.folder(of: template))/.' .").expectSuccess()
    }

    /// - Parameter clock: an offset such as `-40 days` under which the registry is made and the device installs.
    init(making clock: String?) async throws {
        tool = try Tool()
        try await make(clock: clock)
    }

    private func make(clock: String?) async throws {
        try await run("init", "--template", "config", clock: clock)
        try await publish("1.0.0", clock: clock)
        try await run(Self.update(from: ".packtool/registry"), clock: clock)
        try await run("client", "start", "--store", "device", "--package", "shop", clock: clock)
        try await run("client", "confirm", "--store", "device", "--package", "shop", clock: clock)
    }

    deinit {
        for server in servers { server.kill(SIGKILL) }
    }

    /// - Parameter patience: seconds without a byte. Little, so that what never ends is over soon.
    static func update(from registry: String, patience: Int = 1) -> [String] {
        [
            "client", "update", "--store", "device", "--channel", "beta", "--timeout", "\(patience)", "--registry",
            registry,
        ]
    }

    /// Runs what has to succeed.
    @discardableResult
    func run(_ arguments: String..., clock: String? = nil) async throws -> Outcome {
        try await run(arguments, clock: clock)
    }

    @discardableResult
    func run(_ arguments: [String], clock: String? = nil, environment: [String: String] = [:]) async throws -> Outcome {
        let outcome: Outcome
        if let clock {
            outcome = try await tool.run(
                URL(fileURLWithPath: "/usr/bin/faketime"), [clock, Tool.executable.path] + arguments,
                environment: environment)
        } else {
            outcome = try await tool.run(arguments, environment: environment)
        }
        try #require(outcome.exitCode == 0, "\(arguments): \(outcome)")
        return outcome
    }

    static func page(_ version: String) -> String { "<!doctype html><title>Shop \(version)</title>" }

    /// Builds and publishes a version in the registry's folder.
    func publish(_ version: String, of package: String = "shop", clock: String? = nil) async throws {
        try tool.write([
            "sites/\(version)/index.html": Self.page(version),
            "sites/\(version)/app.js": (0..<3_000).map { "step(\($0), '\(version)');" }.joined(separator: "\n"),
        ])
        try await run(
            "build", "sites/\(version)", "--package", package, "--package-version", version, "--out", "packages",
            clock: clock)
        try await tool.stopServerOfStorage()
        try await run("publish", "packages/\(package)-\(version).zip", "--channel", "beta", clock: clock)
    }

    /// `packtool serve` on the registry.
    func serve() async throws -> String {
        try await start(tool.start("serve", "--port", "0"), ready: "http://127.0.0.1:") { line in
            try String(#require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output)
        }
    }

    /// A copy of the view as it is now, served by a server that knows nothing of packtool.
    /// - Parameter mode: how `http_server.py` misbehaves.
    /// - Parameter hasRecent: Whether it has the metadata that changed last in one file. Without it, as on an older
    ///   registry, a device asks for each document by itself.
    func mirror(_ mode: String = "plain", hasRecent: Bool = false) async throws -> Mirror {
        let folder = tool.folder.appendingPathComponent("mirror-\(servers.count)")
        try await FileManager.default.copyItem(at: view(), to: folder)
        if !hasRecent {
            let metadata = folder.appendingPathComponent("metadata")
            let names = try FileManager.default.contentsOfDirectory(atPath: metadata.path)
            for name in names where name.hasSuffix(".recent.zst") {
                try FileManager.default.removeItem(at: metadata.appendingPathComponent(name))
            }
        }
        let script = Tool.project.appendingPathComponent("Tests/Tools/http_server.py").path
        let server = try tool.start(
            URL(fileURLWithPath: "/usr/bin/python3"), [script, folder.resolvingSymlinksInPath().path, mode])
        let url = try await start(server, ready: "") { "http://127.0.0.1:\($0)" }
        return Mirror(folder: folder, url: url)
    }

    private func start(_ server: RunningTool, ready: String, _ url: (String) throws -> String) async throws -> String {
        servers.append(server)
        return try url(#require(await server.line(holding: ready), "the server did not start"))
    }

    // MARK: The device

    func update(from registry: String, patience: Int = 1) async throws -> Outcome {
        try await tool.run(Self.update(from: registry, patience: patience))
    }

    /// The version that the device shows when it starts.
    func runningVersion() async throws -> String {
        let started = try await run("client", "start", "--store", "device", "--package", "shop", "--json")
        return try started.json().object().object("packages").object("shop").string("version")
    }

    /// Every byte that the device could show.
    private func content() throws -> [String: Data] {
        try tool.listing("device").filter { $0.key.hasPrefix("objects/") || $0.key.hasPrefix("unzipFiles/") }
    }

    /// What the device says about itself, the newest event last.
    func explanations(after known: Int = 0) async throws -> [String] {
        let explained = try await run("client", "explain", "--store", "device", "--json", "--limit", "1000")
        return try explained.json().object().array("events").dropFirst(known).map { event in
            let event = try event.object()
            return try "\(event.string("event")): \(event.string("why"))"
        }
    }

    /// Updates, and expects that nothing came of it: the exit code says so, the version that ran runs on, no file was added
    /// or changed, and the log says why.
    func expectRefusal(
        from registry: String, saying words: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try content()
        let active = before.keys.filter { $0.hasSuffix("/index.html") }.sorted()
        let known = try tool.read("device/events.jsonl").count { $0 == UInt8(ascii: "\n") }
        let outcome = try await update(from: registry)
        #expect(outcome.exitCode == 1 || outcome.exitCode == 2, "\(outcome)", sourceLocation: sourceLocation)
        let said = try await explanations(after: known).joined(separator: "\n")
        let version = try await runningVersion()
        #expect(active.contains { $0.contains("/\(version)/") }, sourceLocation: sourceLocation)
        let after = try content()
        #expect(after.keys.sorted() == before.keys.sorted(), sourceLocation: sourceLocation)
        #expect(after == before, sourceLocation: sourceLocation)
        for word in words {
            #expect(said.contains(word), "\(word) is not in: \(said)", sourceLocation: sourceLocation)
        }
    }

    /// Updates, and expects that the device then runs a version with exactly its files.
    func expectUpdate(
        from registry: String, to version: String, patience: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await update(from: registry, patience: patience)
        #expect(outcome.exitCode == 0, "\(outcome)", sourceLocation: sourceLocation)
        #expect(try await runningVersion() == version, sourceLocation: sourceLocation)
        let page = try tool.read("device/unzipFiles/shop/\(version)/index.html")
        #expect(String(decoding: page, as: UTF8.self) == Self.page(version), sourceLocation: sourceLocation)
    }
}

extension OnlineThief {
    init(_ scene: AttackScene, mirror: Mirror) throws {
        try self.init(registry: scene.tool.folder.appendingPathComponent(".packtool/registry"), mirror: mirror)
    }
}

/// The scenes that tests begin with.
actor AttackTemplates {
    enum Name {
        /// Version 1.0.0 everywhere.
        case first
        /// The channel offers 1.1.0, the device runs 1.0.0.
        case second
        /// Somebody else's registry, under the same names and with other keys: 1.0.0 and 6.6.6.
        case stranger

        /// What is published besides 1.0.0, before or after the device has that.
        var newest: String? {
            switch self {
            case .first: nil
            case .second: "1.1.0"
            case .stranger: "6.6.6"
            }
        }
    }

    static let shared = AttackTemplates()
    private var scenes: [Name: AttackScene] = [:]

    func folder(of name: Name) async throws -> String {
        if let scene = scenes[name] { return scene.tool.folder.path }
        let scene = try await name == .second ? AttackScene() : AttackScene(making: nil)
        if let newest = name.newest { try await scene.publish(newest) }
        let path = scene.tool.folder.path
        scenes[name] = scene
        return path
    }
}
