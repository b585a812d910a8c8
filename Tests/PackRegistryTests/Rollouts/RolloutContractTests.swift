import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// Rollouts by a plan, in a folder and behind a real server, as a device sees them.
struct RolloutContractTests {
    private static func plan(_ text: String) throws -> RolloutPlan {
        try RolloutPlan(parsing: Array(text.utf8), named: "plan")
    }

    private static let steps =
        "{\"steps\": [{\"share\": 1, \"for\": \"4h\"}, {\"share\": 10, \"for\": \"1d\"}, {\"share\": 100}], \"devices\": 2000}"

    /// A shop with checkout 1.0.0 for everybody, and 1.1.0 published.
    private func stocked(_ kind: RegistryKind) async throws -> Shop {
        let shop = try await kind.shop()
        try await shop.publisher().publish(["1.0.0", "1.1.0"].map { try shop.page($0).zip })
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        return shop
    }

    @Test(arguments: RegistryKind.allCases)
    func `a version is offered under a plan, and the runner takes the steps when they are due`(kind: RegistryKind)
        async throws
    {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            let request = try RolloutRequest(.plan(Self.plan(Self.steps)), of: version("1.1.0"))
            let preview = try await registry.rollout(
                RolloutRequest(request.verb, of: request.version, isDryRun: true), of: package(), on: channel())
            #expect(preview.isChanged && preview.before == .none && preview.after.percent == 1)
            #expect(preview.effect.contains("about 20 more of 2,000"), "\(preview.effect)")
            #expect(try await shop.releases() == ["1.0.0@100"], "a dry run does nothing")
            let outcome = try await registry.rollout(request, of: package(), on: channel())
            #expect(outcome.status?.state == .running && outcome.status?.stepNumber == 1)
            #expect(try await shop.releases() == ["1.1.0@1", "1.0.0@100"])
            #expect(try await !registry.rollout(request, of: package(), on: channel()).isChanged)

            #expect(try await registry.runRollouts().actions.isEmpty)
            shop.clock.advance(days: 0.17)
            let run = try await registry.runRollouts()
            #expect(run.actions.map(\.name) == ["step"] && run.failures.isEmpty)
            #expect(try await registry.runRollouts().actions.isEmpty)
            #expect(try await shop.releases() == ["1.1.0@10", "1.0.0@100"])
            let entry = try #require(try await shop.registry.auditLog(limit: 1).first)
            #expect((entry.actor, entry.action) == ("system:rollout", "rollout step"))
            #expect(
                entry.detail == "10 % of the devices in place of 1 %: about 180 more of 2,000; 1 % was there for 4h")

            // Moments are kept in milliseconds.
            shop.clock.advance(days: 1.001)
            _ = try await registry.runRollouts()
            #expect(try await shop.releases() == ["1.1.0@100"])
            let status = try #require(try await registry.rollouts(of: package()).first)
            #expect(status.state == .completed && status.steps.allSatisfy { $0.reached != nil })
            #expect(try await registry.runRollouts() == RolloutRun(actions: [], failures: [], next: nil))
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `words change the state, say what they do, and the rollback takes the release from everybody`(
        kind: RegistryKind
    ) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            func say(_ verb: RolloutRequest.Verb, _ reason: String = "") async throws -> RolloutOutcome {
                try await registry.rollout(RolloutRequest(verb, reason: reason), of: package(), on: channel())
            }
            for verb in [RolloutRequest.Verb.pause, .start, .resume, .advance(), .halt] {
                let refused = await #expect(throws: RegistryError.self) { try await say(verb) }
                #expect(refused?.kind == .notFound && refused?.message.contains("--plan FILE") == true)
            }
            _ = try await registry.rollout(
                RolloutRequest(.plan(Self.plan(Self.steps)), of: version("1.1.0")), of: package(), on: channel())
            #expect(try await say(.pause, "lunch").status?.state == .paused)
            #expect(try await !say(.pause).isChanged)
            shop.clock.advance(days: 2)
            #expect(try await registry.runRollouts().actions.isEmpty)
            let advanced = try await say(.advance(to: 2), "looks fine")
            #expect(
                advanced.effect.hasPrefix(
                    "advance checkout 1.1.0 on beta: 10 % of the devices in place of 1 %: about 180 more of 2,000; it was paused ("
                )
            )
            #expect(try await !say(.advance(to: 2)).isChanged)
            #expect(try await shop.releases() == ["1.1.0@10", "1.0.0@100"])
            #expect(try await shop.registry.auditLog(limit: 1).first?.detail.contains("looks fine") == true)
            let before = try await shop.channel().packages[package()]?.releases.first
            #expect(try await say(.retry(generation: 1)).isChanged)
            #expect(try await !say(.retry(generation: 1)).isChanged)
            let after = try await shop.channel().packages[package()]?.releases.first
            #expect(before?.id == after?.id && after?.retry == 1)
            #expect(try await say(.halt).status?.state == .halted)
            #expect(try await shop.releases() == ["1.1.0@10", "1.0.0@100"], "who has it keeps it")
            let back = try await say(.rollBack, "checkout fails")
            #expect(back.effect.contains("about 200") && back.effect.contains("go to 1.0.0"), "\(back.effect)")
            #expect(try await shop.releases() == ["1.0.0@100"])
            #expect(try await !say(.rollBack).isChanged)
            #expect(try await registry.rollouts(of: package()).first?.state == .rolledBack)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a token may plan and run what it may release, and nothing else`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        let request = try RolloutRequest(.plan(Self.plan(Self.steps)), of: version("1.1.0"))
        _ = try await shop.registry.rollout(request, of: package(), on: channel())
        shop.clock.advance(days: 1)
        for scope in [
            TokenScope(actions: [.publish]), TokenScope(actions: [.release], channels: [try channel("stable")]),
            TokenScope(actions: [.release], packages: [try package("other")]),
        ] {
            try await kind.using(shop, scope: scope) { (registry) async throws in
                await #expect(throws: RegistryError.self) {
                    try await registry.rollout(RolloutRequest(.pause), of: package(), on: channel())
                }
                if scope.actions == [.release] {
                    #expect(try await registry.runRollouts().actions.isEmpty)
                } else {
                    await #expect(throws: RegistryError.self) { try await registry.runRollouts() }
                }
            }
        }
        try await kind.using(shop, scope: TokenScope(actions: [.release], channels: [try channel()])) {
            (registry) async throws in
            #expect(try await registry.runRollouts().actions.count == 1)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `all plans are listed, the runner says what is next, and a way back has its reason`(kind: RegistryKind)
        async throws
    {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            let plan = try Self.plan(Self.steps)
            for name in ["beta", "gamma"] {
                if name == "gamma" {
                    _ = try await registry.change(.offer(version("1.0.0")), of: package(), on: channel(name))
                }
                _ = try await registry.rollout(
                    RolloutRequest(.plan(plan), of: version("1.1.0")), of: package(), on: channel(name))
                shop.clock.advance(seconds: 60)
            }
            let all = try await registry.rollouts(of: nil)
            #expect(all.map(\.channel.text) == ["beta", "gamma"])
            #expect(try await registry.rollouts(of: package()) == all)
            let run = try await registry.runRollouts()
            #expect(
                try run.subject
                    == .plan(package(), version("1.1.0"), on: channel(), share: Share(percent: 10)))
            #expect(run.next != nil)

            _ = try await registry.rollout(
                RolloutRequest(.rollBack, reason: "orders are lost"), of: package(), on: channel())
            let status = try #require(try await registry.rollouts(of: package()).first)
            #expect(status.state == .rolledBack && status.reason == "the release was taken back: orders are lost")
            let rollbacks = try await registry.overview().rollbacks
            let way = try #require(rollbacks[channel()]?[package()])
            #expect(try way.from == version("1.1.0") && way.to == version("1.0.0"))
            #expect(way.reason == "orders are lost" && way.by == status.actor)
            #expect(try rollbacks[channel("gamma")]?[package()] == nil)
        }
        try await kind.using(shop, scope: TokenScope(actions: [.observe], channels: [try channel("gamma")])) {
            (registry) async throws in
            #expect(try await registry.rollouts(of: nil).map(\.channel.text) == ["gamma"])
        }
        try await kind.using(shop, scope: TokenScope(actions: [.publish])) { (registry) async throws in
            await #expect(throws: RegistryError.self) { try await registry.rollouts(of: nil) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a pause that came between a step's decision and its record is kept`(kind: StoreKind) async throws {
        let bench = try await StoreBench(kind)
        for version in ["1.0.0", "1.1.0"] { try await bench.publish("alpha", version) }
        let (alpha, beta) = try (PackageID("alpha"), ChannelName("beta"))
        let ask = { (verb: RolloutRequest.Verb) in
            RolloutChange(RolloutRequest(verb, of: try SemanticVersion("1.1.0")), of: alpha, on: beta, randomBits: 9)
        }
        _ = try await bench.committer.commit(bench.release(.offer(SemanticVersion("1.0.0")), "alpha"), as: bench.ann)
        _ = try await bench.committer.commit(
            ask(.plan(Self.plan("{\"steps\": [{\"share\": 5}], \"start\": \"manual\"}"))), as: bench.ann)
        let late = try await bench.committer.prepare(ask(.start), as: .system("rollout"))
        let second = try await bench.committer.prepare(ask(.start), as: .system("rollout"))
        #expect(try await bench.committer.commit(ask(.pause), as: bench.ann).isRecorded)
        await #expect(throws: StaleFacts()) { try await bench.committer.record(late) }
        await #expect(throws: StaleFacts()) { try await bench.committer.record(second) }
        let facts = try await bench.store.facts(bench.rollouts)
        #expect(facts.rollouts.first.flatMap { RolloutState($0.events) }?.state == .paused)
        #expect(facts.openRollouts == [RegistryFacts.OpenRollout(package: alpha, channel: beta)])
    }

    @Test(arguments: RegistryKind.allCases)
    func `a release with a newer one is not completed, and the command that is named takes back the newer one only`(
        kind: RegistryKind
    ) async throws {
        let shop = try await kind.shop()
        try await shop.publisher().publish(["1.0.0", "1.1.0", "1.2.0"].map { try shop.page($0).zip })
        try await kind.using(shop) { (registry) async throws in
            func say(_ verb: RolloutRequest.Verb) async throws -> RolloutOutcome {
                try await registry.rollout(RolloutRequest(verb), of: package(), on: channel())
            }
            let text = "{\"steps\": [{\"share\": 30, \"for\": \"1d\"}, {\"share\": 100}], \"devices\": 1000}"
            let plan = try RolloutPlan(parsing: Array(text.utf8), named: "plan")
            _ = try await registry.change(.offer(version("1.0.0")), of: package(), on: channel())
            shop.clock.advance(seconds: 1)
            _ = try await registry.change(
                .offer(version("1.1.0"), Rollout(percent: 10)), of: package(), on: channel())
            _ = try await say(.plan(plan))
            shop.clock.advance(seconds: 1)
            _ = try await registry.change(.offer(version("1.2.0")), of: package(), on: channel())
            let before = try await shop.releases()
            for verb in [RolloutRequest.Verb.pause, .halt, .rollBack] {
                let refused = await #expect(throws: RegistryError.self) { try await say(verb) }
                #expect(refused?.message.contains("beta offers checkout 1.2.0 now, which has no plan") == true)
            }
            _ = try await registry.rollout(RolloutRequest(.pause, of: version("1.1.0")), of: package(), on: channel())
            for verb in [RolloutRequest.Verb.complete, .advance(), .resume] {
                let refused = await #expect(throws: RegistryError.self) { try await say(verb) }
                #expect(
                    refused?.message
                        == "beta offers a newer release of checkout, 1.2.0: take that one back first (packtool rollout "
                        + "checkout@1.2.0 --channel beta --percent 0), or go on with it")
            }
            #expect(try await shop.releases() == before)
            let status = try await registry.rollouts(of: package()).first
            #expect(
                status?.next.reason == "the channel offers a newer release, 1.2.0, and resume is refused while it does")
            // What the message names. It leads each device to the newest release beneath that admits it.
            let fewer = ChannelChange.setRollout(Share.none, of: try version("1.2.0"))
            let preview = try await registry.preview(fewer, of: package(), on: channel(), assuming: [])
            #expect(
                preview.effect.contains("go to the newest release that admits them: 1.1.0 (30 %), 1.0.0"),
                "\(preview.effect)")
            _ = try await registry.change(
                .setRollout(Share.none, of: version("1.2.0")), of: package(), on: channel())
            #expect(try await say(.resume).isChanged)
            #expect(try await shop.releases().suffix(2) == ["1.1.0@30", "1.0.0@100"])
            #expect(try await registry.rollouts(of: package()).first?.state == .running)
        }
    }
}
