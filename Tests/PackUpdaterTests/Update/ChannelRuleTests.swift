import Foundation
import PackFormat
import Testing

@testable import PackUpdater

struct ChannelRuleTests {
    let registry: TestRegistry
    let device: TestDevice
    let one: VersionID
    let two: VersionID

    init() async throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        one = try registry.publish("checkout", "1.0.0", ["index.html": "one"])
        two = try registry.publish("checkout", "1.1.0", ["index.html": "two"])
        try registry.release("checkout", one, release: "r1")
    }

    func update() async throws -> UpdateReport.Outcome? {
        try await device.updater().update(.all).entries.first?.outcome
    }

    @Test func `a device outside the rollout keeps the release before`() async throws {
        try registry.release("checkout", two, release: "r2", percent: 0)
        #expect(try await update() == .activated(one.version))
        let why = try device.state("checkout").decision
        #expect(why.contains("not in the 0 %"))
        #expect(try device.events(.decided).map(\.why) == [why])
    }

    @Test func `going back on the channel brings the old version back without a download`() async throws {
        _ = try await update()
        try await device.confirm("checkout")
        try registry.release("checkout", two, release: "r2")
        _ = try await update()
        try registry.release("checkout", one, release: "r3")
        let transport = WatchedTransport(FolderTransport(folder: registry.view))
        _ = try await device.updater(transport: transport).update(.all)
        #expect(await transport.paths.isEmpty)
        #expect(try await device.page("checkout") == "one")
        #expect(try device.state("checkout").active?.isConfirmed == true)
    }

    @Test func `what the publisher withdrew is refused even if the channel still offers it`() async throws {
        _ = try await update()
        try registry.release("checkout", two, release: "r2")
        try registry.withdraw("checkout", two)
        #expect(try await update() == .upToDate(one.version))
        #expect(try device.state("checkout").decision.contains("withdrew"))
    }

    @Test func `a manifest that the channel invents is refused`() async throws {
        _ = try await update()
        let invented = VersionID(version: two.version, manifest: Digest(of: [1, 2, 3]))
        try registry.release("checkout", invented, release: "r2")
        #expect(try await update() == .upToDate(one.version))
        #expect(try device.state("checkout").decision.contains("another manifest"))
    }

    @Test func `a version that needs a newer app is refused, whatever the channel says`() async throws {
        _ = try await update()
        let needy = try registry.publish("checkout", "1.2.0", ["index.html": "needy"], requires: ">=9.0.0")
        try registry.release("checkout", needy, release: "r2")
        guard case .failed(let reason) = try await update() else {
            Issue.record("installed")
            return
        }
        #expect(reason.contains(">=9.0.0"))
        #expect(try await device.page("checkout") == "one")
    }

    @Test func `a gate that is off leaves the package without a page from the next open on`() async throws {
        _ = try await update()
        try registry.set(
            PackageID("checkout"), [Release(id: "r1", offer: .version(one.version, manifest: one.manifest))],
            isEnabled: false)
        #expect(try await update() == .nothing)
        guard case .unavailable(let absence) = try await device.updater().open(PackageID("checkout")) else {
            Issue.record("opened")
            return
        }
        #expect(absence.why.contains("gate"))
    }

    @Test func `back to embedded, where the app embeds nothing, takes no confirmed version away`() async throws {
        _ = try await update()
        try await device.confirm("checkout")
        try registry.release("checkout", nil, release: "r2")
        for _ in 1...2 {
            #expect(try await update() == .upToDate(one.version))
            #expect(try await device.page("checkout") == "one")
        }
        #expect(try device.state("checkout").decision.contains("which was confirmed here, stays"))
        try registry.release("checkout", two, release: "r3")
        #expect(try await update() == .activated(two.version))
        // Nobody confirmed it: the one that was comes back.
        try registry.release("checkout", nil, release: "r4")
        #expect(try await update() == .activated(one.version))
        #expect(try await device.page("checkout") == "one")
    }

    @Test func `back to embedded, where the app embeds nothing, leaves what was never confirmed`() async throws {
        _ = try await update()
        try registry.release("checkout", nil, release: "r2")
        #expect(try await update() == .activated(nil))
        #expect(try await device.page("checkout") == nil)
        #expect(try await update() == .upToDate(nil))
    }

    @Test func `a version that its publisher withdrew goes, where the channel goes back to nothing`() async throws {
        _ = try await update()
        try await device.confirm("checkout")
        try registry.withdraw("checkout", one)
        try registry.release("checkout", nil, release: "r2")
        #expect(try await update() == .activated(nil))
        #expect(try await device.page("checkout") == nil)
    }

    @Test func `a version that failed is not tried again until a newer release or a retry`() async throws {
        _ = try await update()
        try await device.confirm("checkout")
        try registry.release("checkout", two, release: "r2")
        _ = try await update()
        for _ in 1...3 { _ = try await device.page("checkout") }
        #expect(try device.state("checkout").active?.id == one)
        #expect(try await update() == .upToDate(one.version))
        #expect(try device.state("checkout").decision.contains("it failed on this device"))
        try registry.set(
            PackageID("checkout"),
            [Release(id: "r2", offer: .version(two.version, manifest: two.manifest), retry: 1)])
        #expect(try await update() == .activated(two.version))
        #expect(try device.state("checkout").active?.isConfirmed == false)
    }

    @Test func `a staged version that the channel takes back is not activated`() async throws {
        _ = try await update()
        device.configuration.activation = .nextStart
        try registry.release("checkout", two, release: "r2")
        #expect(try await update() == .staged(two.version))
        try registry.set(
            PackageID("checkout"), [Release(id: "r1", offer: .version(one.version, manifest: one.manifest))])
        #expect(try await update() == .upToDate(one.version))
        try await device.updater().start()
        #expect(try await device.page("checkout") == "one")
    }

    @Test func `a staged version becomes active at the next start, not before`() async throws {
        _ = try await update()
        device.configuration.activation = .nextStart
        try registry.release("checkout", two, release: "r2")
        let running = try device.updater()
        #expect(try await running.update(.all).entries.map(\.outcome) == [.staged(two.version)])
        #expect(try await device.page("checkout", by: running) == "one")
        try await device.updater().start()
        #expect(try await device.page("checkout") == "two")
    }

    @Test func `on demand only what somebody opened is fetched`() async throws {
        let other = try registry.publish("admin", "1.0.0", ["index.html": "admin"])
        try registry.release("admin", other, release: "a1")
        #expect(try await device.updater().update(.onDemand).entries.isEmpty)
        #expect(try await device.page("admin") == nil)
        #expect(try await device.updater().update(.onDemand).entries.map(\.package.text) == ["admin"])
        #expect(try await device.page("admin") == "admin")
    }

    @Test func `a channel with a thousand refusals leaves a decision of a few kilobytes`() async throws {
        let releases = try (0..<999).map {
            try Release(
                id: "n\($0)", offer: .version(two.version, manifest: two.manifest), rollout: Rollout(percent: 0))
        }
        let last = try Release(id: "last", offer: .version(one.version, manifest: one.manifest))
        try registry.set(PackageID("checkout"), releases + [last])
        #expect(try await update() == .activated(one.version))
        #expect(try device.state("checkout").decision.utf8.count <= 4096 + 3)
        #expect(try device.events(.decided).last?.why.isEmpty == false)
    }

    @Test func `a manifest that is signed with an impossible length is refused`() async throws {
        struct Huge: SignedTargets {
            let id: VersionID
            func refresh() async throws {}
            func file(_ path: String) async throws -> SignedFile? { SignedFile(digest: id.manifest, size: .max) }
            func channelNames() async -> [String] { [] }
            func target(_ path: String, maximumByteCount: Int) async throws -> [UInt8] { [] }
        }
        let store = try DeviceStore(folder: device.store)
        let journal = Journal(log: EventLog(file: store.layout.events)) { Date() }
        let transport = WatchedTransport(FolderTransport(folder: registry.view))
        let installer = Installer(store: store, transport: transport, targets: Huge(id: one), journal: journal)
        await #expect(throws: UpdateError.self) {
            _ = try await installer.manifest(
                of: PackageID("checkout"), one.version, expected: one.manifest, bases: [(two, [])])
        }
        #expect(await transport.paths.isEmpty)
    }

    @Test func `metadata that is not trusted stops the update and nothing else`() async throws {
        _ = try await update()
        try registry.release("checkout", two, release: "r2")
        let before = try device.listing()
        await #expect(throws: UpdateError.notTrusted(reason: "expired")) {
            try await device.updater(trust: .notTrusted(reason: "expired")).update(.all)
        }
        #expect(try await device.page("checkout") == "one")
        #expect(try device.events(.checkFailed).last?.why.contains("expired") == true)
        #expect(try device.listing().filter { !$0.hasPrefix("pins/") } == before)
    }

    @Test func `another content under an installed version's name is refused`() async throws {
        _ = try await update()
        let forged = try registry.publish("checkout", "1.0.0", ["index.html": "forged"])
        try registry.release("checkout", forged, release: "r2")
        guard case .failed(let reason) = try await update() else {
            Issue.record("installed")
            return
        }
        #expect(reason.contains("a version never changes"))
        #expect(try await device.page("checkout") == "one")
    }

    @Test func `a version that its publisher withdrew is left, even if it is active and the channel still offers it`()
        async throws
    {
        _ = try await update()
        try await device.confirm("checkout")
        try registry.release("checkout", two, release: "r2")
        _ = try await update()
        try await device.confirm("checkout")
        #expect(try await update() == .upToDate(two.version))
        try registry.withdraw("checkout", two)
        #expect(try await update() == .activated(one.version))
        #expect(try device.state("checkout").decision.contains("withdrew"))
        #expect(try await device.page("checkout") == "one")
    }
}
