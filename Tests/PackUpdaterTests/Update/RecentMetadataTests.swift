import AttackSupport
import Foundation
import PackFormat
import PackPatch
import PackTrust
import Testing

@testable import PackUpdater

/// A device that gets the metadata of a change in one file, which only replaces requests: whatever it says, the device installs what
/// was signed.
struct RecentMetadataTests {
    let registry: TestRegistry
    let device: TestDevice
    let keys: AppKeys
    let one: VersionID

    init() throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        keys = try AppKeys(registry, packages: ["checkout"])
        one = try registry.publish("checkout", "1.0.0", ["index.html": "one"])
        try registry.release("checkout", one, release: "r1")
        try keys.sign()
        device.configuration.root = keys.root
        device.configuration.limits.backoff = .milliseconds(1)
    }

    private func publishTwo() throws -> VersionID {
        let two = try registry.publish("checkout", "1.1.0", ["index.html": "two"])
        try registry.patch(from: one, to: two, manifest: true, update: true)
        try registry.release("checkout", two, release: "r2")
        try keys.sign()
        return two
    }

    /// The newest version of each role but root and timestamp, and all channel files.
    private func documents() throws -> [String: String] {
        var newest: [String: Int] = [:]
        for name in try Durable.names(in: registry.view.appending(path: "metadata")) {
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            guard let version = Int(parts[0]), parts[1] != "root.json" else { continue }
            newest[parts[1]] = max(newest[parts[1]] ?? 0, version)
        }
        var paths = newest.map { "metadata/\($1).\($0)" }
        paths += try Durable.names(in: registry.view.appending(path: "targets/channels")).map {
            "targets/channels/\($0)"
        }
        return try Dictionary(
            uniqueKeysWithValues: paths.map {
                ($0, try String(contentsOf: registry.view.appending(path: $0), encoding: .utf8))
            })
    }

    private func snapshot(_ documents: [String: String]) throws -> Int {
        let path = try #require(documents.keys.first { $0.hasSuffix(".snapshot.json") })
        return try #require(Int(path.dropFirst("metadata/".count).prefix { $0 != "." }))
    }

    private static func frame(_ files: [String: String?], format: Int = 1) throws -> [UInt8] {
        struct Document: Encodable {
            let format: Int
            let files: [String: String?]
        }
        return try JSONEncoder().encode(Document(format: format, files: files))
            .withUnsafeBytes { try ContentFrame.compress($0) }
    }

    private static func isEdited(_ text: String) throws -> String {
        let mark = "\"sig\":\""
        let place = try #require(text.range(of: mark)).upperBound
        return text[..<place] + (text[place] == "0" ? "1" : "0") + text[text.index(after: place)...]
    }

    @Test func `a change costs three requests`() async throws {
        let server = try LocalServer(registry.view)
        device.configuration.base = server.base
        try await device(updates: .activated(one.version))
        let two = try publishTwo()
        let documents = try documents()
        let path = ViewPath.recent(snapshot: try snapshot(documents)).description
        try registry.put(Self.frame(documents), registry.view, path)
        let before = server.requests.count
        try await device(updates: .activated(two.version))
        #expect(
            Array(server.requests.dropFirst(before)) == [
                "metadata/timestamp.json", path,
                ViewPath.updateFile(from: one.manifest, to: two.manifest).description,
            ])
        #expect(try await device.page("checkout", by: Updater(device.configuration)) == "two")
    }

    /// What a file of many documents can lie about.
    enum Lie: CaseIterable, CustomTestStringConvertible {
        case missing, nothing, noFrame, cut, tooLong, bomb, otherFormat, noJSON, nulls, roots
        case damagedSnapshot, damagedChannels, damagedPackage, damagedChannelFile, damagedAll, older, mixed

        var testDescription: String { "\(self)" }
    }

    private func lying(_ lie: Lie, _ honest: [String: String], older: [String: String]) throws -> [UInt8]? {
        func damaged(_ part: String) throws -> [UInt8] {
            try Self.frame(
                Dictionary(
                    uniqueKeysWithValues: honest.map { path, text in
                        guard path.contains(part) else { return (path, text) }
                        return (path, path.hasPrefix("targets/") ? text + " " : try Self.isEdited(text))
                    }))
        }
        switch lie {
        case .missing: return nil
        case .nothing: return []
        case .noFrame: return Array("nonsense".utf8)
        case .cut: return Array(try Self.frame(honest).dropLast(20))
        case .tooLong: return (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        case .bomb:
            return try [UInt8](repeating: 0x20, count: 8 << 20).withUnsafeBytes { try ContentFrame.compress($0) }
        case .otherFormat: return try Self.frame(honest, format: 2)
        case .noJSON: return try Array("{\"format\":1,".utf8).withUnsafeBytes { try ContentFrame.compress($0) }
        case .nulls: return try Self.frame(honest.mapValues { _ in nil })
        case .roots:
            var files: [String: String?] = honest.mapValues { $0 }
            for path in ["metadata/2.root.json", "metadata/timestamp.json", "objects/ab/ab", "../../etc/x"] {
                files[path] = .some("{}")
            }
            files["metadata/3.root.json"] = .some(nil)
            return try Self.frame(files)
        case .damagedSnapshot: return try damaged(".snapshot.json")
        case .damagedChannels: return try damaged(".channels.json")
        case .damagedPackage: return try damaged(".package.")
        case .damagedChannelFile: return try damaged("targets/channels/")
        case .damagedAll: return try damaged("")
        case .older: return try Self.frame(older)
        case .mixed:
            // Older texts under the newest names.
            return try Self.frame(
                Dictionary(
                    uniqueKeysWithValues: honest.map { path, text in
                        let kind = path.split(separator: ".").dropFirst().joined(separator: ".")
                        return (path, older.first { $0.key.hasSuffix(".\(kind)") && $0.key != path }?.value ?? text)
                    }))
        }
    }

    @Test(arguments: Lie.allCases)
    func `a file that lies costs requests and nothing else`(lie: Lie) async throws {
        let server = try LocalServer(registry.view)
        device.configuration.base = server.base
        try await device(updates: .activated(one.version))
        let older = try documents()
        let two = try publishTwo()
        let honest = try documents()
        let path = ViewPath.recent(snapshot: try snapshot(honest)).description
        if let bytes = try lying(
            lie, honest.filter { older[$0.key] == nil || $0.key.hasPrefix("metadata/") }, older: older)
        {
            try registry.put(bytes, registry.view, path)
        }
        let before = server.requests.count
        try await device(updates: .activated(two.version))
        #expect(try await device.page("checkout", by: Updater(device.configuration)) == "two")
        let requests = Array(server.requests.dropFirst(before))
        #expect(
            requests.count { $0 == path } <= (lie == .tooLong ? device.configuration.limits.attempts : 1), "\(requests)"
        )
        // timestamp, the file, snapshot, two roles, the channel, the update; and once more root and timestamp after each refusal.
        #expect(requests.count { $0 != path } <= 12, "\(requests)")
        // It is not asked again where nothing has changed.
        let after = server.requests.count
        try await device(updates: .upToDate(two.version))
        #expect(Array(server.requests.dropFirst(after)) == ["metadata/timestamp.json"])
    }

    /// Whoever sends this file cannot hide that the registry has another root: it is asked for by itself.
    @Test func `it cannot bring a root, or keep one away`() async throws {
        let server = try LocalServer(registry.view)
        device.configuration.base = server.base
        try await device(updates: .activated(one.version))
        let two = try publishTwo()
        let documents = try documents()
        var files: [String: String?] = documents.mapValues { $0 }
        files["metadata/2.root.json"] = .some(nil)
        try registry.put(
            Self.frame(files), registry.view, ViewPath.recent(snapshot: try snapshot(documents)).description)
        try FileManager.default.removeItem(at: StoreLayout(folder: device.store).cache.appending(path: "root-probe"))
        let before = server.requests.count
        try await device(updates: .activated(two.version))
        #expect(server.requests.dropFirst(before).contains("metadata/2.root.json"))
    }

    @Test func `no damage to the file makes a device install or keep what was not signed`() async throws {
        var run = FuzzRun(seconds: 1)
        let two = try publishTwo()
        let documents = try documents()
        let number = try snapshot(documents)
        let path = ViewPath.recent(snapshot: number).description
        let frame = try Self.frame(documents)
        let text = try ContentFrame.decompress(frame, maximumByteCount: 1 << 20)
        var given = 0
        while run.goesOn() {
            // Half of them damaged frames, half of them sound frames of damaged text.
            let isFrame = run.count.isMultiple(of: 2)
            let bytes = run.damage(isFrame ? frame : Array(text), with: Array(text))
            let sent = isFrame ? bytes : try bytes.withUnsafeBytes { try ContentFrame.compress($0) }
            let transport = WatchedTransport(FolderTransport(folder: registry.view)) { asked, bytes in
                asked == path ? sent : bytes
            }
            try registry.put(sent, registry.view, path)
            let bundle = MetadataBundle(channel: registry.channel, transport: transport)
            await bundle.fetchRecent(snapshot: number)
            for path in documents.keys where bundle.take(path, maximumByteCount: 1 << 20) != nil { given += 1 }
            #expect(bundle.take("metadata/2.root.json", maximumByteCount: 1 << 20) == nil)
            // A whole device now and then, of each half: it takes some milliseconds.
            if run.count % 16 < 2 {
                let fresh = try TestDevice(registry)
                fresh.configuration.root = keys.root
                let updater = try Updater(fresh.configuration)
                #expect(try await updater.update(.all).entries.map(\.outcome) == [.activated(two.version)])
            }
        }
        print("fuzzed \(run.count) files of recent metadata, \(given) documents taken, \(run.ending)")
        #expect(run.count > 10 && given > 0, "\(run.count), \(given)")
    }

    private func device(updates outcome: UpdateReport.Outcome) async throws {
        let report = try await Updater(device.configuration).update(.all)
        #expect(report.entries.map(\.outcome) == [outcome])
    }
}
