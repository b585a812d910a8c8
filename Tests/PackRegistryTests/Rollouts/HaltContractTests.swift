import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// What a halted release is kept from, whoever asks for it and by which command.
struct HaltContractTests {
    private static func plan(_ text: String) throws -> RolloutPlan {
        try RolloutPlan(parsing: Array(text.utf8), named: "plan")
    }

    private static let steps = #"{"steps": [{"share": 10, "for": "1d"}, {"share": 100}]}"#
    private static let others = #"{"steps": [{"share": 50, "for": "1d"}, {"share": 100}]}"#

    /// Checkout 1.0.0 for everybody, 1.1.0 halted at a tenth, and 1.2.0 published.
    private static func halted(_ kind: RegistryKind, plan text: String = steps) async throws -> Shop {
        let shop = try await kind.shop()
        try await shop.publisher().publish(["1.0.0", "1.1.0", "1.2.0"].map { try shop.page($0).zip })
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        _ = try await shop.registry.rollout(
            RolloutRequest(.plan(plan(text)), of: version("1.1.0")), of: package(), on: channel())
        _ = try await shop.registry.rollout(
            RolloutRequest(.halt, reason: "orders are lost"), of: package(), on: channel())
        return shop
    }

    private static func expectRefused(
        saying words: [String] = ["is halted and cannot ", "orders are lost", "packtool rollout resume comes first"],
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> some Sendable
    ) async {
        let error = await #expect(throws: RegistryError.self, sourceLocation: sourceLocation) { _ = try await body() }
        #expect(error?.kind == .conflict, sourceLocation: sourceLocation)
        for word in words {
            #expect(
                error?.message.contains(word) == true, "\(word): \(String(describing: error))",
                sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a halted release gets no more devices by a new plan, a share or an offer`(kind: RegistryKind) async throws {
        let shop = try await Self.halted(kind)
        try await kind.using(shop) { (registry) async throws in
            for isDryRun in [true, false] {
                await Self.expectRefused(saying: ["checkout 1.1.0 on beta is halted and cannot take a new plan"]) {
                    try await registry.rollout(
                        RolloutRequest(.plan(Self.plan(Self.others)), isDryRun: isDryRun), of: package(), on: channel())
                }
            }
            let more = try Rollout(percent: 100)
            let changes: [ChannelChange] = try [
                .setRollout(Share(percent: 11)), .setRollout(Share(percent: 11), of: version("1.1.0")),
                .offer(version("1.1.0"), more), .offer(version("1.1.0"), more, consent: [.again, .older, .state]),
            ]
            for change in changes {
                await Self.expectRefused {
                    try await registry.preview(change, of: package(), on: channel(), assuming: [])
                }
                await Self.expectRefused { try await registry.change(change, of: package(), on: channel()) }
            }
            #expect(try await shop.releases() == ["1.1.0@10", "1.0.0@100"])
            // Fewer devices are always possible, and more once somebody goes on.
            _ = try await registry.change(.setRollout(Share(percent: 5)), of: package(), on: channel())
            await Self.expectRefused {
                try await registry.change(.setRollout(Share(percent: 10)), of: package(), on: channel())
            }
            _ = try await registry.rollout(RolloutRequest(.resume), of: package(), on: channel())
            _ = try await registry.change(.setRollout(Share(percent: 20)), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.1.0@20", "1.0.0@100"])
        }
    }

    @Test func `a halted set gets no more devices by any of its packages, nor as a set`() async throws {
        let shop = try await RegistryKind.local.shop()
        try await shop.publisher().publish([
            shop.page("1.0.0").zip, shop.page("1.1.0").zip, shop.page("1.1.0", package: "help").zip,
        ])
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        func set(_ share: Int) throws -> ReleaseSet {
            try ReleaseSet(
                versions: [package(): version("1.1.0"), package("help"): version("1.1.0")],
                rollout: Rollout(percent: share))
        }
        _ = try await shop.registry.release(set(0), on: channel())
        _ = try await shop.registry.rollout(
            RolloutRequest(.plan(Self.plan(Self.steps))), of: package(), on: channel())
        _ = try await shop.registry.rollout(
            RolloutRequest(.halt, reason: "orders are lost"), of: package("help"), on: channel())
        await Self.expectRefused { try await shop.registry.release(set(50), on: channel()) }
        for name in ["checkout", "help"] {
            await Self.expectRefused {
                try await shop.registry.change(.setRollout(Share(percent: 50)), of: package(name), on: channel())
            }
            #expect(try await shop.offers(name).first == "1.1.0@10")
        }
    }

    @Test func `a halted release whose plan has ended takes a new one, which says the halt`() async throws {
        let end = Date().addingTimeInterval(3_600).formatted(.iso8601)
        let halted = try await Self.halted(
            .local, plan: #"{"steps": [{"share": 10, "for": "1d"}, {"share": 100}], "end": "\#(end)"}"#)
        halted.clock.advance(seconds: 3_700)
        await Self.expectRefused(saying: ["has ended: give it a new one with --plan FILE"]) {
            try await halted.registry.rollout(RolloutRequest(.resume), of: package(), on: channel())
        }
        let outcome = try await halted.registry.rollout(
            RolloutRequest(.plan(Self.plan(Self.others))), of: package(), on: channel())
        #expect(
            outcome.effect.contains("; it is halted (") && outcome.effect.contains(": orders are lost)"), "\(outcome)")
        #expect(outcome.status?.state == .running)
        #expect(try await halted.releases() == ["1.1.0@50", "1.0.0@100"])
    }

    private static func propose(_ request: RolloutRequest, _ registry: any Registry) async throws -> ProposedChange {
        try await registry.propose(ChangeProposal(.rollout(request, of: package()), on: channel())).change
    }

    @Test func `who approves a plan of a newer release does not read of another one's halt, and who resumes does`()
        async throws
    {
        let shop = try await Self.halted(.local)
        func person(_ name: String) -> any Registry {
            shop.local.registry(as: Identity(name: "local:\(name)", scope: TokenScope(actions: [.release])))
        }
        let (ann, bob) = (person("ann"), person("bob"))
        _ = try await shop.registry.propose(ChangeProposal(.approvals(1), on: channel()))
        let resume = try await Self.propose(RolloutRequest(.resume), ann)
        #expect(resume.effect.first?.contains("; it is halted (") == true, "\(resume)")
        #expect(resume.effect.first?.contains(": orders are lost)") == true, "\(resume)")
        _ = try await ann.vote(.reject(reason: ""), on: resume.id)
        let newer = try await Self.propose(RolloutRequest(.plan(Self.plan(Self.others)), of: version("1.2.0")), ann)
        #expect(try await bob.vote(.approve, on: newer.id).change.state == .executed)
        _ = try await ann.rollout(RolloutRequest(.halt, reason: "no"), of: package(), on: channel())
        // The newest release that has no plan, above two that are halted.
        try await shop.publisher().publish([shop.page("1.3.0").zip])
        let offer = try await ann.propose(
            ChangeProposal(
                .release(.offer(version("1.3.0"), Rollout(share: .none)), of: package()), on: channel())
        ).change
        #expect(try await bob.vote(.approve, on: offer.id).change.state == .executed)
        let plan = try await Self.propose(RolloutRequest(.plan(Self.plan(Self.others))), ann)
        #expect(plan.effect.first?.hasPrefix("checkout 1.3.0 on beta follows the plan") == true, "\(plan)")
        #expect(plan.effect.first?.contains("halted") == false, "\(plan)")
        // Everybody reads the same of it, in the name of its proposer.
        for reader in [ann, bob, shop.registry] {
            let seen = try #require(try await reader.changes(.one(plan.id)).changes.first?.preview?.status)
            #expect(seen.actor == "local:ann", "\(seen)")
        }
        #expect(try await bob.vote(.approve, on: plan.id).change.state == .executed)
        #expect(try await shop.releases().first == "1.3.0@50")
    }
}
