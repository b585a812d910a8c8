import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// What every store keeps of proposed changes, the twin in memory included.
@Suite("ApprovalStoreTests") struct ApprovalStoreTests {
    private static func proposal() throws -> ChangeProposal {
        try ChangeProposal(
            .release(.offer(version("1.1.0"), Rollout(percent: 10)), of: package("alpha")), on: channel(),
            reason: "why",
            at: Date(timeIntervalSince1970: 1_796_000_000), expires: Date(timeIntervalSince1970: 1_797_000_000))
    }

    private static func event(_ kind: ApprovalEvent.Kind, _ change: Int?, _ bench: StoreBench) throws -> ApprovalEvent {
        try ApprovalEvent(kind, change: change, on: channel(), time: bench.now, actor: "ann")
    }

    private static func record(_ events: [ApprovalEvent], _ bench: StoreBench) async throws {
        var changes = ChangeSet(by: bench.ann, at: bench.now)
        changes.approvalEvents = events
        #expect(!changes.isEmpty)
        let base = try await bench.store.facts(FactsQuery()).base
        try await bench.store.commit(changes, basedOn: base)
    }

    private static func facts(_ approvals: FactsQuery.Approvals, _ bench: StoreBench) async throws -> RegistryFacts {
        var query = FactsQuery.unsigned
        query.approvals = approvals
        return try await bench.store.facts(query)
    }

    @Test(arguments: StoreKind.allCases)
    func `events come back as they were recorded, by change`(kind: StoreKind) async throws {
        let bench = try await StoreBench(kind)
        let pinned = PinnedProposal(
            try Self.proposal(), expires: Date(timeIntervalSince1970: 1_797_000_000), pins: ["a", "b"], effect: ["c"],
            needed: 2)
        let first = try [ApprovalEvent.Kind.propose(pinned), .approve].map { try Self.event($0, 1, bench) }
        let second = try [ApprovalEvent.Kind.propose(pinned), .reject(reason: "no")].map {
            try Self.event($0, 2, bench)
        }
        let third = try [ApprovalEvent.Kind.propose(pinned), .execute(effect: "it", needed: 3)].map {
            try Self.event($0, 3, bench)
        }
        let fourth = try [ApprovalEvent.Kind.propose(pinned), .fail(reason: "moved")].map {
            try Self.event($0, 4, bench)
        }
        #expect(try await Self.facts(.open, bench).nextChange == 1)
        try await Self.record([Self.event(.require(2), nil, bench)] + first + second, bench)
        try await Self.record(third + fourth + [Self.event(.require(1), nil, bench)], bench)
        let open = try await Self.facts(.open, bench)
        #expect(open.approvalEvents == first && open.nextChange == 5)
        #expect(open.requiredApprovals == [try channel(): 1])
        #expect(try await bench.store.facts(FactsQuery()).requiredApprovals == [channel(): 1])
        #expect(try await Self.facts(.newest(2), bench).approvalEvents == third + fourth)
        #expect(try await Self.facts(.change(2), bench).approvalEvents == second)
        #expect(try await Self.facts(.change(9), bench).approvalEvents.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `what was decided before another event of a change is refused`(kind: StoreKind) async throws {
        let bench = try await StoreBench(kind)
        let base = try await bench.store.facts(FactsQuery()).base
        try await Self.record([Self.event(.require(1), nil, bench)], bench)
        var late = ChangeSet(by: bench.ann, at: bench.now)
        late.log("late", "change")
        await #expect(throws: StaleFacts()) { try await bench.store.commit(late, basedOn: base) }
    }

    @Test func `every action and every event is read as it was written`() throws {
        let pinned = PinnedProposal(
            try Self.proposal(), expires: Date(timeIntervalSince1970: 5), pins: [], effect: [], needed: 2)
        for kind: ApprovalEvent.Kind in [
            .require(3), .propose(pinned), .approve, .reject(reason: "r"), .execute(effect: "e", needed: 1),
            .fail(reason: "f"),
        ] {
            #expect(try ApprovalEvent.Kind(name: kind.name, content: kind.content) == kind)
        }
        for action: ProposedAction in try [
            .set(ReleaseSet(versions: [package(): version("1.0.0")])), .setting(.gate(package(), isOn: false)),
            .rollout(RolloutRequest(.halt), of: package()), .approvals(2),
        ] {
            let proposal = try ChangeProposal(action, on: channel(), isEmergency: true)
            #expect(try ChangeProposal(json: proposal.json) == proposal)
        }
        #expect(throws: JSONError.self) { try ProposedAction(json: ["kind": "approvals", "approvals": 21]) }
        #expect(throws: JSONError.self) { try ProposedAction(json: ["kind": "other"]) }
    }

    @Test func `an open change needs as many approvals as when it was proposed, or as now if that is more`() throws {
        let start = Date(timeIntervalSince1970: 1_000)
        func needed(_ pinned: Int, required: Int) throws -> ProposedChange? {
            let pinned = PinnedProposal(try Self.proposal(), expires: start + 100, pins: [], effect: [], needed: pinned)
            let event = try ApprovalEvent(.propose(pinned), change: 1, on: channel(), time: start, actor: "ann")
            return ApprovalState([event])?.change(required: required, revoked: [], now: start)
        }
        for (pinned, required, wanted) in [(1, 0, 1), (2, 1, 2), (1, 2, 2), (0, 1, 1)] {
            let change = try needed(pinned, required: required)
            #expect(change?.needed == wanted && change?.state == .waiting, "\(pinned) \(required)")
        }
        #expect(try needed(0, required: 0)?.state == .scheduled)
    }

    @Test func `a proposal of before the number was kept needs an approval`() throws {
        func read(_ action: ProposedAction) throws -> Int? {
            let proposal = try ChangeProposal(action, on: channel())
            let kind = ApprovalEvent.Kind.propose(
                PinnedProposal(proposal, expires: Date(timeIntervalSince1970: 5), pins: [], effect: [], needed: 3))
            var content = kind.content
            content["needed"] = nil
            guard case .propose(let pinned) = try ApprovalEvent.Kind(name: "propose", content: content) else {
                return nil
            }
            return pinned.needed
        }
        #expect(try read(.release(.offer(version("1.0.0")), of: package())) == 1)
        #expect(try read(.setting(.gate(package(), isOn: false))) == 0)
    }

    @Test func `the state of a change follows from its events`() throws {
        let start = Date(timeIntervalSince1970: 1_000)
        let pinned = PinnedProposal(try Self.proposal(), expires: start + 100, pins: [], effect: [], needed: 2)
        func events(_ kinds: [(ApprovalEvent.Kind, String)]) throws -> [ApprovalEvent] {
            try kinds.map { try ApprovalEvent($0.0, change: 1, on: channel(), time: start, actor: $0.1) }
        }
        func state(_ kinds: [(ApprovalEvent.Kind, String)], after seconds: Double = 1, revoked: Set<String> = []) throws
            -> ProposedChange.State?
        {
            let all = try events([(.propose(pinned), "ann")] + kinds)
            return ApprovalState(all)?.change(required: 2, revoked: revoked, now: start + seconds).state
        }
        #expect(try state([]) == .waiting)
        #expect(try state([(.approve, "ann"), (.approve, "bob"), (.approve, "bob")]) == .waiting)
        #expect(try state([(.approve, "cid"), (.approve, "bob")]) == .scheduled)
        #expect(try state([(.approve, "cid"), (.approve, "bob")], revoked: ["bob"]) == .waiting)
        #expect(try state([(.approve, "cid"), (.approve, "bob")], after: 100) == .expired)
        #expect(try state([(.reject(reason: ""), "bob"), (.approve, "cid")], after: 100) == .rejected)
        #expect(try ApprovalState(events([(.approve, "bob")])) == nil)
    }
}
