import Foundation
import PackFormat
import Testing

@testable import PackUpdater

struct UpdateTests {
    let registry: TestRegistry
    let device: TestDevice

    init() throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
    }

    @Test func `the first update installs the version that the channel offers, and nothing else`() async throws {
        let one = try registry.publish("checkout", "1.0.0", ["index.html": "one", "static/app.js": "js"])
        try registry.release("checkout", one, release: "r1")
        let report = try await device.updater().update(.all)
        #expect(report.entries.map(\.outcome) == [.activated(one.version)])
        #expect(try await device.page("checkout") == "one")
        let objects = ["one", "js"].map { text in
            let hex = Digest(of: Array(text.utf8)).hex
            return "objects/\(hex.prefix(2))/\(hex)"
        }.sorted()
        #expect(
            try device.listing() == [
                "cache/channel-beta.json", "downloads", "events.jsonl",
            ] + objects + [
                "pins/checkout@1.0.0", "state.json", "state.lock", "unzipFiles/checkout/1.0.0/index.html",
                "unzipFiles/checkout/1.0.0/pack.json", "unzipFiles/checkout/1.0.0/static/app.js", "update.lock",
                "verified/checkout@1.0.0",
            ])
    }

    @Test func `the next version comes as a patch of the one before, and the manifest too`() async throws {
        let one = try registry.publish("checkout", "1.0.0", ["index.html": "one", "big.js": "same"])
        try registry.release("checkout", one, release: "r1")
        try await device.updater().update(.all)
        let two = try registry.publish("checkout", "1.1.0", ["index.html": "two", "big.js": "same"])
        try registry.patch(from: one, to: two, manifest: true)
        try registry.release("checkout", two, release: "r2")
        let transport = WatchedTransport(FolderTransport(folder: registry.view))
        let report = try await device.updater(transport: transport).update(.all)
        #expect(report.entries.map(\.outcome) == [.activated(two.version)])
        #expect(
            await transport.paths == [
                // An older registry has no update files.
                ViewPath.updateFile(from: one.manifest, to: two.manifest).description,
                ViewPath.manifestPatch(from: one.manifest, to: two.manifest).description,
                ViewPath.patch(from: one.manifest, to: two.manifest).description,
            ])
        #expect(try await device.page("checkout") == "two")
    }

    @Test func `nothing new costs nothing and changes nothing`() async throws {
        let one = try registry.publish("checkout", "1.0.0", ["index.html": "one"])
        try registry.release("checkout", one, release: "r1")
        try await device.updater().update(.all)
        let before = try (device.listing(), Data(contentsOf: device.store.appending(path: "events.jsonl")))
        let transport = WatchedTransport(FolderTransport(folder: registry.view))
        let report = try await device.updater(transport: transport).update(.all)
        #expect(report.entries.map(\.outcome) == [.upToDate(one.version)])
        #expect(await transport.paths.isEmpty)
        let after = try (device.listing(), Data(contentsOf: device.store.appending(path: "events.jsonl")))
        #expect(before == after)
    }
}
