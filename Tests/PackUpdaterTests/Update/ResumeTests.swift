import Foundation
import PackFormat
import PackPatch
import PackUpdaterOnline
import TestSupport
import Testing

@testable import PackUpdater

/// Downloads that are continued while the server's file is no longer the one that they began with.
struct ResumeTests {
    let registry: TestRegistry
    let device: TestDevice
    let one: VersionID
    let manifest: Manifest
    static let script: String = {
        var random = SeededGenerator(seed: 5)
        return (0..<20_000).map { _ in "value\(UInt32.random(in: 0...9_999_999, using: &random))\n" }.joined()
    }()

    init() throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        one = try registry.publish("checkout", "1.0.0", ["index.html": "one", "app.js": Self.script])
        manifest = try #require(registry.manifests[one])
        try registry.release("checkout", one, release: "r1")
    }

    private var full: String { ViewPath.patch(from: nil, to: one.manifest).description }
    private var object: String { ViewPath.object(Digest(of: Array(Self.script.utf8))).description }

    private func update(_ server: LocalServer) async throws -> UpdateReport {
        var limits = TransferLimits()
        limits.backoff = .milliseconds(1)
        return try await device.updater(transport: HTTPTransport(base: server.base, limits: limits)).update(.all)
    }

    @Test func `a full download that was replaced by a smaller one meanwhile starts again`() async throws {
        let place = registry.view.appending(path: full)
        let small = try Data(contentsOf: place)
        let quick = registry.folder.appending(path: "quick")
        let view = registry.view
        _ = try PatchEncoder(effort: .quick).encode(PatchPlan(from: nil, to: manifest), to: quick) {
            view.appending(path: ViewPath.object($0).description)
        }
        try #require(try Data(contentsOf: quick) != small)
        // As after a publication: the one that was made in a hurry first.
        try Data(contentsOf: quick).write(to: place)
        let full = full
        let server = try LocalServer(registry.view) { request in
            guard request.path == full else { return .file }
            if request.count == 1 { return .cut(after: 50_000) }
            try? small.write(to: place)
            return .file
        }
        let report = try await update(server)
        #expect(report.failures.isEmpty)
        #expect(try await device.page("checkout", "app.js") == Self.script)
        #expect(server.requests.filter { $0.hasPrefix(full) } == [full, "\(full) bytes=50000-"])
        #expect(try device.events(.fellBack).isEmpty)
    }

    @Test func `a full download that was altered under its tag is thrown away, and the right bytes come`() async throws
    {
        let (full, whole) = (full, try Data(contentsOf: registry.view.appending(path: full)))
        let altered = Self.altered(whole)
        let server = try LocalServer(registry.view) { request in
            guard request.path == full else { return .file }
            return request.count == 1
                ? .tagged("same", altered, cutAfter: 50_000) : .tagged("same", whole, cutAfter: nil)
        }
        let report = try await update(server)
        #expect(report.failures.isEmpty)
        #expect(try await device.page("checkout", "app.js") == Self.script)
        #expect(server.requests.contains("\(full) bytes=50000-"))
        #expect(try !device.events(.fellBack).isEmpty)
        #expect(try device.listing().allSatisfy { !$0.hasPrefix("downloads/") || !$0.contains("full") })
    }

    @Test func `an object that was altered under its name is never installed, and the next update has the right one`()
        async throws
    {
        let (full, object, whole) = (full, object, Data(Self.script.utf8))
        try FileManager.default.removeItem(at: registry.view.appending(path: full))
        let altered = Self.altered(whole)
        let server = try LocalServer(registry.view) { request in
            guard request.path == object else { return .file }
            return request.count == 1
                ? .tagged("same", altered, cutAfter: 50_000) : .tagged("same", whole, cutAfter: nil)
        }
        for _ in 0..<2 {
            _ = try await update(server)
            let page = try await device.page("checkout", "app.js")
            #expect(page == nil || page == Self.script)
        }
        #expect(try await device.page("checkout", "app.js") == Self.script)
        let asked = server.requests.filter { $0.hasPrefix(object) }
        #expect(asked.prefix(2) == [object, "\(object) bytes=50000-"])
        // Nothing of the altered file is continued.
        #expect(asked.dropFirst(2) == [object])
    }

    /// Damaged within what the first answer brings.
    private static func altered(_ whole: Data) -> Data {
        var altered = whole
        altered[altered.startIndex + 20_000] ^= 0x40
        return altered
    }
}
