import Foundation
import PackFormat
import Testing

@testable import PackUpdater

struct FallbackTests {
    let registry: TestRegistry
    let device: TestDevice
    let one: VersionID
    let two: VersionID
    static let big = (0..<4000).map { "line \($0 * 7919 % 1009)\n" }.joined()

    init() async throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        one = try registry.publish("checkout", "1.0.0", ["index.html": "one", "a.js": Self.big, "b.js": "old"])
        try registry.release("checkout", one, release: "r1")
        try await device.updater().update(.all)
        two = try registry.publish(
            "checkout", "1.1.0", ["index.html": "two", "a.js": Self.big + "more", "b.js": "new"])
        try registry.patch(from: one, to: two, manifest: true)
        try registry.release("checkout", two, release: "r2")
    }

    var patch: String { ViewPath.patch(from: one.manifest, to: two.manifest).description }
    var full: String { ViewPath.patch(from: nil, to: two.manifest).description }
    /// This registry has none.
    var updateFile: String { ViewPath.updateFile(from: one.manifest, to: two.manifest).description }
    var manifestPatch: String { ViewPath.manifestPatch(from: one.manifest, to: two.manifest).description }

    /// Updates over a network that changes what it carries.
    func update(_ rewrite: @escaping @Sendable (String, [UInt8]) throws -> [UInt8]?) async throws -> [String] {
        let transport = WatchedTransport(FolderTransport(folder: registry.view), rewrite: rewrite)
        let report = try await device.updater(transport: transport).update(.all)
        #expect(report.failures.isEmpty)
        #expect(try await device.page("checkout", "a.js") == Self.big + "more")
        #expect(try await device.page("checkout", "b.js") == "new")
        return await transport.paths
    }

    @Test func `a damaged patch falls back to the full download`() async throws {
        let patch = patch
        let paths = try await update { path, bytes in
            guard path == patch else { return bytes }
            var bytes = bytes
            bytes[bytes.count / 2] ^= 0x40
            return bytes
        }
        #expect(paths == [updateFile, manifestPatch, patch, full])
        #expect(try !device.events(.fellBack).isEmpty)
    }

    @Test func `a truncated patch falls back, and so does an empty one and one of another version`() async throws {
        let (patch, full) = (patch, full)
        let other = try Data(
            contentsOf: registry.view.appending(path: ViewPath.patch(from: nil, to: one.manifest).description))
        for fault in [{ Array($0.dropLast(3)) }, { _ in [] }, { _ in Array(other) }] as [@Sendable ([UInt8]) -> [UInt8]]
        {
            let fresh = try TestDevice(registry)
            try registry.set(
                PackageID("checkout"), [Release(id: "r1", offer: .version(one.version, manifest: one.manifest))])
            try await fresh.updater().update(.all)
            try registry.release("checkout", two, release: "r2")
            let transport = WatchedTransport(FolderTransport(folder: registry.view)) { path, bytes in
                path == patch ? fault(bytes) : bytes
            }
            let report = try await fresh.updater(transport: transport).update(.all)
            #expect(report.failures.isEmpty)
            #expect(try await fresh.page("checkout", "b.js") == "new")
            #expect(await transport.paths.suffix(2) == [patch, full])
        }
    }

    @Test func `without patch and full download it takes single objects, and only those that it lacks`() async throws {
        let (patch, full) = (patch, full)
        let paths = try await update { path, bytes in path == patch || path == full ? nil : bytes }
        let lacking = ["two", Self.big + "more", "new"].map { ViewPath.object(Digest(of: Array($0.utf8))).description }
        #expect(paths.prefix(4) == [updateFile, manifestPatch, patch, full])
        #expect(Set(paths.dropFirst(4)) == Set(lacking))
    }

    @Test func `a damaged patch, a damaged full download, and still the right bytes`() async throws {
        let paths = try await update { path, bytes in
            path.hasSuffix(".zst") && !path.hasSuffix(".manifest.zst") ? bytes + [0] : bytes
        }
        #expect(paths.count == 7)
    }

    @Test func `a damaged manifest patch costs the whole manifest`() async throws {
        let manifestPatch = manifestPatch
        let paths = try await update { path, bytes in path == manifestPatch ? bytes.reversed() : bytes }
        #expect(paths == [updateFile, manifestPatch, patch])
        #expect(try device.events(.fellBack).count == 1)
    }

    @Test func `a swapped object is refused, and nothing of it is left`() async throws {
        let (patch, full) = (patch, full)
        let object = ViewPath.object(Digest(of: Array("new".utf8))).description
        let before = try device.listing()
        let transport = WatchedTransport(FolderTransport(folder: registry.view)) { path, bytes in
            if path == patch || path == full { return nil }
            return path == object ? Array("bad".utf8) : bytes
        }
        let report = try await device.updater(transport: transport).update(.all)
        #expect(report.failures.map(\.package.text) == ["checkout"])
        #expect(try await device.page("checkout") == "one")
        #expect(try device.listing().filter { $0.contains(Digest(of: Array("new".utf8)).hex) }.isEmpty)
        let fresh = try device.listing().filter { !before.contains($0) && !$0.hasPrefix("pins/") }
        #expect(fresh.isEmpty)
    }

    @Test func `a network that is gone leaves what is there, and the next update goes on`() async throws {
        let transport = WatchedTransport(FolderTransport(folder: registry.view)) { path, _ in
            throw UpdateError.unreachable(address: path, reason: "no network")
        }
        let report = try await device.updater(transport: transport).update(.all)
        #expect(report.failures.count == 1)
        #expect(try await device.page("checkout") == "one")
        try await device.updater().update(.all)
        #expect(try await device.page("checkout") == "two")
    }

    @Test func `an object that the device has under another package is not fetched`() async throws {
        let other = try registry.publish("admin", "1.0.0", ["index.html": "admin", "a.js": Self.big + "more"])
        try registry.release("admin", other, release: "a1")
        try await device.updater().update(.list([PackageID("admin")]))
        let (patch, full) = (patch, full)
        let paths = try await update { path, bytes in path == patch || path == full ? nil : bytes }
        #expect(!paths.contains(ViewPath.object(Digest(of: Array((Self.big + "more").utf8))).description))
    }

    @Test func `an object that two packages lack is fetched once, not into one file by two`() async throws {
        let new = (0..<30_000).map { "new \($0 * 7919 % 1009)\n" }.joined()
        let names = ["admin", "cart", "news"]
        for name in names {
            let id = try registry.publish(name, "1.0.0", ["index.html": name, "new.js": new], full: false)
            try registry.release(name, id, release: "n1")
        }
        let object = ViewPath.object(Digest(of: Array(new.utf8))).description
        let transport = SlowTransport(inner: FolderTransport(folder: registry.view))
        let report = try await device.updater(transport: transport).update(.list(names.map { try PackageID($0) }))
        #expect(report.failures.isEmpty)
        #expect(transport.downloads.filter { $0 == object }.count == 1)
        for name in names { #expect(try await device.page(name, "new.js") == new) }
    }

    @Test func `the cheapest way is tried first`() {
        let objects = (0..<10).map { Object(digest: Digest(of: [UInt8($0)]), size: 10_000) }
        let base = Digest(of: [99])
        #expect(DownloadPlan(own: objects, missing: [], bases: [base]).steps == [])
        #expect(DownloadPlan(own: objects, missing: objects, bases: []).steps == [.full, .objects])
        #expect(
            DownloadPlan(own: objects, missing: objects, bases: [base]).steps == [.patch(from: base), .full, .objects])
        #expect(
            DownloadPlan(own: objects, missing: [objects[0]], bases: []).steps == [.objects, .full])
    }
}

/// Gives every other task time to begin before a download does.
private final class SlowTransport: UpdateTransport, @unchecked Sendable {
    let inner: FolderTransport
    private let lock = NSLock()
    private var paths: [String] = []

    init(inner: FolderTransport) {
        self.inner = inner
    }

    var downloads: [String] { lock.withLock { paths } }

    func read(_ path: String, maximumByteCount: Int, validator: String?) async throws -> ReadAnswer {
        try await inner.read(path, maximumByteCount: maximumByteCount, validator: validator)
    }

    func download(_ path: String, to file: URL, maximumByteCount: Int) async throws -> Bool {
        lock.withLock { paths.append(path) }
        try await Task.sleep(for: .milliseconds(200))
        return try await inner.download(path, to: file, maximumByteCount: maximumByteCount)
    }
}
