import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackUpdater

/// Groups of devices whose files a device cannot read.
struct GroupTests {
    let registry: TestRegistry
    let device: TestDevice
    let checkout: PackageID
    let one: VersionID
    let two: VersionID

    init() throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        device.configuration.deviceID = "ann"
        checkout = try PackageID("checkout")
        one = try registry.publish("checkout", "1.0.0", ["index.html": "one"])
        two = try registry.publish("checkout", "1.1.0", ["index.html": "two"])
        try registry.release("checkout", one, release: "r1")
    }

    private static let newerFormat = Array(#"{"format":2,"name":"testers","bloom":"00ff"}"#.utf8)

    private func group(_ devices: String...) throws -> [UInt8] {
        let salt = String(repeating: "0a", count: 16)
        return try DeviceGroup(
            name: "testers", salt: salt, devices: Set(devices.map { DeviceGroup.hash(of: $0, salt: salt) })
        )
        .bytes
    }

    private func update() async throws -> [UpdateReport.Outcome] {
        try await device.updater().update(.all).entries.map(\.outcome)
    }

    @Test(arguments: [
        newerFormat, Array("no JSON".utf8), Array(#"{"format":1,"name":"others","salt":"","hashes":""}"#.utf8),
    ])
    func `a group that cannot be read has no devices, says so, and everything else goes on`(file: [UInt8]) async throws
    {
        let cart = try registry.publish("cart", "1.0.0", ["index.html": "cart"])
        try registry.release("cart", cart, release: "c1")
        try registry.release("checkout", two, release: "r2", audience: "group=testers")
        try registry.set(group: "testers", file)
        #expect(try await update() == [.activated(cart.version), .activated(one.version)])
        let why = try #require(try device.events(.decided).last { $0.package == checkout }).why
        #expect(why.contains("the group testers cannot be read") && why.contains("not in it"), "\(why)")
        let explained = try #require(try await device.updater().explain([checkout]).first)
        #expect(explained.release?.id == "r1")
        #expect(explained.text.contains("the group testers cannot be read"), "\(explained.text)")
        // The next check says nothing new.
        let count = try device.events(.decided).count
        _ = try await update()
        #expect(try device.events(.decided).count == count)
    }

    @Test func `a device keeps what it has by a group that it can no longer read, and takes what all get`() async throws
    {
        try registry.release("checkout", two, release: "r2", audience: "group=testers")
        try registry.set(group: "testers", group("ann"))
        #expect(try await update() == [.activated(two.version)])
        try registry.set(group: "testers", Self.newerFormat)
        #expect(try await update() == [.upToDate(two.version)])
        #expect(try device.state("checkout").decision.contains("keeps it while a group"))
        let explained = try #require(try await device.updater().explain([checkout]).first)
        #expect(explained.text.contains("1.1.0 stays while a group"), "\(explained.text)")
        // A condition that can be read and does not hold still counts.
        try registry.set(
            checkout,
            [
                Release(
                    id: "r2", offer: .version(two.version, manifest: two.manifest),
                    rollout: Rollout(audiences: [Audience("platform=ios; group=testers")])),
                Release(id: "r1", offer: .version(one.version, manifest: one.manifest)),
            ])
        #expect(try await update() == [.activated(one.version)])
        let three = try registry.publish("checkout", "1.2.0", ["index.html": "three"])
        try registry.release("checkout", three, release: "r3")
        #expect(try await update() == [.activated(three.version)])
    }

    @Test func `a publisher takes a version back also from devices that cannot read its group`() async throws {
        try registry.release("checkout", two, release: "r2", audience: "group=testers")
        try registry.set(group: "testers", group("ann"))
        _ = try await update()
        try registry.set(group: "testers", Self.newerFormat)
        try registry.withdraw("checkout", two)
        #expect(try await update() == [.activated(one.version)])
    }

    @Test func `a group in a form that this program does not know admits nobody, whatever it asks`() async throws {
        for form in [#"{"kind":"group","notIn":["testers"]}"#, #"{"kind":"group","in":["testers"],"except":["x"]}"#] {
            let condition = try Condition(json: JSONValue(parsing: Array(form.utf8)).object())
            try registry.set(group: "testers", Self.newerFormat)
            try registry.set(
                checkout,
                [
                    Release(
                        id: "r2", offer: .version(two.version, manifest: two.manifest),
                        rollout: Rollout(audiences: [Audience(conditions: [condition])])),
                    Release(id: "r1", offer: .version(one.version, manifest: one.manifest)),
                ])
            _ = try await update()
            #expect(try device.state("checkout").active?.id == one, "\(form)")
        }
    }

    @Test func `a group whose bytes are not those that were signed is an attack: nothing changes`() async throws {
        _ = try await update()
        try registry.release("checkout", two, release: "r2")
        let three = try registry.publish("checkout", "1.2.0", ["index.html": "three"])
        try registry.release("checkout", three, release: "r3", audience: "group=testers")
        try registry.set(group: "testers", group("bob"))
        try registry.put(group("ann"), registry.signed, ViewLayout.groupTarget("testers", of: registry.channel))
        await #expect(throws: UpdateError.self) { try await device.updater().update(.all) }
        #expect(try await device.page("checkout") == "one")
        #expect(try device.events(.checkFailed).last?.why.contains("not signed with it") == true)
    }
}
