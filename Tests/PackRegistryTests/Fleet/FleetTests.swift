import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// Whole rollouts with a gate: a registry, its server, its runner, and a fleet of devices, on a clock that the test moves.
///
/// `PACKTOOL_LONG=1` has 2,000 devices and shares of 1, 10, 50 and 100 %. The ordinary run has 120, larger shares, and more
/// devices that fail: no gate can see 3 % of a dozen devices.
@Suite("FleetTests") struct FleetTests {
    private static let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == "1"
    private static let count = isLong ? 2_000 : 120
    /// Of the devices, in percent.
    private static let failing = isLong ? 3 : 30
    private static let shares = isLong ? [1, 10, 50, 100] : [10, 40, 70, 100]
    /// A bad release is halted before so many have it.
    private static let limit = count * (isLong ? 10 : 40) / 100

    private static func plan() throws -> RolloutPlan {
        let first = isLong ? 10 : 6
        // What twenty devices, or twelve, can tell.
        let (few, more) = isLong ? (35, 3) : (60, 15)
        let gate = "\"haltAbove\": 0, \"silence\": \"6h\", \"networks\": 3, \"expected\": 0"
        let text = """
            {"steps": [
              {"share": \(shares[0]), "for": "6h", "gate": {\(gate), "devices": \(first), "advanceBelow": \(few)}},
              {"share": \(shares[1]), "for": "6h", "gate": {\(gate), "devices": \(2 * first), "advanceBelow": \(more)}},
              {"share": \(shares[2]), "for": "6h", "gate": {\(gate), "devices": \(4 * first), "advanceBelow": \(more)}},
              {"share": \(shares[3])}], "devices": \(count)}
            """
        return try RolloutPlan(parsing: Array(text.utf8), named: "plan")
    }

    /// A registry with its server, which may be stopped and started again, and the devices of its app.
    private final class World: Sendable {
        let shop: Shop
        let fleet: Fleet
        let local: LocalRegistry
        let hour = Locked(0)

        init(_ shop: Shop, _ local: LocalRegistry, _ fleet: Fleet) {
            (self.shop, self.local, self.fleet) = (shop, local, fleet)
        }

        /// An hour of all devices, then the runner's look.
        func pass(_ page: @escaping @Sendable (Int, SemanticVersion) -> Fleet.Page) async throws -> RolloutRun {
            let now = hour.withLock { hour in
                hour += 1
                return hour
            }
            shop.clock.advance(seconds: 3600)
            try await local.renew()
            try await fleet.run(hour: now, page)
            let run = try await local.registry(as: .local(user: "cron")).runRollouts()
            #expect(run.failures.isEmpty)
            return run
        }

        func status() async throws -> RolloutStatus {
            let all = try await local.registry(as: .local(user: "ann")).rollouts(of: package())
            return try #require(all.first)
        }

        func offer(_ text: String, bits: UInt32) async throws {
            let request = try RolloutRequest(.plan(FleetTests.plan()), of: version(text))
            // Which devices are in is by the release's id: the same in each run of the test.
            _ = try await local.services.commit(
                RolloutChange(request, of: package(), on: channel(), randomBits: bits), as: .local(user: "ann"))
            // A server looks once a second at what is offered.
            try await Task.sleep(for: .milliseconds(1100))
        }
    }

    private static func limits() throws -> ServerLimits {
        var limits = ServerLimits()
        limits.trustedProxies = try TrustedProxies(["127.0.0.1"])
        limits.maximumConnectionsPerAddress = 1_000
        return limits
    }

    /// The devices on which a bad release fails, spread over all.
    private static func fails(_ device: Int) -> Bool {
        Digest(of: Array("bad \(device)".utf8)).bytes[0] % 100 < failing
    }

    @Test(.timeLimit(.minutes(isLong ? 20 : 2)))
    func `a good release reaches everybody untouched, and bad ones halt before many have them`() async throws {
        let shop = try await Shop()
        let versions = ["1.0.0", "1.1.0", "1.2.0", "1.3.0"]
        try await shop.publisher().publish(versions.map { try shop.page($0).zip })
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        // One server, and after the restart another one on the same folder.
        let fleet = try await RunningServer.with(shop.local, limits: Self.limits()) { server in
            let fleet = try Fleet(count: Self.count, shop: shop, port: server.port)
            let world = World(shop, shop.local, fleet)
            for _ in 0..<6 { _ = try await world.pass { _, _ in .works } }
            #expect(Set(fleet.active.values) == [try version("1.0.0")] && fleet.active.count == Self.count)
            try await Self.silent(world)
            return fleet
        }
        let again = try await LocalRegistry.open(shop.local.folder, clock: { shop.clock.now })
        try await RunningServer.with(again, limits: Self.limits()) { server in
            try fleet.network.move(to: server.port)
            let world = World(shop, again, fleet)
            try await Self.failing(world)
            try await Self.good(world)
        }
    }

    /// A release that ends the app before it can report, for days: its silence halts it at the first share.
    private static func silent(_ world: World) async throws {
        let bad = try version("1.1.0")
        try await world.offer("1.1.0", bits: 11)
        var halted = false
        for _ in 0..<24 where !halted {
            // In the middle of it a part of the devices has no line.
            world.fleet.network.cutOff(world.hour.withLock { $0 } % 24 > 12 ? 0..<count / 3 : 0..<0)
            let run = try await world.pass { _, version in version == bad ? .crashesForGood : .works }
            halted = run.actions.contains { $0.name == "halt" }
        }
        world.fleet.network.cutOff(0..<0)
        let status = try await world.status()
        #expect(status.state == .halted && status.actor == "system:rollout", "\(status.reason)")
        #expect(status.reason.contains("by silence"), "\(status.reason)")
        #expect(world.fleet.took(bad).count < limit)
        try await takeBack(world, bad)
    }

    /// A release that fails on some devices: it halts, and these have gone back by themselves.
    private static func failing(_ world: World) async throws {
        let bad = try version("1.2.0")
        try await world.offer("1.2.0", bits: 12)
        var halted = false
        for _ in 0..<48 where !halted {
            let run = try await world.pass { device, version in
                version == bad && fails(device) ? .crashes : .works
            }
            halted = run.actions.contains { $0.name == "halt" }
        }
        let status = try await world.status()
        #expect(status.state == .halted && status.reason.contains("devices are not well"), "\(status.reason)")
        let took = world.fleet.took(bad)
        #expect(took.count < limit, "\(took.count) of \(count) devices had it")
        let affected = took.filter(fails)
        #expect(!affected.isEmpty)
        let old = try version("1.0.0")
        #expect(affected.allSatisfy { world.fleet.active[$0] == old }, "they are back")
        let entry = try #require(try await world.shop.registry.auditLog(limit: 1).first)
        #expect((entry.actor, entry.action) == ("system:rollout", "rollout halt"))
        #expect(entry.detail.contains("devices failed"), "\(entry.detail)")
        print("fleet: \(took.count) of \(count) devices had the bad release at its halt: \(status.reason)")
        try await takeBack(world, bad)
    }

    /// Takes a halted release back: every device has the old version again.
    private static func takeBack(_ world: World, _ bad: SemanticVersion) async throws {
        _ = try await world.local.registry(as: .local(user: "ann")).rollout(
            RolloutRequest(.rollBack), of: package(), on: channel())
        // Who let it be comes back after three days.
        for _ in 0..<(bad == (try version("1.1.0")) ? 12 : 1) { world.shop.clock.advance(seconds: 6 * 3600) }
        for _ in 0..<6 { _ = try await world.pass { _, version in version == bad ? .crashes : .works } }
        let old = try version("1.0.0")
        #expect(world.fleet.active.values.allSatisfy { $0 == old })
    }

    /// A release on which nothing fails: nobody says a word, and everybody has it.
    private static func good(_ world: World) async throws {
        let good = try version("1.3.0")
        try await world.offer("1.3.0", bits: 13)
        var shares: [Int] = [try await world.status().share.percent]
        for _ in 0..<72 where try await world.status().state != .completed {
            let run = try await world.pass { _, _ in .works }
            #expect(run.actions.allSatisfy { $0.name == "step" }, "\(run.actions)")
            shares += run.actions.map(\.after.percent)
        }
        let last = try await world.status()
        #expect(shares == Self.shares, "\(last.gate?.text ?? last.next.reason)")
        for _ in 0..<6 { _ = try await world.pass { _, _ in .works } }
        #expect(world.fleet.active.values.allSatisfy { $0 == good } && world.fleet.active.count == count)
    }
}
