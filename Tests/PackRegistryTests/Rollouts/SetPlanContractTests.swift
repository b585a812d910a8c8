import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// The one plan of a set, where something newer of one of its packages was offered after it.
struct SetPlanContractTests {
    private static let steps = "{\"steps\": [{\"share\": 20, \"for\": \"1d\"}, {\"share\": 100}], \"devices\": 2000}"

    private static func plan(_ text: String = steps) throws -> RolloutPlan {
        try RolloutPlan(parsing: Array(text.utf8), named: "plan")
    }

    /// Checkout 1.0.0 for everybody, then a set of checkout 1.1.0 and help 1.0.0, with a plan that was given to checkout and has
    /// reached a fifth.
    private func stocked(_ kind: RegistryKind) async throws -> Shop {
        let shop = try await kind.shop()
        let versions = [
            ("checkout", "1.0.0"), ("checkout", "1.1.0"), ("checkout", "1.2.0"), ("help", "1.0.0"), ("help", "1.1.0"),
        ]
        try await shop.publisher().publish(versions.map { try shop.page($0.1, package: $0.0).zip })
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        shop.clock.advance(seconds: 60)
        let set = try [package(): version("1.1.0"), package("help"): version("1.0.0")]
        _ = try await shop.registry.release(ReleaseSet(versions: set, rollout: Rollout(percent: 10)), on: channel())
        shop.clock.advance(seconds: 60)
        _ = try await shop.registry.rollout(RolloutRequest(.plan(Self.plan())), of: package(), on: channel())
        shop.clock.advance(seconds: 60)
        return shop
    }

    @Test(arguments: RegistryKind.allCases)
    func `a rollback of something newer of the holder takes the set beneath back whole, and its plan ends`(
        kind: RegistryKind
    ) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.change(.offer(version("1.2.0"), Rollout(percent: 5)), of: package(), on: channel())
            shop.clock.advance(seconds: 60)
            let back = try await registry.change(.rollBack(to: nil), of: package(), on: channel())
            #expect(back.others.keys.map(\.text) == ["help"])
            shop.clock.advance(seconds: 60)
            #expect(try await shop.releases() == ["1.0.0@100"])
            #expect(try await shop.offers("help") == ["embedded@100"])
            for name in ["checkout", "help"] {
                #expect(try await registry.rollouts(of: package(name)).map(\.state) == [.rolledBack])
                let refused = await #expect(throws: RegistryError.self) {
                    try await registry.rollout(RolloutRequest(.advance()), of: package(name), on: channel())
                }
                #expect(refused?.message.contains("was taken back") == true, "\(refused?.message ?? "")")
            }
            #expect(try await registry.runRollouts().actions.isEmpty)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a newer release of a package that follows the plan pauses it, and another plan goes on without that package`(
        kind: RegistryKind
    ) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.change(.offer(version("1.1.0")), of: package("help"), on: channel())
            for name in ["help", "checkout"] {
                let refused = await #expect(throws: RegistryError.self) {
                    try await registry.rollout(RolloutRequest(.advance()), of: package(name), on: channel())
                }
                #expect(
                    refused?.message.contains("a newer release of help, 1.1.0") == true, "\(refused?.message ?? "")")
            }
            shop.clock.advance(days: 1.001)
            let run = try await registry.runRollouts()
            #expect(run.actions.map { "\($0.package) \($0.name) \($0.after)" } == ["checkout pause 20 %"], "\(run)")
            let status = try await registry.rollouts(of: package()).first
            #expect(status?.state == .paused)
            #expect(status?.reason == "the channel offers a newer release, help 1.1.0")
            let again = try await registry.rollout(RolloutRequest(.plan(Self.plan())), of: package(), on: channel())
            #expect(again.isChanged && again.status?.state == .running, "\(again)")
            shop.clock.advance(days: 1.001)
            let next = try await registry.runRollouts()
            #expect(next.actions.map { "\($0.package) \($0.name) \($0.after)" } == ["checkout step 100 %"], "\(next)")
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a past moment has the plan that ran then, whichever package has one since`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        let moment = shop.clock.now
        shop.clock.advance(seconds: 60)
        try await kind.using(shop) { (registry) async throws in
            func steps(_ name: String, _ time: Date?) async throws -> [Int] {
                try await registry.planProgress(of: package(name), on: channel(), at: time).values.map(\.step)
            }
            _ = try await registry.change(.offer(version("1.2.0"), Rollout(percent: 5)), of: package(), on: channel())
            shop.clock.advance(seconds: 60)
            let other = try Self.plan(
                "{\"steps\": [{\"share\": 30, \"for\": \"1d\"}, {\"share\": 100}], \"start\": \"manual\"}")
            _ = try await registry.rollout(RolloutRequest(.plan(other)), of: package("help"), on: channel())
            shop.clock.advance(seconds: 60)
            for name in ["checkout", "help"] {
                #expect(try await steps(name, moment) == [1], "\(name)")
                #expect(try await steps(name, moment - 90).isEmpty, "\(name)")
            }
            _ = try await registry.change(.rollBack(to: nil), of: package(), on: channel())
            shop.clock.advance(seconds: 60)
            for name in ["checkout", "help"] { #expect(try await steps(name, moment) == [1], "\(name)") }
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a present plan that another package has does not bring an earlier one back`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        let set = try [package(): version("1.2.0"), package("help"): version("1.1.0")]
        _ = try await shop.registry.release(ReleaseSet(versions: set, rollout: Rollout(percent: 10)), on: channel())
        shop.clock.advance(seconds: 1)
        _ = try await shop.registry.rollout(RolloutRequest(.plan(Self.plan())), of: package("help"), on: channel())
        let shown = try await shop.local.operations().rollouts
        #expect(shown.map { "\($0.package) \($0.version?.description ?? "")" } == ["help 1.1.0"])
    }

    @Test(arguments: StoreKind.allCases)
    func `the plan of a set is that of a release which is left, and any of its packages can have something newer`(
        kind: StoreKind
    ) async throws {
        let bench = try await StoreBench(kind)
        for version in ["1.0.0", "1.1.0", "1.2.0"] {
            for name in StoreBench.packages { try await bench.publish(name, version) }
        }
        let (alpha, other, beta) = try (PackageID("alpha"), PackageID("beta"), ChannelName("beta"))
        func planned(_ package: PackageID) async throws -> [PlannedRelease] {
            var query = FactsQuery.unsigned
            query.rollouts = FactsQuery.Rollouts(of: package, on: beta)
            return try await bench.store.facts(query).rollouts
        }
        try await bench.committer.commit(bench.release(.offer(version("1.0.0")), "alpha"), as: bench.ann)
        let set = try ReleaseSet(
            versions: [alpha: version("1.1.0"), other: version("1.0.0")], rollout: Rollout(percent: 5))
        try await bench.committer.commit(ReleaseSetOffer(set, on: beta, randomBits: 3), as: bench.ann)
        try await bench.committer.commit(
            RolloutChange(RolloutRequest(.plan(Self.plan())), of: alpha, on: beta, randomBits: 4), as: bench.ann)
        for package in [alpha, other] {
            let found = try await planned(package)
            #expect(found.count == 1 && found.first?.holder.package == alpha && found.first?.newer == nil)
        }
        try await bench.committer.commit(bench.release(.offer(version("1.1.0")), "beta"), as: bench.ann)
        for package in [alpha, other] { #expect(try await planned(package).map(\.newerText) == ["beta 1.1.0"]) }
        try await bench.committer.commit(
            bench.release(.offer(version("1.2.0"), Rollout(percent: 5)), "alpha"), as: bench.ann)
        for package in [alpha, other] { #expect(try await planned(package).map(\.newerText) == ["1.2.0"]) }
        try await bench.committer.commit(bench.release(.rollBack(to: nil), "alpha"), as: bench.ann)
        for package in [alpha, other] {
            let own = try #require(try await planned(package).first)
            #expect(own.holder.package == alpha && RolloutState(own.events)?.state == .rolledBack)
        }
    }
}
