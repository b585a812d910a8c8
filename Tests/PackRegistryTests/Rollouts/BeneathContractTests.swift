import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// Releases, sets and plans that lie beneath a newer release: they are not forgotten, and not torn apart.
struct BeneathContractTests {
    private static let steps = "{\"steps\": [{\"share\": 50, \"for\": \"1d\"}, {\"share\": 100}], \"devices\": 2000}"
    private static let versions = ["1.0.0", "1.1.0", "1.2.0", "1.3.0"]

    private static func plan() throws -> RolloutPlan {
        try RolloutPlan(parsing: Array(steps.utf8), named: "plan")
    }

    /// Checkout and help in four versions, and 1.0.0 of each for everybody.
    private func stocked(_ kind: RegistryKind) async throws -> Shop {
        let shop = try await kind.shop()
        try await shop.publisher().publish(
            Self.versions.flatMap { [try shop.page($0).zip, try shop.page($0, package: "help").zip] })
        for name in ["checkout", "help"] {
            _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(name), on: channel())
        }
        shop.clock.advance(seconds: 1)
        return shop
    }

    /// A set of checkout and help of one version.
    private func pair(_ text: String, _ share: Int) throws -> ReleaseSet {
        try ReleaseSet(
            versions: [package(): version(text), package("help"): version(text)], rollout: Rollout(percent: share))
    }

    private func tick(_ shop: Shop) { shop.clock.advance(seconds: 1) }

    @Test(arguments: RegistryKind.allCases)
    func `a rollback says which releases beneath the newest go with it, and how many devices`(kind: RegistryKind)
        async throws
    {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.rollout(
                RolloutRequest(.plan(Self.plan()), of: version("1.1.0")), of: package(), on: channel())
            tick(shop)
            _ = try await registry.change(.offer(version("1.3.0"), Rollout(percent: 5)), of: package(), on: channel())
            tick(shop)
            let preview = try await registry.rollout(
                RolloutRequest(.rollBack, of: version("1.3.0"), isDryRun: true), of: package(), on: channel())
            #expect(
                preview.effect
                    == "5 % of the devices leave checkout 1.3.0 on beta and go to 1.0.0; not only the newest is taken back: 50 % of the "
                    + "devices, about 1,000 devices, leave checkout 1.1.0. To take only checkout 1.3.0 back: packtool rollout "
                    + "checkout@1.3.0 --channel beta --percent 0")
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a set beneath a newer release of one of its packages goes back whole`(kind: RegistryKind) async throws {
        for isPlain in [true, false] {
            let shop = try await stocked(kind)
            try await kind.using(shop) { (registry) async throws in
                _ = try await registry.release(pair("1.1.0", 50), on: channel())
                tick(shop)
                _ = try await registry.change(
                    .offer(version("1.2.0"), Rollout(percent: 20)), of: package(), on: channel())
                tick(shop)
                // Everybody would have one package of the set without the other.
                let alone = ChannelChange.rollBack(to: try version("1.1.0"))
                let refused = await #expect(throws: RegistryError.self) {
                    try await registry.change(alone, of: package(), on: channel())
                }
                #expect(refused?.message.contains("in one set with help") == true)
                if isPlain {
                    let back = try await registry.change(.rollBack(to: nil), of: package(), on: channel())
                    #expect(back.others.keys.map(\.text) == ["help"])
                    #expect(back.effect.contains("leave help 1.1.0"), "\(back.effect)")
                } else {
                    let request = RolloutRequest(.rollBack, of: try version("1.2.0"))
                    let back = try await registry.rollout(request, of: package(), on: channel())
                    #expect(back.effect.contains("50 % of the devices leave help 1.1.0"), "\(back.effect)")
                }
                #expect(try await shop.offers() == ["1.0.0@100"])
                #expect(try await shop.offers("help") == ["1.0.0@100"])
            }
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a way back to what the app embeds leaves no part of a set beneath`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.release(pair("1.1.0", 50), on: channel())
            tick(shop)
            _ = try await registry.change(.offer(version("1.2.0"), Rollout(percent: 20)), of: package(), on: channel())
            tick(shop)
            let back = try await registry.change(.rollBackToEmbedded, of: package(), on: channel())
            #expect(back.others.keys.map(\.text) == ["help"])
            #expect(try await shop.offers() == ["embedded@100"])
            #expect(try await shop.offers("help") == ["1.0.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a plan beneath one that was taken back is shown, and is what a word without a version is for`(
        kind: RegistryKind
    ) async throws {
        for isWithdrawn in [true, false] {
            let shop = try await stocked(kind)
            try await kind.using(shop) { (registry) async throws in
                for text in ["1.1.0", "1.3.0"] {
                    _ = try await registry.rollout(
                        RolloutRequest(.plan(Self.plan()), of: version(text)), of: package(), on: channel())
                    tick(shop)
                }
                let both = try await registry.rollouts(of: package())
                #expect(both.map(\.version?.description) == ["1.3.0", "1.1.0"])
                if isWithdrawn {
                    try await shop.publisher().withdraw(version("1.3.0"), of: package(), reason: "bad")
                } else {
                    _ = try await registry.change(
                        .setRollout(Share.none, of: version("1.3.0")), of: package(), on: channel())
                }
                tick(shop)
                let left = try await registry.rollouts(of: package())
                #expect(left.first?.version?.description == "1.1.0" && left.first?.state == .running)
                let halt = try await registry.rollout(
                    RolloutRequest(.halt, reason: "stop everything"), of: package(), on: channel())
                #expect(halt.effect.hasPrefix("halt checkout 1.1.0 on beta"), "\(halt.effect)")
                shop.clock.advance(days: 3)
                #expect(try await registry.runRollouts().actions.isEmpty)
                #expect(try await shop.offers().contains("1.1.0@50"))
            }
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a halted version is not offered to other devices as a part of a set`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.rollout(
                RolloutRequest(.plan(Self.plan()), of: version("1.1.0")), of: package(), on: channel())
            tick(shop)
            _ = try await registry.rollout(
                RolloutRequest(.halt, reason: "orders are lost"), of: package(), on: channel())
            tick(shop)
            for share in [10, 50, 100] {
                let refused = await #expect(throws: RegistryError.self) {
                    try await registry.release(pair("1.1.0", share), on: channel())
                }
                #expect(
                    refused?.message.contains("is halted") == true
                        && refused?.message.contains("orders are lost") == true)
            }
            #expect(try await shop.offers("help") == ["1.0.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a newer release at 0 % stands in nobody's way back`(kind: RegistryKind) async throws {
        for isPlain in [true, false] {
            let shop = try await stocked(kind)
            try await kind.using(shop) { (registry) async throws in
                _ = try await registry.change(.offer(version("1.1.0")), of: package(), on: channel())
                tick(shop)
                _ = try await registry.change(
                    .offer(version("1.2.0"), Rollout(share: .none)), of: package(), on: channel())
                tick(shop)
                if isPlain {
                    _ = try await registry.change(.rollBack(to: nil), of: package(), on: channel())
                } else {
                    _ = try await registry.rollout(RolloutRequest(.rollBack), of: package(), on: channel())
                }
                #expect(try await shop.offers() == ["1.0.0@100"])
            }
        }
    }
}
