import Foundation
import PackFormat
import PackSystem
import Testing

@testable import PackUpdater

/// A device obeys the policy of a release.
struct PolicyTests {
    let registry: TestRegistry
    let device: TestDevice
    let package: PackageID
    let one: VersionID
    let two: VersionID

    init() async throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        package = try PackageID("checkout")
        one = try registry.publish("checkout", "1.0.0", ["index.html": "one"])
        two = try registry.publish("checkout", "1.1.0", ["index.html": "two"])
        try registry.release("checkout", one, release: "r1")
        _ = try await device.updater().update(.all)
        try await device.confirm("checkout")
        // 2026-11-24, Tuesday, 12:00 UTC.
        device.configuration.now = { Date(timeIntervalSince1970: 1_795_521_600) }
        device.configuration.timeZone = { .gmt }
    }

    func offer(_ id: VersionID, _ policy: ClientPolicy, release: String = "r2", below: [Release]? = nil) throws {
        let new = try Release(
            id: release, offer: .version(id.version, manifest: id.manifest), policy: policy)
        try registry.set(package, [new] + (below ?? registry.channels[package]?.releases ?? []))
    }

    func update(_ network: NetworkKind? = nil) async throws -> UpdateReport.Entry {
        device.configuration.network = { network }
        return try #require(try await device.updater().update(.all).entries.first)
    }

    @Test func `a release for unmetered networks waits for one, says so, and fetches nothing meanwhile`() async throws {
        try offer(two, ClientPolicy(network: .unmetered))
        let transport = WatchedTransport(FolderTransport(folder: registry.view))
        device.configuration.network = { .metered }
        let updater = try device.updater(transport: transport)
        let reason = "it waits for an unmetered network"
        #expect(try await updater.check().entries.first?.outcome == .waiting(two.version, for: reason))
        let report = try await updater.update(.all)
        #expect(report.entries.first?.outcome == .waiting(two.version, for: reason))
        #expect(!report.isChanged && report.failures.isEmpty)
        #expect(await transport.paths.isEmpty)
        let status = try #require(try await updater.status().first)
        #expect(status.active == one.version && status.waitsFor == reason)
        #expect(status.decision.contains("1.1.0 is not installed yet: it waits for an unmetered network"))
        // What is not known is not unmetered.
        #expect(
            try await update(nil).outcome
                == .waiting(
                    two.version, for: "it waits for an unmetered network, and the app does not say what this one is"))
        #expect(try await update(.unmetered).outcome == .activated(two.version))
        #expect(try device.state("checkout").delay == nil)
    }

    @Test func `a release for the night waits for it by the device's own clock`() async throws {
        try offer(two, ClientPolicy(window: LocalWindow("mon-fri 22:00-05:00")))
        #expect(
            try await update().outcome
                == .waiting(
                    two.version, for: "it waits for its time, mon-fri 22:00-05:00 local time"))
        // The same moment, eleven hours further east.
        device.configuration.timeZone = { TimeZone(secondsFromGMT: 11 * 3600) ?? .gmt }
        #expect(try await update().outcome == .activated(two.version))
    }

    @Test func `a page that opens what is not here waits for nothing`() async throws {
        let other = try registry.publish("cart", "1.0.0", ["index.html": "cart"])
        let release = try Release(
            id: "c1", offer: .version(other.version, manifest: other.manifest),
            policy: ClientPolicy(network: .unmetered))
        try registry.set(PackageID("cart"), [release])
        let updater = try device.updater()
        #expect(try await updater.open(PackageID("cart")).session?.version == other.version)
    }

    @Test func `the release says when pages get it, whatever the app has configured`() async throws {
        device.configuration.activation = .nextStart
        try offer(two, ClientPolicy(install: .nextPage))
        var entry = try await update()
        #expect(entry.outcome == .activated(two.version) && !entry.isShownAtOnce)

        let three = try registry.publish("checkout", "1.2.0", ["index.html": "three"])
        try offer(three, ClientPolicy(install: .now), release: "r3")
        entry = try await update()
        #expect(entry.outcome == .activated(three.version) && entry.isShownAtOnce && !entry.isMandatory)

        device.configuration.activation = .atOnce
        let four = try registry.publish("checkout", "1.3.0", ["index.html": "four"])
        try offer(four, ClientPolicy(install: .nextStart), release: "r4")
        entry = try await update()
        #expect(entry.outcome == .staged(four.version) && !entry.isShownAtOnce)
        #expect(try await device.page("checkout") == "three")
        #expect(try await update().outcome == .staged(four.version))
        let restarted = try device.updater()
        try await restarted.start()
        #expect(try await device.page("checkout", by: restarted) == "four")
    }

    @Test func `a device that skips a mandatory release takes the newer one as mandatory, at once`() async throws {
        device.configuration.activation = .nextStart
        let three = try registry.publish("checkout", "1.2.0", ["index.html": "three"])
        let mandatory = try Release(
            id: "r2", offer: .version(two.version, manifest: two.manifest), policy: ClientPolicy(isMandatory: true))
        try offer(three, ClientPolicy(network: .unmetered), release: "r3", below: [mandatory])
        let entry = try await update(.metered)
        #expect(entry.outcome == .activated(three.version) && entry.isMandatory && entry.isShownAtOnce)
        #expect(entry.why.contains("the device skips 1.1.0"))
        // Who has it skips nothing, and waits.
        let four = try registry.publish("checkout", "1.3.0", ["index.html": "four"])
        try offer(four, ClientPolicy(network: .unmetered), release: "r4", below: [mandatory])
        let next = try await update(.metered)
        #expect(next.outcome == .waiting(four.version, for: "it waits for an unmetered network") && !next.isMandatory)
    }

    @Test func `an app whose version is not SemVer gets what requires one`() async throws {
        let three = try registry.publish("checkout", "1.2.0", ["index.html": "three"], requires: ">=2024.3.0")
        try registry.release("checkout", three, release: "r3")
        device.configuration.appVersion = try AppVersion("2024.2 (99)")
        guard case .failed(let reason) = try await update().outcome else {
            Issue.record("it was installed")
            return
        }
        #expect(reason.contains("it requires app >=2024.3.0 and this is 2024.2 (99)"))
        device.configuration.appVersion = try AppVersion("2024.3.1 (17)")
        #expect(try await update().outcome == .activated(three.version))
    }
}
