import Foundation
import PackFormat
import PackTrust
import Testing

@testable import PackUpdater

/// Devices that trust by keys, as apps do.
struct TrustTests {
    let registry: TestRegistry
    let device: TestDevice
    let keys: AppKeys
    let one: VersionID

    init() throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        keys = try AppKeys(registry, packages: ["checkout", "admin"])
        one = try registry.publish("checkout", "1.0.0", ["index.html": "one"])
        try registry.release("checkout", one, release: "r1")
        try keys.sign()
        device.configuration.root = keys.root
    }

    func updater() throws -> Updater { try Updater(device.configuration) }

    func page() async throws -> String? { try await device.page("checkout", by: updater()) }

    @Test func `a signed version is installed, and the root is needed once`() async throws {
        #expect(try await updater().update(.all).entries.map(\.outcome) == [.activated(one.version)])
        #expect(try await page() == "one")
        device.configuration.root = nil
        #expect(try await updater().update(.all).entries.map(\.outcome) == [.upToDate(one.version)])
    }

    @Test func `without a root nothing is fetched`() async throws {
        device.configuration.root = nil
        await #expect(throws: UpdateError.noRoot) { try await updater().update(.all) }
    }

    @Test func `another package's publisher cannot sign this one's versions`() async throws {
        try await updater().update(.all)
        let two = try registry.publish("checkout", "1.1.0", ["index.html": "two"])
        try registry.release("checkout", two, release: "r2")
        try keys.sign(by: keys.publishers[PackageID("admin")])
        #expect(try await updater().update(.all).failures.map(\.package.text) == ["checkout"])
        #expect(try await page() == "one")
    }

    @Test func `a publisher that signs nonsense stops its own package only`() async throws {
        let admin = try registry.publish("admin", "1.0.0", ["index.html": "admin"])
        try registry.release("admin", admin, release: "a1")
        keys.spoiled = "admin"
        try keys.sign()
        let report = try await updater().update(.all)
        #expect(report.failures.map(\.package.text) == ["admin"])
        #expect(try await page() == "one")
    }

    @Test func `a registry's own key cannot bring a version in`() async throws {
        try await updater().update(.all)
        let two = try registry.publish("checkout", "1.1.0", ["index.html": "two"])
        try registry.release("checkout", two, release: "r2")
        try keys.sign(by: keys.online)
        #expect(try await updater().update(.all).failures.map(\.package.text) == ["checkout"])
        #expect(try device.events(.checkFailed).count == 1)
        #expect(try await page() == "one")
    }

    @Test func `expired metadata installs nothing new, and what runs keeps running`() async throws {
        try await updater().update(.all)
        let two = try registry.publish("checkout", "1.1.0", ["index.html": "two"])
        try registry.release("checkout", two, release: "r2")
        try keys.sign()
        device.configuration.now = { Date().addingTimeInterval(365 * 24 * 3600) }
        await #expect(throws: UpdateError.self) { try await updater().update(.all) }
        #expect(try await page() == "one")
        #expect(try device.events(.checkFailed).last?.why.contains("expired") == true)
        device.configuration.now = { Date() }
        #expect(try await updater().update(.all).entries.map(\.outcome) == [.activated(two.version)])
    }

    @Test func `over HTTP an idle check is one request that is answered by a 304`() async throws {
        let server = try LocalServer(registry.view)
        device.configuration.base = server.base
        try await updater().update(.all)
        let before = server.requests.count
        #expect(try await updater().update(.all).entries.map(\.outcome) == [.upToDate(one.version)])
        #expect(Array(server.requests.dropFirst(before)) == ["metadata/timestamp.json"])
    }

    @Test func `an older timestamp under the ETag of the newest holds a device only while it is told`() async throws {
        let timestamp = registry.view.appending(path: "metadata/timestamp.json")
        let old = [UInt8](try Data(contentsOf: timestamp))
        let two = try registry.publish("checkout", "1.1.0", ["index.html": "two"])
        try registry.release("checkout", two, release: "r2")
        try keys.sign()
        let tag = "\"\(Digest(of: try Data(contentsOf: timestamp)))\""
        let isLying = Locked(true)
        let server = try LocalServer(registry.view) { request in
            guard request.path == "metadata/timestamp.json", isLying.withLock({ $0 }) else { return .file }
            return .fields(["ETag": tag], old)
        }
        device.configuration.base = server.base
        #expect(try await updater().update(.all).entries.map(\.outcome) == [.activated(one.version)])
        isLying.withLock { $0 = false }
        #expect(try await updater().update(.all).entries.map(\.outcome) == [.activated(two.version)])
    }

    @Test func `over HTTP a cut download goes on, and the version is whole`() async throws {
        let big = (0..<60_000).map { "\($0 &* 2_654_435_761 % 1_000_003) " }.joined()
        let two = try registry.publish("checkout", "1.1.0", ["index.html": "two", "big.js": big])
        try registry.release("checkout", two, release: "r2")
        try keys.sign()
        let server = try LocalServer(registry.view) { request in
            request.path.hasPrefix("patches/") && request.count < 3 ? .cut(after: 40_000) : .file
        }
        device.configuration.base = server.base
        device.configuration.limits.backoff = .milliseconds(1)
        #expect(try await updater().update(.all).failures.isEmpty)
        let opened = try await updater().open(PackageID("checkout"))
        guard case .installed(let session) = opened, let file = try session.file(at: PackagePath("big.js")) else {
            Issue.record("not installed")
            return
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == big)
        #expect(server.requests.contains { $0.contains("bytes=40000-") })
    }

    @Test func `a preset is verified by its signatures, and its age does not matter`() async throws {
        let preset = try Folders.temporary("preset")
        for path in try Folders.listing(registry.view) where !path.hasPrefix("objects/") {
            try registry.put(Array(Data(contentsOf: registry.view.appending(path: path))), preset, path)
        }
        let list = #"{"format":1,"packages":{"checkout":{"version":"1.0.0","manifest":"\#(one.manifest.hex)"}}}"#
        try registry.put(Array(list.utf8), preset, PresetFolder.listName)
        device.configuration.presets = [preset]
        device.configuration.now = { Date().addingTimeInterval(10 * 365 * 24 * 3600) }
        try await updater().start()
        #expect(try await page() == "one")

        let stranger = try AppKeys(registry, packages: ["checkout"])
        let other = try TestDevice(registry)
        other.configuration.presets = [preset]
        other.configuration.root = stranger.root
        await #expect(throws: (any Error).self) { try await Updater(other.configuration).start() }
        #expect(try other.state("checkout").active == nil)
    }

    @Test func `what a mirror once said under the real tag is asked for again, not believed for ever`() async throws {
        let server = try LocalServer(registry.view)
        device.configuration.base = server.base
        try await updater().update(.all)
        let kept = StoreLayout(folder: device.store).cache.appending(path: MetadataTransport.keptName)
        let tag = try #require(Data(contentsOf: kept).split(separator: UInt8(ascii: "\n")).first)
        try (Data(tag) + Data("\n{}".utf8)).write(to: kept)
        let before = server.requests.count
        #expect(try await updater().update(.all).entries.map(\.outcome) == [.upToDate(one.version)])
        // Believed, refused, refused with a newer root looked for, and asked for without the tag.
        let timestamp = "metadata/timestamp.json"
        #expect(Array(server.requests.dropFirst(before)) == [timestamp, "metadata/2.root.json", timestamp, timestamp])
        #expect(try await updater().update(.all).entries.map(\.outcome) == [.upToDate(one.version)])
        #expect(server.requests.count == before + 5)
    }
}
