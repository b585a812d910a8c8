import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// Approvals and schedules, in a folder and behind a real server, as a device sees them.
struct ApprovalContractTests {
    private struct People: Sendable {
        let shop: Shop
        let ann: any Registry
        let bob: any Registry
        let cid: any Registry
        let owner: any Registry
    }

    private static let releasing = TokenScope(actions: [.release])

    /// A shop with checkout 1.0.0 for everybody on beta, 1.1.0 and 1.2.0 published, and a number of required approvals.
    private static func with(
        _ kind: RegistryKind, approvals: Int = 1, _ body: @escaping @Sendable (People) async throws -> Void
    ) async throws {
        let shop = try await kind.shop()
        try await shop.publisher().publish(["1.0.0", "1.1.0", "1.2.0"].map { try shop.page($0).zip })
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        let owner = shop.registry
        let set = try await owner.propose(ChangeProposal(.approvals(approvals), on: channel()))
        #expect(set.change.state == .executed && set.change.needed == 0)
        switch kind {
        case .local, .postgres, .bucket:
            func local(_ name: String) -> any Registry {
                shop.local.registry(as: Identity(name: "local:\(name)", scope: releasing))
            }
            try await body(People(shop: shop, ann: local("ann"), bob: local("bob"), cid: local("cid"), owner: owner))
        case .served:
            var tokens: [String] = []
            for name in ["ann", "bob", "cid"] {
                tokens.append(
                    try await owner.createToken(TokenRequest(name: name, scope: releasing, expires: nil)).secret)
            }
            let all = tokens
            try await RunningServer.with(shop.local) { (server) async throws in
                func remote(_ index: Int) throws -> any Registry { try RemoteRegistry(server.url, token: all[index]) }
                try await body(People(shop: shop, ann: remote(0), bob: remote(1), cid: remote(2), owner: owner))
            }
        }
    }

    private static func offer(_ text: String, at time: Date? = nil, reason: String = "") throws -> ChangeProposal {
        try ChangeProposal(.release(.offer(version(text)), of: package()), on: channel(), reason: reason, at: time)
    }

    private static func kind(_ body: () async throws -> Any) async -> RegistryError.Kind? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? RegistryError)?.kind
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `one proposes, another approves, and the change is made in the name of both`(kind: RegistryKind) async throws {
        try await Self.with(kind) { people in
            let (shop, ann, bob) = (people.shop, people.ann, people.bob)
            #expect(
                await Self.kind { try await ann.change(.offer(version("1.1.0")), of: package(), on: channel()) }
                    == .needsApproval)
            #expect(
                await Self.kind {
                    try await ann.release(
                        ReleaseSet(versions: [package(): version("1.1.0")]), on: channel())
                } == .needsApproval)
            #expect(
                await Self.kind { try await ann.change(.poll(ChannelPoll(seconds: 600)), on: channel()) }
                    == .needsApproval)
            #expect(
                await Self.kind {
                    try await ann.rollout(RolloutRequest(.complete), of: package(), on: channel())
                } == nil, "what changes nothing needs no approval")
            let proposed = try await ann.propose(Self.offer("1.1.0", reason: "the new checkout"))
            #expect(proposed.change.state == .waiting && proposed.change.needed == 1)
            #expect(proposed.change.effect == ["checkout on beta: 1.1.0 in place of 1.0.0"])
            #expect(try await shop.releases() == ["1.0.0@100"])
            let id = proposed.change.id
            #expect(await Self.kind { try await ann.vote(.approve, on: id) } == .forbidden)
            #expect(try await bob.changes(.open).changes.map(\.id) == [id])
            let approved = try await bob.vote(.approve, on: id)
            #expect(approved.change.state == .executed && approved.isChanged)
            #expect(try await shop.releases() == ["1.1.0@100"])
            #expect(try await !bob.vote(.approve, on: id).isChanged)
            let (first, second) = (proposed.change.proposer, approved.change.approvals[0].by)
            #expect(first.contains("ann") && second.contains("bob"))
            let log = try await people.owner.auditLog(limit: 4)
            #expect(log.map(\.action) == ["change execute", "release", "change approve", "change propose"])
            #expect(log[0].actor == "\(first), approved by \(second)" && log[1].actor == log[0].actor)
            #expect((log[2].actor, log[3].actor) == (second, first))
            #expect(log[3].detail.hasSuffix("the new checkout"))
            var query = FactsQuery.unsigned
            query.histories = try FactsQuery.Histories(of: package(), on: [channel()], files: [])
            let history = try await shop.local.services.store.facts(query).histories[channel()]
            #expect(history?.entries.last?.createdBy == log[0].actor)
            #expect(try await bob.changes(.open).changes.isEmpty)
            #expect(try await bob.changes(.newest).changes.map(\.state) == [.executed])
            #expect(try await bob.changes(.newest).required == [channel(): 1])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `two approvals are of two people, and a revoked token's does not count`(kind: RegistryKind) async throws {
        try await Self.with(kind, approvals: 2) { people in
            let id = try await people.ann.propose(Self.offer("1.1.0")).change.id
            #expect(try await people.bob.vote(.approve, on: id).change.state == .waiting)
            let again = try await people.bob.vote(.approve, on: id)
            #expect(!again.isChanged && again.change.approvalCount == 1)
            if kind == .served {
                let token = try #require(try await people.owner.tokens().first { $0.name == "bob" })
                #expect(try await people.owner.revokeToken(id: token.id))
                let change = try await people.cid.vote(.approve, on: id).change
                #expect(change.state == .waiting && change.approvalCount == 1)
                #expect(change.approvals.map(\.isRevoked) == [true, false])
                #expect(try await people.shop.releases() == ["1.0.0@100"])
                #expect(try await people.owner.vote(.approve, on: id).change.state == .executed)
            } else {
                #expect(try await people.cid.vote(.approve, on: id).change.state == .executed)
            }
            #expect(try await people.shop.releases() == ["1.1.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `an approved change waits for its time, and is made once`(kind: RegistryKind) async throws {
        try await Self.with(kind) { people in
            let shop = people.shop
            let time = shop.clock.now.addingTimeInterval(3_600)
            let id = try await people.ann.propose(Self.offer("1.1.0", at: time)).change.id
            let approved = try await people.bob.vote(.approve, on: id)
            #expect(approved.change.state == .scheduled && approved.isChanged)
            let early = try await people.ann.runRollouts()
            #expect(early.changes.isEmpty)
            let next = try #require(early.next)
            #expect(abs(next.timeIntervalSince(time)) < 0.01)
            #expect(try await shop.releases() == ["1.0.0@100"])
            shop.clock.advance(seconds: 3_601)
            async let first = people.ann.runRollouts()
            async let second = people.owner.runRollouts()
            let made = try await [first, second].flatMap(\.changes)
            #expect(made.map(\.state) == [.executed] && made.map(\.id) == [id])
            #expect(try await shop.releases() == ["1.1.0@100"])
            #expect(try await people.ann.runRollouts() == RolloutRun(actions: [], failures: [], next: nil))
            let log = try await people.owner.auditLog(limit: 50)
            // That approvals are required was recorded before.
            #expect(log.filter { $0.action == "change execute" && $0.subject == "\(id) on beta" }.count == 1)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a change expires, is rejected, and is not made after either`(kind: RegistryKind) async throws {
        try await Self.with(kind) { people in
            let late = try await people.ann.propose(Self.offer("1.1.0")).change
            let planned = try await people.ann.propose(
                Self.offer("1.1.0", at: people.shop.clock.now.addingTimeInterval(86_400))
            ).change
            _ = try await people.bob.vote(.approve, on: planned.id)
            people.shop.clock.advance(days: 8.1)
            #expect(try await people.ann.changes(.one(late.id)).changes.first?.state == .expired)
            #expect(await Self.kind { try await people.bob.vote(.approve, on: late.id) } == .conflict)
            #expect(try await people.ann.runRollouts().changes.isEmpty, "one whose runner was away expires too")
            _ = try await people.shop.local.renew()
            let second = try await people.ann.propose(Self.offer("1.2.0")).change
            let rejected = try await people.bob.vote(.reject(reason: "not today"), on: second.id).change
            #expect(rejected.state == .rejected && rejected.end?.text == "not today")
            #expect(await Self.kind { try await people.cid.vote(.approve, on: second.id) } == .conflict)
            let own = try await people.ann.propose(Self.offer("1.2.0")).change
            #expect(try await people.ann.vote(.reject(reason: ""), on: own.id).change.state == .rejected)
            #expect(try await people.shop.releases() == ["1.0.0@100"])
            #expect(try await people.ann.changes(.open).changes.isEmpty)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `what an open change proposes already is not proposed twice`(kind: RegistryKind) async throws {
        try await Self.with(kind) { people in
            let first = try await people.ann.propose(Self.offer("1.1.0", reason: "run 1"))
            let again = try await people.ann.propose(Self.offer("1.1.0", reason: "run 2"))
            #expect(!again.isChanged && again.change.id == first.change.id && again.change.proposal.reason == "run 1")
            let other = try await people.bob.propose(Self.offer("1.1.0"))
            #expect(!other.isChanged && other.change.id == first.change.id)
            // At another time, or until another, it is another change.
            let soon = people.shop.clock.now.addingTimeInterval(3600)
            let later = try await people.ann.propose(Self.offer("1.1.0", at: soon))
            #expect(later.isChanged && later.change.id != first.change.id)
            let brief = try await people.ann.propose(
                ChangeProposal(first.change.proposal.action, on: channel(), expires: soon))
            #expect(brief.isChanged && Set([first, later, brief].map(\.change.id)).count == 3)
            #expect(try await people.ann.changes(.open).changes.count == 3)
            #expect(try await people.owner.auditLog(limit: 50).count { $0.action == "change propose" } == 4)
            // It does something else once the channel offers something else, and then it is new.
            let next = try await people.ann.propose(Self.offer("1.2.0")).change
            _ = try await people.bob.vote(.reject(reason: ""), on: next.id)
            #expect(try await people.ann.propose(Self.offer("1.2.0")).isChanged, "a rejected change is no open one")
            _ = try await people.bob.vote(.approve, on: first.change.id)
            #expect(try await people.shop.releases() == ["1.1.0@100"])
            let moved = try await people.ann.propose(Self.offer("1.2.0"))
            #expect(moved.isChanged && moved.change.effect == ["checkout on beta: 1.2.0 in place of 1.1.0"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a change that would do something else by now is not made`(kind: RegistryKind) async throws {
        try await Self.with(kind) { people in
            let back = try ChangeProposal(.release(.rollBack(to: nil), of: package()), on: channel())
            #expect(await Self.kind { try await people.ann.propose(back) } == .notFound)
            let first = try await people.ann.propose(Self.offer("1.1.0")).change
            let other = try await people.bob.propose(Self.offer("1.2.0")).change
            #expect(first.preview == nil && first.notes.isEmpty)
            #expect(try await people.ann.vote(.approve, on: other.id).change.state == .executed)
            // Whoever looks before they approve is told.
            let seen = try #require(try await people.bob.changes(.one(first.id)).changes.first?.preview)
            #expect(!seen.isChanged && seen.effect.contains("1.1.0 is older than 1.2.0"), "\(seen)")
            let moved = try await people.bob.vote(.approve, on: first.id).change
            #expect(moved.state == .failed)
            // 1.1.0 is older than what the channel offers by now, which takes consent.
            #expect(moved.end?.text.contains("1.2.0") == true, "\(moved)")
            #expect(try await people.shop.releases() == ["1.2.0@100"])
            // Allowed by the rules, but not what was approved: from 1.2.0, not from 1.0.0.
            let rollback = try await people.ann.propose(back).change
            let way = try ChangeProposal(
                .release(.offer(version("1.1.0"), consent: .older), of: package()), on: channel())
            let sooner = try await people.ann.propose(way).change
            #expect(try await people.bob.vote(.approve, on: sooner.id).change.state == .executed)
            let failed = try await people.bob.vote(.approve, on: rollback.id).change
            #expect(failed.state == .failed && failed.end?.text.contains("has changed since") == true, "\(failed)")
            #expect(try await people.shop.releases() == ["1.1.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `the number is raised at once, and lowered by approval`(kind: RegistryKind) async throws {
        try await Self.with(kind) { people in
            let owner = people.owner
            func require(_ count: Int) throws -> ChangeProposal { try ChangeProposal(.approvals(count), on: channel()) }
            #expect(await Self.kind { try await people.ann.propose(require(2)) } == .forbidden)
            #expect(try await owner.propose(require(2)).change.state == .executed)
            let waiting = try await people.ann.propose(Self.offer("1.1.0")).change
            #expect(try await people.bob.vote(.approve, on: waiting.id).change.state == .waiting)
            let lower = try await owner.propose(require(0)).change
            #expect(lower.state == .waiting && lower.needed == 2)
            #expect(await Self.kind { try await owner.vote(.approve, on: lower.id) } == .forbidden)
            // Who may release may not decide about approvals, and does not even see it.
            #expect(await Self.kind { try await people.ann.vote(.approve, on: lower.id) } == .notFound)
            let second = people.shop.local.registry(as: .local(user: "dan"))
            let third = people.shop.local.registry(as: .local(user: "eve"))
            #expect(try await second.vote(.approve, on: lower.id).change.state == .waiting)
            #expect(try await third.vote(.approve, on: lower.id).change.state == .executed)
            #expect(try await owner.changes(.open).required.isEmpty)
            // What waited still needs two, and no look makes it.
            #expect(try await owner.runRollouts().changes.isEmpty)
            #expect(try await people.shop.releases() == ["1.0.0@100"])
            #expect(try await people.cid.vote(.approve, on: waiting.id).change.state == .executed)
            #expect(try await people.shop.releases() == ["1.1.0@100"])
            // With none required all is as it always was.
            _ = try await people.ann.change(.offer(version("1.2.0")), of: package(), on: channel())
            #expect(try await people.shop.releases() == ["1.2.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `lowering the number makes no open change`(kind: RegistryKind) async throws {
        try await Self.with(kind) { people in
            let shop = people.shop
            let alone = try await people.ann.propose(Self.offer("1.1.0")).change
            let time = shop.clock.now.addingTimeInterval(60)
            let later = try await people.ann.propose(Self.offer("1.2.0", at: time)).change
            let poll = try await people.ann.propose(
                ChangeProposal(.setting(.poll(ChannelPoll(seconds: 600))), on: channel(), at: time)
            ).change
            #expect(try await people.bob.vote(.approve, on: poll.id).change.state == .scheduled)
            let dan = shop.local.registry(as: .local(user: "dan"))
            let lowered = try await dan.propose(
                ChangeProposal(.approvals(0), on: channel(), reason: "bob left", isEmergency: true)
            ).change
            #expect(lowered.state == .executed)
            #expect(
                lowered.effect == [
                    "beta requires 0 approvals of a change in place of 1; 2 open changes stay, and need as many "
                        + "approvals as when they were proposed"
                ])
            #expect(try await people.ann.runRollouts().changes.isEmpty)
            shop.clock.advance(seconds: 61)
            #expect(try await people.owner.runRollouts().changes.map(\.id) == [poll.id], "it was approved before")
            #expect(try await shop.releases() == ["1.0.0@100"])
            for id in [alone.id, later.id] {
                let change = try #require(try await people.ann.changes(.one(id)).changes.first)
                #expect(change.state == .waiting && change.needed == 1 && change.approvalCount == 0)
                #expect(await Self.kind { try await people.ann.vote(.approve, on: id) } == .forbidden)
            }
            #expect(try await people.bob.vote(.approve, on: alone.id).change.state == .executed)
            #expect(try await shop.releases() == ["1.1.0@100"])
            // Proposed anew, it needs what the channel requires now.
            #expect(try await people.ann.propose(Self.offer("1.2.0")).change.state == .executed)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `ways back and stops are quick, and nothing else is an emergency`(kind: RegistryKind) async throws {
        try await Self.with(kind) { people in
            let ann = people.ann
            let id = try await ann.propose(Self.offer("1.1.0")).change.id
            _ = try await people.bob.vote(.approve, on: id)
            func emergency(_ action: ProposedAction, reason: String = "checkout fails") async throws -> ChangeOutcome {
                try await ann.propose(ChangeProposal(action, on: channel(), reason: reason, isEmergency: true))
            }
            #expect(
                await Self.kind { try await emergency(.release(.rollBack(to: nil), of: package()), reason: "") }
                    == .invalid)
            let forward = try ProposedAction.release(.offer(version("1.2.0")), of: package())
            #expect(await Self.kind { try await emergency(forward) } == .needsApproval)
            #expect(
                await Self.kind { try await emergency(.release(.rollBack(to: version("1.2.0")), of: package())) }
                    == .needsApproval)
            #expect(await Self.kind { try await emergency(.approvals(0)) } == .forbidden)
            #expect(
                await Self.kind { try await ann.change(.rollBack(to: nil), of: package(), on: channel()) }
                    == .needsApproval)
            #expect(try await people.shop.releases() == ["1.1.0@100"])
            // Only what an emergency allows is recommended.
            try await Self.rollback(ann, to: "1.0.0", says: "nobody is asked: --emergency --reason TEXT")
            try await Self.rollback(ann, to: "1.2.0", says: "nobody is asked, for a rollback without --to: --emergency")
            let back = try await emergency(.release(.rollBack(to: nil), of: package())).change
            #expect(back.state == .executed)
            #expect(try await people.shop.releases() == ["1.0.0@100"])
            let entry = try #require(try await people.owner.auditLog(limit: 1).first)
            #expect(entry.action == "change execute" && entry.actor.hasSuffix(", in an emergency"))
            #expect(entry.detail.hasSuffix("checkout fails"))
            // Off at once; on again by approval.
            #expect(try await ann.change(.gate(package(), isOn: false), on: channel()).isChanged)
            #expect(
                await Self.kind { try await ann.change(.gate(package(), isOn: true), on: channel()) } == .needsApproval)
            // Whoever holds the folder is let in again.
            let local = people.shop.local.registry(as: .local(user: "dan"))
            let open = try await local.propose(
                ChangeProposal(.approvals(0), on: channel(), reason: "bob left", isEmergency: true))
            #expect(open.change.state == .executed)
        }
    }

    private static func rollback(_ registry: any Registry, to text: String, says words: String) async throws {
        let error = await #expect(throws: RegistryError.self) {
            try await registry.change(.rollBack(to: version(text)), of: package(), on: channel())
        }
        #expect(error?.kind == .needsApproval && error?.message.contains(words) == true, "\(String(describing: error))")
    }

    @Test(arguments: RegistryKind.allCases)
    func `a plan is approved once and then goes on by itself`(kind: RegistryKind) async throws {
        try await Self.with(kind) { people in
            let text =
                "{\"steps\": [{\"share\": 1, \"for\": \"4h\"}, {\"share\": 10, \"for\": \"1d\"}, {\"share\": 100}]}"
            let plan = try RolloutPlan(parsing: Array(text.utf8), named: "plan")
            let request = try RolloutRequest(.plan(plan), of: version("1.1.0"))
            #expect(
                await Self.kind { try await people.ann.rollout(request, of: package(), on: channel()) }
                    == .needsApproval)
            let preview = RolloutRequest(request.verb, of: request.version, isDryRun: true)
            #expect(try await people.ann.rollout(preview, of: package(), on: channel()).isChanged)
            let change = try await people.ann.propose(
                ChangeProposal(.rollout(request, of: package()), on: channel())
            ).change
            #expect(try await people.ann.rollout(preview, of: package(), on: channel()).approvals == 1)
            // Who approves it sees the dates as of now.
            let seen = try #require(try await people.bob.changes(.one(change.id)).changes.first?.preview)
            #expect(seen.status?.plan == plan && seen.after.percent == 1)
            #expect(seen.status?.steps.last?.expected != nil)
            #expect(try await people.owner.overview().approvals == [channel(): 1])
            // The clock moves on meanwhile; the plan is the same.
            people.shop.clock.advance(seconds: 900)
            let approved = try await people.bob.vote(.approve, on: change.id).change
            #expect(approved.state == .executed && approved.preview == nil, "\(approved)")
            #expect(try await people.shop.releases() == ["1.1.0@1", "1.0.0@100"])
            people.shop.clock.advance(days: 0.17)
            #expect(try await people.ann.runRollouts().actions.map(\.name) == ["step"])
            #expect(try await people.shop.releases() == ["1.1.0@10", "1.0.0@100"])
            _ = try await people.ann.rollout(RolloutRequest(.pause), of: package(), on: channel())
            let late = try await people.ann.propose(
                ChangeProposal(.rollout(RolloutRequest(.resume), of: package()), on: channel())
            ).change
            #expect(late.preview?.status?.state == .running)
            let halt = RolloutRequest(.halt, reason: "it fails")
            #expect(try await people.ann.rollout(halt, of: package(), on: channel()).isChanged)
            // Going on after a pause was proposed, and not after a halt. Who looks is told before.
            let halted = try #require(try await people.bob.changes(.one(late.id)).changes.first?.preview)
            #expect(!halted.isChanged && halted.status == nil && halted.effect.contains("it fails"), "\(halted)")
            let failed = try await people.bob.vote(.approve, on: late.id).change
            #expect(failed.state == .failed && failed.end?.text.contains("it fails") == true, "\(failed)")
            let resume = RolloutRequest(.resume)
            #expect(
                await Self.kind { try await people.ann.rollout(resume, of: package(), on: channel()) } == .needsApproval
            )
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `without required approvals a change may be scheduled, and is proposed and made at once else`(
        kind: RegistryKind
    )
        async throws
    {
        try await Self.with(kind, approvals: 1) { people in
            _ = try await people.shop.local.registry(as: .local(user: "dan")).propose(
                ChangeProposal(.approvals(0), on: channel(), reason: "a test", isEmergency: true))
            #expect(try await people.ann.propose(Self.offer("1.1.0")).change.state == .executed)
            #expect(try await people.shop.releases() == ["1.1.0@100"])
            let time = people.shop.clock.now.addingTimeInterval(60)
            #expect(try await people.ann.propose(Self.offer("1.2.0", at: time)).change.state == .scheduled)
            people.shop.clock.advance(seconds: 61)
            #expect(try await people.ann.runRollouts().changes.map(\.state) == [.executed])
            #expect(try await people.shop.releases() == ["1.2.0@100"])
            let past = people.shop.clock.now.addingTimeInterval(-1)
            #expect(await Self.kind { try await people.ann.propose(Self.offer("1.1.0", at: past)) } == .invalid)
            #expect(await Self.kind { try await people.ann.propose(Self.offer("1.2.0")) } == .nothingToDo)
            #expect(await Self.kind { try await people.ann.propose(Self.offer("9.9.9")) } == .notFound)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a token for another package neither sees nor approves a change`(kind: RegistryKind) async throws {
        try await Self.with(kind) { people in
            let id = try await people.ann.propose(Self.offer("1.1.0")).change.id
            let scope = TokenScope(actions: [.release], packages: [try package("other")])
            let other = people.shop.local.registry(as: Identity(name: "other (1)", scope: scope))
            #expect(try await other.changes(.open).changes.isEmpty)
            #expect(await Self.kind { try await other.vote(.approve, on: id) } == .notFound)
            let publisher = people.shop.local.registry(
                as: Identity(name: "ci (2)", scope: TokenScope(actions: [.publish])))
            #expect(await Self.kind { try await publisher.changes(.open) } == .forbidden)
            #expect(await Self.kind { try await publisher.propose(Self.offer("1.1.0")) } == .forbidden)
            #expect(await Self.kind { try await people.bob.vote(.approve, on: 77) } == .notFound)
        }
    }
}
