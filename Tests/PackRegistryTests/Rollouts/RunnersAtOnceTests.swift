import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// Three runners on one registry, each with connections of its own, want a step at the same moment.
struct RunnersAtOnceTests {
    private static let shares = (1...9).map { $0 * 10 } + [100]

    /// A shop of which 1.0.0 is for everybody, and 1.1.0 follows a plan of steps of an hour each.
    private func planned(_ kind: RegistryKind) async throws -> Shop {
        let shop = try await kind.shop()
        try await shop.publisher().publish(["1.0.0", "1.1.0"].map { try shop.page($0).zip })
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        let steps = Self.shares.map { "{\"share\": \($0)\($0 == 100 ? "" : ", \"for\": \"1h\"")}" }
        let plan = try RolloutPlan(
            parsing: Array("{\"steps\": [\(steps.joined(separator: ", "))]}".utf8), named: "plan")
        _ = try await shop.registry.rollout(
            RolloutRequest(.plan(plan), of: version("1.1.0")), of: package(), on: channel())
        return shop
    }

    /// What all of them do at once.
    private func run(_ servers: [LocalRegistry]) async throws -> [RolloutRun] {
        try await withThrowingTaskGroup(of: RolloutRun.self) { group in
            for server in servers {
                group.addTask { try await server.registry(as: .system("rollout")).runRollouts() }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func servers(of shop: Shop) async throws -> [LocalRegistry] {
        try await [shop.local, shop.reopened(), shop.reopened()]
    }

    @Test(arguments: [RegistryKind.local, .postgres, .bucket])
    func `each step is taken once, in order, and devices see one share after the other`(kind: RegistryKind) async throws
    {
        let shop = try await planned(kind)
        let servers = try await servers(of: shop)
        #expect(try await shop.releases() == ["1.1.0@10", "1.0.0@100"])
        for share in Self.shares.dropFirst() {
            #expect(try await run(servers).allSatisfy { $0.actions.isEmpty && $0.failures.isEmpty })
            // Moments are kept in milliseconds.
            shop.clock.advance(seconds: 3_600.01)
            let runs = try await run(servers)
            #expect(runs.flatMap(\.actions).map(\.after.percent) == [share])
            #expect(runs.flatMap(\.failures).isEmpty)
            let others = share == 100 ? [] : ["1.0.0@100"]
            #expect(try await shop.releases() == ["1.1.0@\(share)"] + others)
        }
        #expect(try await run(servers).allSatisfy { $0 == RolloutRun(actions: [], failures: [], next: nil) })
        let log = try await shop.registry.auditLog(limit: 1_000).filter { $0.action == "rollout step" }
        #expect(log.reversed().map { $0.detail.prefix { $0 != " " } } == Self.shares.dropFirst().map { "\($0)" })
        #expect(log.allSatisfy { $0.actor == "system:rollout" })
        let status = try #require(try await shop.registry.rollouts(of: package()).first)
        #expect(status.state == .completed && status.steps.allSatisfy { $0.reached != nil })
        // Each share is once in the history, too: after the first release, which is for everybody.
        let shares = try ReleaseEvents.texts(of: shop.local.database).compactMap { event in
            event.hasPrefix("add ") || event.hasPrefix("update ")
                ? event.firstMatch(of: /"share":([0-9]+)/).map { String($0.1) } : nil
        }
        #expect(shares.dropFirst().filter { $0 != "0" } == Self.shares.map { "\($0 * 100)" })
    }

    @Test(arguments: [RegistryKind.local, .postgres, .bucket])
    func `a runner that died with the lease holds a step up for a minute, and nobody takes two`(kind: RegistryKind)
        async throws
    {
        let shop = try await planned(kind)
        let servers = try await servers(of: shop)
        // Two steps could be due by the clock.
        shop.clock.advance(seconds: 7_300)
        let lease = try await servers[0].leases.acquire(.rollout, for: .seconds(60), as: "a process that was killed")
        #expect(lease != nil)
        let held = try await run(Array(servers.dropFirst()))
        #expect(held.allSatisfy { $0.actions.isEmpty && $0.failures.isEmpty && $0.next == shop.clock.now })
        #expect(try await shop.releases() == ["1.1.0@10", "1.0.0@100"])
        // A lease ends at a whole number of milliseconds, and a moment lies between two.
        shop.clock.advance(seconds: 60.01)
        let runs = try await run(Array(servers.dropFirst()))
        #expect(runs.flatMap(\.actions).map(\.after.percent) == [20])
        // The next one is an hour after that.
        shop.clock.advance(seconds: 3_599)
        #expect(try await run(servers).allSatisfy(\.actions.isEmpty))
        shop.clock.advance(seconds: 1.01)
        #expect(try await run(servers).flatMap(\.actions).map(\.after.percent) == [30])
        #expect(try await shop.releases() == ["1.1.0@30", "1.0.0@100"])
    }
}
