import Foundation
import PackFormat
import Testing

@testable import PackUpdater

/// What comes beside a set (presets, pages, another app, a gate, a policy, a lost state) leaves no half of it.
struct SetIntegrityTests: SetScene {
    let registry: TestRegistry
    let device: TestDevice

    init() throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
    }

    // MARK: What comes beside a set

    /// Stages both packages in 1.1.0.
    private func staged() async throws {
        try await installed()
        device.configuration.activation = .nextStart
        try publish("1.1.0", "admin", "shop", set: "s2")
        try await device.updater().update(.all)
        #expect(try device.state("admin").staged?.release?.set == "s2")
    }

    @Test func `a preset or an import in the place of one staged package drops the staged set`() async throws {
        try await staged()
        let preset = try Folders.temporary("preset")
        defer { try? FileManager.default.removeItem(at: preset) }
        try registry.preset(["shop": registry.publish("shop", "1.2.0", ["index.html": "shop 1.2.0"])], in: preset)
        device.configuration.presets = [preset]
        try await device.updater().takePresets()
        #expect(try device.state("admin").staged == nil)
        try await device.updater().start()
        #expect(try await pages() == ["admin 1.0.0", "shop 1.2.0"])
    }

    @Test func `an import in the place of one staged package drops the staged set`() async throws {
        try await staged()
        let id = try registry.publish("shop", "1.3.0", ["index.html": "shop 1.3.0"])
        let manifest = try #require(registry.manifests[id])
        try await device.updater().importPackage(manifest: manifest.bytes, requiresSignature: false) { batch in
            for (path, file) in manifest.files {
                let object = Object(digest: file.digest, size: file.size)
                try batch.begin(object)
                try Array("shop 1.3.0".utf8).withUnsafeBytes { try batch.write($0) }
                try batch.finish(object)
                #expect(path.text == "index.html")
            }
        }
        #expect(try device.state("admin").staged == nil)
        try await device.updater().start()
        #expect(try await pages() == ["admin 1.0.0", "shop 1.3.0"])
    }

    @Test func `a package that comes by itself is not active when its set failed meanwhile`() async throws {
        try publish("1.0.0", "admin", "shop", set: "s1")
        let gate = HeldTransport(registry)
        let updater = try device.updater(transport: gate)
        let (admin, shop) = try (PackageID("admin"), PackageID("shop"))
        guard case .installing(let first) = try await updater.prepare(admin) else {
            Issue.record("admin is here")
            return
        }
        #expect(try await until { !first.isInstalling })
        guard case .installing(let second) = try await updater.prepare(shop) else {
            Issue.record("shop is here")
            return
        }
        // A page of it waits for a file, so the rest does not come yet.
        let digest = try #require(second.manifest.files[PackagePath("index.html")]).digest
        gate.hold(ViewPath.object(digest).description)
        async let fetched: Void = second.fetch(digest)
        #expect(try await until { gate.isHolding })
        try await updater.rollBack(admin)
        gate.release()
        try await fetched
        #expect(try await until { !second.isInstalling })
        #expect(try device.state("shop").active == nil && device.state("admin").active == nil)
        #expect(try device.events(.refused).last?.why.contains("admin, of the same set, failed") == true)
    }

    // MARK: Another app

    @Test func `a set that does not fit a new app is left for versions that all fit`() async throws {
        try await installed()
        func publish(_ version: String, set: String, requires: String, by package: String) throws {
            for name in ["admin", "shop"] {
                let id = try registry.publish(
                    name, version, ["index.html": "\(name) \(version)"], requires: name == package ? requires : nil)
                try registry.release(name, id, release: "\(name)-\(set)", set: set)
            }
        }
        try publish("1.1.0", set: "s2", requires: "<4.0.0", by: "admin")
        try await device.updater().update(.all)
        // Nobody opens admin.
        try await device.confirm("shop")
        try publish("1.2.0", set: "s3", requires: "<4.0.0", by: "shop")
        try await device.updater().update(.all)
        for package in ["admin", "shop"] { try await device.confirm(package) }
        #expect(try await pages() == ["admin 1.2.0", "shop 1.2.0"])
        device.configuration.appVersion = try AppVersion("4.0.0")
        try await device.updater().start()
        #expect(try await pages() == ["admin 1.0.0", "shop 1.0.0"])
        let events = try device.events(.rolledBack).suffix(2)
        #expect(
            events.map(\.package?.text) == ["shop", "admin"] && events.allSatisfy { $0.version?.description == "1.0.0" }
        )
        #expect(try device.state("shop").failures.isEmpty)
    }

    // MARK: One of a set

    @Test func `the only package of a set that is here is staged and reported once`() async throws {
        try publish("1.0.0", "admin", "shop", set: "s1")
        device.configuration.activation = .nextStart
        device.configuration.reports = ReportSettings()
        let selection = try PackageSelection.list([PackageID("shop")])
        for _ in 1...3 {
            let report = try await device.updater().update(selection)
            #expect(try report.entries.map(\.outcome) == [.staged(SemanticVersion("1.0.0"))])
        }
        #expect(try device.events(.staged).count == 1)
        let reported = try String(contentsOf: device.store.appending(path: "reports/outbox.jsonl"), encoding: .utf8)
        #expect(reported.split(separator: "\n").count { $0.contains("\"installed\"") } == 1, "\(reported)")
    }

    // MARK: The gate

    private func setGate(of package: String, on: Bool) throws {
        let id = try PackageID(package)
        try registry.set(id, try #require(registry.channels[id]).releases, isEnabled: on)
    }

    @Test func `a package whose gate goes on again is shown when it has the set that the others run`() async throws {
        try await installed()
        try setGate(of: "shop", on: false)
        let ids = try publish("1.1.0", "admin", "shop", set: "s2")
        try setGate(of: "shop", on: false)
        try await device.updater().update(.all)
        #expect(try await pages() == ["admin 1.1.0", nil])
        // It is opened more often than a version that never confirms may be.
        try await device.confirm("admin")
        let object = registry.view.appending(path: ViewPath.object(Digest(of: Array("shop 1.1.0".utf8))).description)
        let patch = registry.view.appending(path: ViewPath.patch(from: nil, to: ids[1].manifest).description)
        let hidden = registry.view.appending(path: "hidden")
        try FileManager.default.moveItem(at: object, to: hidden)
        try FileManager.default.removeItem(at: patch)
        try setGate(of: "shop", on: true)
        // Whichever package the check is about.
        let updater = try device.updater()
        #expect(try await !updater.update(.list([PackageID("admin")])).failures.isEmpty)
        #expect(try await pages() == ["admin 1.1.0", nil])
        #expect(try await updater.pin(PackageID("shop")) == nil)
        guard case .unavailable(let absence) = try await updater.open(PackageID("shop")) else {
            Issue.record("half a set is shown")
            return
        }
        #expect(absence.why.contains("its version of the set s2 is not here yet"), "\(absence.why)")
        #expect(try await updater.status().map(\.isEnabled) == [true, false])
        #expect(try await updater.status().map(\.awaitedSet) == [nil, "s2"])
        try FileManager.default.moveItem(at: hidden, to: object)
        try await device.updater().update(.list([PackageID("admin")]))
        #expect(try await pages() == ["admin 1.1.0", "shop 1.1.0"])
        #expect(try device.state("shop").awaitedSet == nil)
    }

    @Test func `a package whose gate goes on again is shown at once where its set went back meanwhile`() async throws {
        try await installed()
        try publish("1.1.0", "admin", "shop", set: "s2")
        try setGate(of: "shop", on: false)
        try await device.updater().update(.all)
        try setGate(of: "shop", on: true)
        // The set is staged for the next start, and shop waits with it.
        device.configuration.activation = .nextStart
        try await device.updater().update(.all)
        #expect(try await pages() == ["admin 1.1.0", nil])
        try await device.updater().rollBack(PackageID("admin"))
        #expect(try await pages() == ["admin 1.0.0", "shop 1.0.0"])
        // Nor does the rest of it come alone at the next start.
        try await device.updater().start()
        #expect(try await pages() == ["admin 1.0.0", "shop 1.0.0"])
    }

    // MARK: Policies

    @Test func `on demand, a page that somebody opens brings its set without waiting for the set's policy`()
        async throws
    {
        try publish("1.0.0", "admin", "shop", set: "s1")
        try await device.updater().update(.list([PackageID("admin")]))
        try await device.confirm("admin")
        device.configuration.network = { .metered }
        for package in ["admin", "shop"] {
            let id = try registry.publish(package, "1.1.0", ["index.html": "\(package) 1.1.0"])
            try registry.release(
                package, id, release: "\(package)-s2", set: "s2", policy: ClientPolicy(network: .unmetered))
        }
        // An update waits.
        #expect(try await !device.updater().update(.list([PackageID("admin")])).isChanged)
        guard case .installed(let session) = try await device.updater().open(PackageID("shop")) else {
            Issue.record("the page does not open")
            return
        }
        #expect(try session.version == SemanticVersion("1.1.0"))
        #expect(try await pages() == ["admin 1.1.0", "shop 1.1.0"])
    }

    private func offerWithPolicies(_ policies: [String: ClientPolicy]) throws {
        for package in ["admin", "shop"] {
            let id = try registry.publish(package, "1.1.0", ["index.html": "\(package) 1.1.0"])
            try registry.release(
                package, id, release: "\(package)-s2", set: "s2", policy: policies[package] ?? .standard)
        }
    }

    @Test func `a package that waits for another of its set says so`() async throws {
        try await installed()
        try offerWithPolicies(["admin": ClientPolicy(network: .unmetered)])
        device.configuration.network = { .metered }
        let version = try SemanticVersion("1.1.0")
        let own = "it waits for an unmetered network"
        let other = "it waits for admin, of the same set: it waits for an unmetered network"
        let expected: [UpdateReport.Outcome] = [.waiting(version, for: own), .waiting(version, for: other)]
        let updater = try device.updater()
        #expect(try await updater.check(.all).entries.map(\.outcome) == expected)
        #expect(try await updater.update(.all).entries.map(\.outcome) == expected)
        #expect(try await updater.status().map(\.waitsFor) == [own, other])
        let why = try #require(try device.events(.decided).last { $0.package?.text == "shop" }).why
        #expect(why.hasSuffix("1.1.0 is not installed yet: \(other)"), "\(why)")
    }

    @Test func `if a package of a set is mandatory, none of it waits`() async throws {
        try await installed()
        try offerWithPolicies([
            "admin": ClientPolicy(network: .unmetered), "shop": ClientPolicy(isMandatory: true),
        ])
        device.configuration.network = { .metered }
        try await device.updater().update(.all)
        #expect(try await pages() == ["admin 1.1.0", "shop 1.1.0"])
        #expect(try device.state("admin").decision.hasSuffix("it does not wait: a package of its set is mandatory"))
    }

    // MARK: A lost state

    @Test func `a state that is made again has the channel's gates and rules, and no half of a set`() async throws {
        try await installed()
        registry.rules = WebRules([WebRules.Rule(name: "ads", action: .deny, host: "*.ads.example")])
        let cart = try registry.publish("cart", "1.0.0", ["index.html": "cart"])
        try registry.release("cart", cart, release: "c1")
        try publish("1.1.0", "admin", "shop", set: "s2")
        try setGate(of: "cart", on: false)
        try await device.updater().update(.all)
        for package in ["admin", "shop"] { try await device.confirm(package) }
        try registry.set(
            PackageID("cart"), try #require(registry.channels[PackageID("cart")]).releases, isEnabled: true)
        try await device.updater().update(.all)
        try setGate(of: "cart", on: false)
        try await device.updater().update(.all)
        let rules = try await device.updater().rules()
        // shop 1.1.0 is lost with the state.
        let tree = device.store.appending(path: "unzipFiles/shop/1.1.0/pack.json")
        try FileManager.default.removeItem(at: tree)
        try Data("{".utf8).write(to: device.store.appending(path: "state.json"))
        let updater = try device.updater()
        let report = try await updater.repair()
        #expect(report.repaired.contains("admin 1.1.0 is passed over, because not all of its set is here"), "\(report)")
        #expect(try await pages() == ["admin 1.0.0", "shop 1.0.0"])
        #expect(try await device.page("cart") == nil)
        #expect(try await updater.rules() == rules && rules != nil)
        #expect(try device.state("cart").isEnabled == false)
        try await device.updater().update(.all)
        #expect(try await pages() == ["admin 1.1.0", "shop 1.1.0"])
    }

    @Test func `a whole set that is made again goes back as one`() async throws {
        try await installed()
        try publish("1.1.0", "admin", "shop", set: "s2")
        try await device.updater().update(.all)
        for package in ["admin", "shop"] { try await device.confirm(package) }
        try Data("{".utf8).write(to: device.store.appending(path: "state.json"))
        _ = try await device.updater().repair()
        #expect(try await pages() == ["admin 1.1.0", "shop 1.1.0"])
        try await device.updater().rollBack(PackageID("shop"))
        #expect(try await pages() == ["admin 1.0.0", "shop 1.0.0"])
    }
}
