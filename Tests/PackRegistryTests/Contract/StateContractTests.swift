import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// The guard of stored data, in a folder and behind a real server.
struct StateContractTests {
    private static func site(
        _ shop: Shop, _ package: String, _ version: String, _ state: Int, _ reads: ClosedRange<Int>
    ) throws -> URL {
        try Site(
            package, version, ["index.html": "<p>\(package) \(version)</p>"],
            state: Manifest.State(version: state, reads: reads), in: shop.folder
        ).zip
    }

    private static func message(_ body: () async throws -> Any) async -> String {
        do { return "done: \(try await body())" } catch { return "\(error)" }
    }

    @Test(arguments: RegistryKind.allCases)
    func `no way leads back to a version that cannot read what devices stored`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        try await shop.publisher().publish([
            Self.site(shop, "checkout", "1.0.0", 1, 1...1), Self.site(shop, "checkout", "2.0.0", 2, 1...2),
        ])
        let reason = "checkout 1.0.0 reads stored data of state 1 only, and devices of beta may have data of state 2"
        try await kind.using(shop) { (registry) async throws in
            func change(_ change: ChannelChange) async throws -> ChannelOutcome {
                try await registry.change(change, of: package(), on: channel())
            }
            _ = try await change(.offer(version("1.0.0")))
            _ = try await change(.offer(version("2.0.0"), Rollout(percent: 50)))
            for refused: ChannelChange in try [
                .rollBack(to: nil), .rollBack(to: version("1.0.0")),
                .offer(version("1.0.0"), consent: [.older, .again]),
                .setRollout(Share(percent: 10)), .rollBackToEmbedded,
            ] {
                let message = await Self.message { try await change(refused) }
                #expect(message.contains(refused == .rollBackToEmbedded ? "what the app embeds" : reason), "\(message)")
                #expect(message.contains("--despite-state"))
            }
            let rollout = await Self.message {
                try await registry.rollout(RolloutRequest(.rollBack), of: package(), on: channel())
            }
            #expect(rollout.contains(reason), "\(rollout)")
            let publisher = try shop.publisher(over: registry)
            let withdrawal = await Self.message {
                try await publisher.withdraw(version("2.0.0"), of: package(), reason: "a fault")
            }
            #expect(withdrawal.contains(reason), "\(withdrawal)")
            #expect(try await shop.releases() == ["2.0.0@50", "1.0.0@100"])
            _ = try await change(.accepting(.state, .rollBack(to: nil)))
            #expect(try await shop.releases() == ["1.0.0@100"])
            try await publisher.withdraw(version("2.0.0"), of: package(), reason: "a fault")
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a set, a promotion and another channel are guarded alike`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        try await shop.publisher().publish([
            Self.site(shop, "checkout", "1.0.0", 1, 1...1), Self.site(shop, "checkout", "2.0.0", 2, 2...2),
            Self.site(shop, "help", "1.0.0", 1, 1...1), Self.site(shop, "help", "2.0.0", 1, 1...1),
        ])
        try await kind.using(shop) { (registry) async throws in
            func set(_ text: String, _ consent: OfferConsent = []) throws -> ReleaseSet {
                try ReleaseSet(
                    versions: [package(): version(text), package("help"): version(text)], consent: consent)
            }
            _ = try await registry.release(set("1.0.0"), on: channel())
            // What a set is taken back to was offered before it, not at the same moment.
            shop.clock.advance(seconds: 1)
            let refused = await Self.message { try await registry.release(set("2.0.0"), on: channel()) }
            #expect(refused.contains("checkout 2.0.0 reads stored data of state 2 only"), "\(refused)")
            #expect(try await shop.releases("help") == ["1.0.0@100"])
            _ = try await registry.release(set("2.0.0", [.state]), on: channel())
            // Of the set the other package is the one that cannot.
            let back = await Self.message {
                try await registry.change(.rollBack(to: nil), of: package("help"), on: channel())
            }
            #expect(back.contains("checkout 1.0.0 reads stored data of state 1 only"), "\(back)")
            // A channel whose devices never had state 1 takes it.
            _ = try await registry.change(
                .promote(version("2.0.0"), from: channel()), of: package(), on: channel("stable"))
            #expect(try await shop.releases(on: "stable") == ["2.0.0@100"])
            _ = try await registry.change(
                .offer(version("1.0.0"), consent: [.older, .state]), of: package("help"), on: channel("nightly"))
            let older = await Self.message {
                try await registry.change(
                    .offer(version("1.0.0"), consent: .older), of: package(), on: channel("stable"))
            }
            #expect(older.contains("checkout 1.0.0 reads stored data of state 1 only"), "\(older)")
        }
    }
}
