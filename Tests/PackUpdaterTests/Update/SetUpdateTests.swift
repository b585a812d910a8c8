import Foundation
import PackFormat
import Testing

@testable import PackUpdater

/// A device installs the packages of a set together, switches them in one step, and leaves them together.
struct SetUpdateTests: SetScene {
    let registry: TestRegistry
    let device: TestDevice

    init() throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
    }

    @Test func `both packages of a set come and are active together`() async throws {
        try await installed()
        try publish("1.1.0", "admin", "shop", set: "s2")
        let report = try await device.updater().update(.all)
        #expect(
            try report.entries.map(\.outcome) == [
                .activated(SemanticVersion("1.1.0")), .activated(SemanticVersion("1.1.0")),
            ])
        #expect(try await pages() == ["admin 1.1.0", "shop 1.1.0"])
    }

    @Test func `a package that cannot be fetched keeps all of its set away, and the next update brings it`()
        async throws
    {
        try await installed()
        let ids = try publish("1.1.0", "admin", "shop", set: "s2")
        let hidden = registry.view.appending(path: "hidden")
        let patch = registry.view.appending(path: ViewPath.patch(from: nil, to: ids[1].manifest).description)
        let object = registry.view.appending(path: ViewPath.object(Digest(of: Array("shop 1.1.0".utf8))).description)
        try FileManager.default.removeItem(at: patch)
        try FileManager.default.moveItem(at: object, to: hidden)
        let report = try await device.updater().update(.all)
        #expect(report.failures.map(\.package.text) == ["admin", "shop"])
        guard case .failed(let reason) = report.entries[0].outcome else { return }
        #expect(reason.hasPrefix("its set is not installed, because shop failed: "), "\(reason)")
        #expect(try await pages() == ["admin 1.0.0", "shop 1.0.0"])
        try await device.updater().start()
        #expect(try await pages() == ["admin 1.0.0", "shop 1.0.0"])
        try FileManager.default.moveItem(at: hidden, to: object)
        #expect(try await device.updater().update(.all).failures.isEmpty)
        #expect(try await pages() == ["admin 1.1.0", "shop 1.1.0"])
    }

    @Test func `a package that does not start takes its set back, and the set is not tried again until a retry`()
        async throws
    {
        try await installed()
        let ids = try publish("1.1.0", "admin", "shop", set: "s2")
        try await device.updater().update(.all)
        // The other one works, and is confirmed.
        try await device.confirm("admin")
        for _ in 1...2 { #expect(try await device.page("shop") == "shop 1.1.0") }
        #expect(try await device.page("shop") == "shop 1.0.0")
        #expect(try await pages() == ["admin 1.0.0", "shop 1.0.0"])
        let admin = try device.state("admin")
        #expect(admin.active?.isConfirmed == true && admin.failures.isEmpty)
        #expect(try device.events(.rolledBack).last?.why.contains("it came in one set with shop") == true)
        let report = try await device.updater().update(.all)
        #expect(report.failures.isEmpty)
        #expect(report.entries[0].why.contains("its set is skipped: shop: it failed on this device"))
        #expect(try await pages() == ["admin 1.0.0", "shop 1.0.0"])
        for (package, id) in zip(["admin", "shop"], ids) {
            try registry.set(
                PackageID(package),
                [
                    Release(
                        id: "\(package)-110", offer: .version(id.version, manifest: id.manifest), retry: 1, set: "s2")
                ])
        }
        try await device.updater().update(.all)
        #expect(try await pages() == ["admin 1.1.0", "shop 1.1.0"])
    }

    @Test func `a set goes before any of its pages opens, whichever package is opened first`() async throws {
        try await installed()
        try publish("1.1.0", "admin", "shop", set: "s2")
        try await device.updater().update(.all)
        try await device.confirm("admin")
        for _ in 1...2 { #expect(try await device.page("shop") == "shop 1.1.0") }
        // Shop has no start left, and admin is opened before it.
        #expect(try await pages() == ["admin 1.0.0", "shop 1.0.0"])
        #expect(try device.events(.rolledBack).last?.why.contains("it came in one set with shop") == true)
        #expect(try device.state("shop").failures.count == 1)
    }

    @Test func `a page that is in its last start keeps its time, and its set, while another one opens`() async throws {
        try await installed()
        try publish("1.1.0", "admin", "shop", set: "s2")
        try await device.updater().update(.all)
        #expect(try await device.page("shop") == "shop 1.1.0")
        let updater = try device.updater()
        let shop = try #require(await updater.openInstalled(PackageID("shop")))
        let admin = try #require(await updater.openInstalled(PackageID("admin")))
        #expect([shop.version.description, admin.version.description] == ["1.1.0", "1.1.0"])
        #expect(try device.state("shop").active?.starts == 2)
    }

    @Test func `a package that nobody opened goes back to what it had with the other, not further`() async throws {
        try await installed()
        try publish("1.1.0", "admin", "shop", set: "s2")
        try await device.updater().update(.all)
        // Nobody opens shop.
        try await device.confirm("admin")
        try publish("1.2.0", "admin", "shop", set: "s3")
        try await device.updater().update(.all)
        for _ in 1...3 { _ = try await device.page("admin") }
        #expect(try await pages() == ["admin 1.1.0", "shop 1.1.0"])
    }

    @Test func `an update of one package brings what is here of its set`() async throws {
        try await installed()
        try publish("1.1.0", "admin", "shop", set: "s2")
        let report = try await device.updater().update(.list([PackageID("shop")]))
        #expect(report.entries.map(\.package.text) == ["admin", "shop"])
        #expect(try await pages() == ["admin 1.1.0", "shop 1.1.0"])
    }

    @Test func `on demand, the first page of a package brings its set where another of it runs in an older version`()
        async throws
    {
        try publish("1.0.0", "admin", "shop", set: "s1")
        _ = try await device.updater().open(PackageID("admin"))
        _ = try await device.updater().update(.onDemand)
        #expect(try await device.page("admin") == "admin 1.0.0")
        try await device.confirm("admin")
        #expect(try device.state("shop").active == nil)
        try publish("1.1.0", "admin", "shop", set: "s2")
        guard case .installed(let session) = try await device.updater().open(PackageID("shop")) else {
            Issue.record("it is not installed")
            return
        }
        #expect(try session.version == SemanticVersion("1.1.0"))
        #expect(try await pages() == ["admin 1.1.0", "shop 1.1.0"])
    }

    @Test func `what is staged of a set is switched, replaced and dropped as one`() async throws {
        try await installed()
        device.configuration.activation = .nextStart
        try publish("1.1.0", "admin", "shop", set: "s2")
        try await device.updater().update(.all)
        #expect(try await pages() == ["admin 1.0.0", "shop 1.0.0"])
        // Taken back before the next start, and only one of them is asked about.
        let one = try registry.publish("shop", "1.0.0", ["index.html": "shop 1.0.0"])
        try registry.set(
            PackageID("shop"), [Release(id: "shop-100", offer: .version(one.version, manifest: one.manifest))])
        try await device.updater().update(.list([PackageID("shop")]))
        try await device.updater().start()
        #expect(try await pages() == ["admin 1.0.0", "shop 1.0.0"])
        #expect(try device.state("admin").staged == nil)
    }

    @Test func `a publisher that withdrew one package keeps the device from the whole set`() async throws {
        try await installed()
        let ids = try publish("1.1.0", "admin", "shop", set: "s2")
        try registry.withdraw("shop", ids[1])
        #expect(try await device.updater().update(.all).failures.isEmpty)
        #expect(try await pages() == ["admin 1.0.0", "shop 1.0.0"])
        #expect(try device.state("admin").decision.contains("shop: its publisher does not list it"))
    }

    @Test func `a set that is rolled back goes as one, embedded versions included`() async throws {
        try await installed()
        try publish("1.1.0", "admin", set: "s2")
        try publish("1.1.0", "shop", set: "s2")
        try await device.updater().update(.all)
        for package in ["admin", "shop"] { try await device.confirm(package) }
        let old = try ["admin", "shop"].map {
            try registry.publish($0, "1.0.0", ["index.html": "\($0) 1.0.0"])
        }
        for (package, id) in zip(["admin", "shop"], old) {
            try registry.set(
                PackageID(package),
                [Release(id: "back-\(package)", offer: .version(id.version, manifest: id.manifest), set: "s3")])
        }
        try await device.updater().update(.all)
        #expect(try await pages() == ["admin 1.0.0", "shop 1.0.0"])
    }
}
