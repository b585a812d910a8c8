import Foundation
import PackFormat
import Testing

@testable import PackUpdater

struct PresetTests {
    let registry: TestRegistry
    let device: TestDevice
    let preset: URL
    let one: VersionID

    init() throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        preset = try Folders.temporary("preset")
        one = try registry.publish("checkout", "1.0.0", ["index.html": "one"])
        try registry.preset(["checkout": one], in: preset)
        device.configuration.presets = [preset]
    }

    @Test func `a preset is there at the first start, without network`() async throws {
        let updater = try device.updater(transport: FolderTransport(folder: preset.appending(path: "nowhere")))
        try await updater.start()
        #expect(try await device.page("checkout", by: updater) == "one")
        #expect(try device.state("checkout").embedded?.id == one)
    }

    @Test func `a preset is taken in once, and never over something newer`() async throws {
        let two = try registry.publish("checkout", "1.1.0", ["index.html": "two"])
        try registry.release("checkout", two, release: "r1")
        try await device.updater().update(.all)
        for _ in 1...2 { try await device.updater().start() }
        #expect(try await device.page("checkout") == "two")
        #expect(try device.events(.preset).count == 1)
    }

    @Test func `the channel can send the device back to the preset, and the collection keeps it`() async throws {
        try await device.updater().start()
        try await device.confirm("checkout")
        for number in 1...3 {
            let next = try registry.publish("checkout", "1.\(number).0", ["index.html": "version \(number)"])
            try registry.release("checkout", next, release: "r\(number)")
            try await device.updater().update(.all)
            try await device.confirm("checkout")
        }
        try registry.release("checkout", nil, release: "back")
        let transport = WatchedTransport(FolderTransport(folder: registry.view))
        let report = try await device.updater(transport: transport).update(.all)
        #expect(report.entries.map(\.outcome) == [.activated(one.version)])
        #expect(await transport.paths.isEmpty)
        #expect(try await device.page("checkout") == "one")
    }

    @Test func `a preset that is broken keeps neither the others nor what is staged from starting`() async throws {
        let two = try registry.publish("admin", "1.1.0", ["index.html": "two"])
        try registry.release("admin", two, release: "r1")
        device.configuration.activation = .nextStart
        try await device.updater().update(.all)
        let broken = try Folders.temporary("broken")
        defer { try? FileManager.default.removeItem(at: broken) }
        try registry.put(Array("{".utf8), broken, PresetFolder.listName)
        device.configuration.presets = [broken, preset]
        for _ in 1...2 {
            await #expect(throws: (any Error).self) { try await device.updater().start() }
            #expect(try await device.page("admin") == "two")
            #expect(try await device.page("checkout") == "one")
        }
        #expect(try device.events(.preset).contains { $0.why.contains(broken.lastPathComponent) })
    }

    @Test func `one package of a preset that is damaged leaves the others alone`() async throws {
        let other = try registry.publish("admin", "1.0.0", ["index.html": "admin"])
        let list =
            #"{"format":1,"packages":{"admin":{"version":"1.0.0","manifest":"\#(other.manifest.hex)"},"#
            + #""checkout":{"version":"1.0.0","manifest":"\#(one.manifest.hex)"}}}"#
        try registry.put(Array(list.utf8), preset, PresetFolder.listName)
        await #expect(throws: (any Error).self) { try await device.updater().start() }
        #expect(try await device.page("checkout") == "one")
        #expect(try device.events(.refused).map(\.package?.text) == ["admin"])
    }

    @Test func `an embedded version that failed is not gone back to again for the same release`() async throws {
        try await device.updater().start()
        try await device.confirm("checkout")
        let two = try registry.publish("checkout", "1.1.0", ["index.html": "two"])
        try registry.release("checkout", two, release: "r1")
        try await device.updater().update(.all)
        try await device.confirm("checkout")
        let back = try registry.release("checkout", nil, release: "back")
        try await device.updater().update(.all)
        #expect(try await device.page("checkout") == "one")
        #expect(try await device.updater().rollBack(PackageID("checkout")) == two.version)
        for _ in 1...2 {
            #expect(try await device.updater().update(.all).entries.map(\.outcome) == [.upToDate(two.version)])
        }
        let retried = try Release(id: back.id, offer: .embedded, retry: 1)
        try registry.set(PackageID("checkout"), [retried])
        #expect(try await device.updater().update(.all).entries.map(\.outcome) == [.activated(one.version)])
    }

    @Test func `a version that fails goes back to the preset`() async throws {
        try await device.updater().start()
        let two = try registry.publish("checkout", "1.1.0", ["index.html": "two"])
        try registry.release("checkout", two, release: "r1")
        try await device.updater().update(.all)
        var pages: [String?] = []
        for _ in 1...3 { pages.append(try await device.page("checkout")) }
        #expect(pages == ["two", "two", "one"])
    }
}
