import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// Sets that share packages, ways back that lie beneath, and sets that come from another channel: no device gets a part of a set,
/// and nothing that was taken back comes again by another package's change.
struct OverlapContractTests {
    private static let names = ["admin", "cart", "shop"]

    private static func plan(_ share: Int = 50) throws -> RolloutPlan {
        try RolloutPlan(
            parsing: Array("{\"steps\": [{\"share\": \(share), \"for\": \"1d\"}, {\"share\": 100}]}".utf8),
            named: "plan")
    }

    /// Three packages in four versions.
    /// - Parameter known: those of which everybody has 1.0.0.
    private func stocked(_ kind: RegistryKind, known: [String] = names) async throws -> Shop {
        let shop = try await kind.shop()
        try await shop.publisher().publish(
            ["1.0.0", "1.1.0", "1.2.0", "1.3.0"].flatMap { text in
                try Self.names.map { try shop.page(text, package: $0).zip }
            })
        for name in known {
            _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(name), on: channel())
        }
        tick(shop)
        return shop
    }

    private func set(_ versions: [String: String], _ share: Int = 100) throws -> ReleaseSet {
        try ReleaseSet(
            versions: Dictionary(uniqueKeysWithValues: versions.map { (try package($0), try version($1)) }),
            rollout: Rollout(percent: share))
    }

    private func tick(_ shop: Shop) { shop.clock.advance(seconds: 1) }

    /// What the channel offers of each package, such as `cart 1.2.0@50 1.0.0@100`.
    private func offers(_ shop: Shop) async throws -> [String] {
        var all: [String] = []
        for name in Self.names { all.append("\(name) \(try await shop.offers(name).joined(separator: " "))") }
        return all
    }

    // MARK: Ways back

    @Test(arguments: RegistryKind.allCases)
    func `a rollback that takes a package out of an older set takes that set back whole`(kind: RegistryKind)
        async throws
    {
        for share in [50, 100] {
            for way in try [ChannelChange.rollBack(to: nil), .rollBack(to: version("1.0.0")), .rollBackToEmbedded] {
                let shop = try await stocked(kind)
                try await kind.using(shop) { (registry) async throws in
                    _ = try await registry.release(set(["cart": "1.2.0", "admin": "1.2.0"], 50), on: channel())
                    tick(shop)
                    _ = try await registry.release(set(["shop": "1.3.0", "cart": "1.3.0"], share), on: channel())
                    tick(shop)
                    let back = try await registry.change(way, of: package("shop"), on: channel())
                    #expect(back.others.keys.map(\.text).sorted() == ["admin", "cart"])
                    #expect(back.effect.contains("admin 1.2.0"), "\(back.effect)")
                    let end = way == .rollBackToEmbedded ? "embedded@100" : "1.0.0@100"
                    #expect(try await shop.offers("shop") == [end])
                    #expect(try await shop.offers("cart") == [end])
                    #expect(try await shop.offers("admin") == ["1.0.0@100"])
                }
            }
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a version that two sets share goes back with both`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.release(set(["cart": "1.2.0", "admin": "1.2.0"], 50), on: channel())
            tick(shop)
            _ = try await registry.release(set(["admin": "1.2.0", "shop": "1.2.0"], 40), on: channel())
            tick(shop)
            _ = try await registry.change(.rollBack(to: nil), of: package("cart"), on: channel())
            #expect(try await offers(shop) == ["admin 1.0.0@100", "cart 1.0.0@100", "shop 1.0.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a rollback to a way back of a set before leaves the others where they are`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.release(
                set(["shop": "1.1.0", "admin": "1.1.0", "cart": "1.1.0"]), on: channel())
            tick(shop)
            _ = try await registry.release(set(["shop": "1.2.0", "admin": "1.2.0"], 30), on: channel())
            tick(shop)
            _ = try await registry.change(.rollBackToEmbedded, of: package("cart"), on: channel())
            let back = ["admin embedded@100", "cart embedded@100", "shop embedded@100"]
            #expect(try await offers(shop) == back)
            tick(shop)
            _ = try await registry.change(
                .offer(version("1.3.0"), Rollout(percent: 50)), of: package("shop"), on: channel())
            tick(shop)
            _ = try await registry.change(
                .offer(version("1.2.0"), Rollout(percent: 30), consent: .again), of: package("admin"), on: channel())
            tick(shop)
            let outcome = try await registry.change(.rollBack(to: nil), of: package("shop"), on: channel())
            #expect(outcome.others.isEmpty)
            #expect(
                try await offers(shop) == ["admin 1.2.0@30 embedded@100", "cart embedded@100", "shop embedded@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `what goes when a way back goes brings no part of a set again`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind, known: ["shop"])
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.release(set(["shop": "1.1.0", "admin": "1.1.0"], 50), on: channel())
            tick(shop)
            _ = try await registry.release(set(["shop": "1.2.0", "admin": "1.2.0"], 20), on: channel())
            tick(shop)
            _ = try await registry.change(.rollBack(to: nil), of: package("shop"), on: channel())
            #expect(try await shop.offers("admin") == ["embedded@100"])
            tick(shop)
            _ = try await registry.change(
                .setRollout(Share(percent: 0), of: version("1.0.0")), of: package("shop"), on: channel())
            #expect(try await shop.offers("admin") == ["embedded@0"])
            #expect(try await shop.offers("shop") == ["1.0.0@0", "1.0.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `what the app embeds under a newer release for everybody takes the set beneath along`(kind: RegistryKind)
        async throws
    {
        // 1.1.0 was never offered here.
        for way in try [ChannelChange.rollBackToEmbedded, .rollBack(to: nil), .rollBack(to: version("1.1.0"))] {
            let shop = try await stocked(kind)
            try await kind.using(shop) { (registry) async throws in
                _ = try await registry.release(set(["cart": "1.2.0", "admin": "1.2.0"], 50), on: channel())
                tick(shop)
                _ = try await registry.change(
                    .offer(version("1.3.0"), Rollout(percent: 60)), of: package("admin"), on: channel())
                tick(shop)
                _ = try await registry.change(way, of: package("admin"), on: channel())
                #expect(try await shop.offers("cart") == ["1.0.0@100"], "\(way)")
            }
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `after a hotfix of one package is taken back the set is one again`(kind: RegistryKind) async throws {
        for word in ["withdraw", "percent", "audience", "rollback"] {
            let shop = try await stocked(kind)
            try await kind.using(shop) { (registry) async throws in
                let (cart, text) = (try package("cart"), try version("1.1.0"))
                _ = try await registry.release(set(["cart": "1.1.0", "shop": "1.1.0"]), on: channel())
                tick(shop)
                _ = try await registry.change(
                    .offer(version("1.2.0"), Rollout(percent: 20)), of: package("shop"), on: channel())
                tick(shop)
                _ = try await registry.change(.rollBack(to: nil), of: package("shop"), on: channel())
                #expect(try await offers(shop) == ["admin 1.0.0@100", "cart 1.1.0@100", "shop 1.1.0@100"])
                tick(shop)
                switch word {
                case "withdraw":
                    let outcome = try await registry.previewWithdrawal(of: text, of: cart, reason: "leaks")
                    #expect(outcome[try channel()]?.others.keys.map(\.text) == ["shop"])
                    return
                case "percent": _ = try await registry.change(.setRollout(Share(percent: 0)), of: cart, on: channel())
                case "audience":
                    let audience = try Audience("platform=ios")
                    _ = try await registry.change(.setRollout(nil, audiences: [audience]), of: cart, on: channel())
                default: _ = try await registry.change(.rollBack(to: nil), of: cart, on: channel())
                }
                let own =
                    [
                        "percent": "1.1.0@0 1.0.0@100", "audience": "1.1.0@100 of platform=ios 1.0.0@100",
                        "rollback": "1.0.0@100",
                    ][word] ?? ""
                #expect(try await offers(shop) == ["admin 1.0.0@100", "cart \(own)", "shop \(own)"])
            }
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a halted version goes out by no other release, plan or audience`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            let (admin, cart) = (try package("admin"), try package("cart"))
            let audience = try Audience("platform=ios")
            _ = try await registry.rollout(
                RolloutRequest(.plan(Self.plan(20), audiences: [audience]), of: version("1.2.0")), of: admin,
                on: channel())
            tick(shop)
            _ = try await registry.rollout(RolloutRequest(.halt, reason: "eats orders"), of: admin, on: channel())
            for wider in ["platform=ios,android", "os>=3"] {
                let refused = await #expect(throws: RegistryError.self) {
                    try await registry.change(.setRollout(nil, audiences: [Audience(wider)]), of: admin, on: channel())
                }
                #expect(refused?.message.contains("eats orders") == true)
            }
            _ = try await registry.change(
                .setRollout(nil, audiences: [Audience("platform=ios; os>=3")]), of: admin, on: channel())
            // At 0 % it is for nobody, and stays so.
            _ = try await registry.release(set(["cart": "1.2.0", "admin": "1.2.0"], 0), on: channel())
            tick(shop)
            let planned = await #expect(throws: RegistryError.self) {
                try await registry.rollout(
                    RolloutRequest(.plan(Self.plan(20)), of: version("1.2.0")), of: cart, on: channel())
            }
            #expect(planned?.message.contains("eats orders") == true)
            let raised = await #expect(throws: RegistryError.self) {
                try await registry.change(.setRollout(Share(percent: 15)), of: cart, on: channel())
            }
            #expect(raised?.message.contains("eats orders") == true)
        }
    }

    // MARK: Promoting

    @Test(arguments: RegistryKind.allCases)
    func `a set that is promoted goes by what the channel has of each of its packages`(kind: RegistryKind) async throws
    {
        let shop = try await stocked(kind)
        let beta = try ChannelName("beta2")
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.release(set(["cart": "1.2.0", "admin": "1.2.0"]), on: beta)
            let promotion = try ChannelChange.promote(nil, from: beta, Rollout(percent: 30))
            _ = try await registry.change(promotion, of: package("cart"), on: channel())
            #expect(
                try await offers(shop) == ["admin 1.2.0@30 1.0.0@100", "cart 1.2.0@30 1.0.0@100", "shop 1.0.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a promoted set is refused where its other package is halted, newer or was taken back`(kind: RegistryKind)
        async throws
    {
        for reason in ["halted", "older", "again", "paused"] {
            let shop = try await stocked(kind)
            let beta = try ChannelName("beta2")
            try await kind.using(shop) { (registry) async throws in
                let admin = try package("admin")
                switch reason {
                case "halted", "paused":
                    let text = reason == "halted" ? "1.2.0" : "1.1.0"
                    _ = try await registry.rollout(
                        RolloutRequest(.plan(Self.plan(20)), of: version(text)), of: admin, on: channel())
                    tick(shop)
                    if reason == "halted" {
                        _ = try await registry.rollout(
                            RolloutRequest(.halt, reason: "eats orders"), of: admin, on: channel())
                    }
                case "older": _ = try await registry.change(.offer(version("1.3.0")), of: admin, on: channel())
                default:
                    _ = try await registry.change(.offer(version("1.2.0")), of: admin, on: channel())
                    tick(shop)
                    _ = try await registry.change(.rollBack(to: nil), of: admin, on: channel())
                }
                tick(shop)
                _ = try await registry.release(set(["cart": "1.2.0", "admin": "1.2.0"]), on: beta)
                let before = try await offers(shop)
                func promote(_ consent: OfferConsent) async throws -> ChannelOutcome {
                    try await registry.change(
                        .promote(nil, from: beta, .everyone, consent: consent), of: package("cart"), on: channel())
                }
                if reason == "paused" {
                    let outcome = try await promote([])
                    #expect(
                        outcome.planNotes.first?.contains("the plan of admin 1.1.0") == true, "\(outcome.planNotes)")
                    return
                }
                let refused = await #expect(throws: RegistryError.self) { try await promote([]) }
                #expect(
                    refused?.message.contains(
                        ["halted": "eats orders", "older": "older than 1.3.0", "again": "--again"][reason] ?? "?")
                        == true,
                    "\(refused?.message ?? "-")")
                #expect(try await offers(shop) == before)
                guard reason != "halted" else { return }
                _ = try await promote(reason == "older" ? .older : .again)
                #expect(try await shop.offers("admin").first == "1.2.0@100")
            }
        }
    }

    // MARK: Stopping

    @Test(arguments: RegistryKind.allCases)
    func `a halted release gets no device by its group`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        @Sendable func group(_ ids: String...) throws -> ChannelSetting {
            let salt = String(repeating: "0", count: 32)
            return try .group(
                DeviceGroup(
                    name: "testers", salt: salt, devices: Set(ids.map { DeviceGroup.hash(of: $0, salt: salt) })))
        }
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.change(group("one"), on: channel())
            let audience = try Audience("group=testers")
            _ = try await registry.rollout(
                RolloutRequest(.plan(Self.plan(99), audiences: [audience]), of: version("1.1.0")), of: package("shop"),
                on: channel())
            tick(shop)
            _ = try await registry.change(group("one", "two"), on: channel())
            _ = try await registry.rollout(
                RolloutRequest(.halt, reason: "eats orders"), of: package("shop"), on: channel())
            let refused = await #expect(throws: RegistryError.self) {
                try await registry.change(group("one", "two", "three"), on: channel())
            }
            #expect(refused?.message.contains("shop 1.1.0") == true && refused?.message.contains("eats orders") == true)
            #expect(refused?.message.contains("testers") == true, "\(refused?.message ?? "-")")
            _ = try await registry.rollout(RolloutRequest(.resume), of: package("shop"), on: channel())
            _ = try await registry.change(group("one", "two", "three"), on: channel())
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `to halt without a version is refused where a plan of later lies above the one that runs`(kind: RegistryKind)
        async throws
    {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            let (name, later) = (try package("shop"), Self.laterPlan)
            _ = try await registry.rollout(
                RolloutRequest(.plan(Self.plan(20)), of: version("1.1.0")), of: name, on: channel())
            tick(shop)
            _ = try await registry.rollout(
                RolloutRequest(.plan(RolloutPlan(parsing: Array(later.utf8), named: "plan")), of: version("1.2.0")),
                of: name,
                on: channel())
            tick(shop)
            for verb in [RolloutRequest.Verb.halt, .pause] {
                let refused = await #expect(throws: RegistryError.self) {
                    try await registry.rollout(RolloutRequest(verb, reason: "lost"), of: name, on: channel())
                }
                #expect(
                    refused?.message.contains("shop@1.1.0") == true && refused?.message.contains("shop@1.2.0") == true)
            }
            let halted = try await registry.rollout(
                RolloutRequest(.halt, of: version("1.1.0"), reason: "lost"), of: name, on: channel())
            #expect(halted.status?.state == .halted && halted.status?.version?.description == "1.1.0")
        }
    }

    private static let laterPlan =
        "{\"steps\": [{\"share\": 20, \"for\": \"1h\"}, {\"share\": 100}], \"start\": \"2090-01-07T08:00:00Z\"}"
}
