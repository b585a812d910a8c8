import Foundation
import PackFormat
import PackRegistryAPI

/// Makes the changes that are approved and due: right after the last approval, or as a runner when their time comes.
struct ChangeExecutor: Sendable {
    private static let leaseDuration: Duration = .seconds(60)

    struct Run: Sendable {
        /// Those that were made, and those that failed.
        var changes: [ProposedChange] = []
        /// Those that could not be looked at, and why.
        var failures: [String] = []
        /// When the next one is due, and which one that is.
        var next: Date?
        var subject: RolloutRun.Subject?
    }

    private let services: RegistryServices

    init(_ services: RegistryServices) {
        self.services = services
    }

    /// Makes a change if it is due now.
    func execute(_ change: ProposedChange, under lease: Lease? = nil) async throws -> ChangeOutcome {
        // What it may do was asked of each proposer and approver; which packages a set has today may differ, and is refused.
        let identity = Identity(name: change.actor, scope: TokenScope(actions: [.admin]))
        return try await services.commit(
            ChangeExecution(change.id, change.proposal, randomBits: .random(in: .min ... .max)), as: identity,
            under: lease)
    }

    /// Makes all that are due.
    /// - Parameter isAllowed: which changes are looked at.
    func run(where isAllowed: @escaping @Sendable (ProposedChange) -> Bool) async throws -> Run {
        let (due, later) = try await due(isAllowed)
        let next = later?.proposal.time
        let subject = later.map { RolloutRun.Subject.change($0.id, on: $0.proposal.channel) }
        guard !due.isEmpty else { return Run(next: next, subject: subject) }
        let holder = "process \(ProcessInfo.processInfo.processIdentifier)"
        let run = try await services.leases.whileHolding(.rollout, for: Self.leaseDuration, as: holder) { lease in
            var run = Run(next: next, subject: subject)
            for change in due {
                do {
                    let outcome = try await execute(change, under: lease)
                    if outcome.isChanged { run.changes.append(outcome.change) }
                } catch let error as RegistryError {
                    // The others go on.
                    run.failures.append("the change \(change.id) on \(change.proposal.channel): \(error)")
                }
            }
            return run
        }
        // Another runner makes them just now.
        return run ?? Run(next: services.clock())
    }

    private func due(
        _ isAllowed: (ProposedChange) -> Bool
    ) async throws -> (due: [ProposedChange], next: ProposedChange?) {
        let now = services.clock()
        let open = try await services.changes(.open).changes.filter { $0.state == .scheduled && isAllowed($0) }
        let due = open.filter { $0.isDue(now: now) }.sorted { $0.id < $1.id }
        func time(_ change: ProposedChange) -> Date { change.proposal.time ?? now }
        return (due, open.filter { !$0.isDue(now: now) }.min { time($0) < time($1) })
    }
}

extension RegistryServices {
    /// Proposed changes, newest first.
    func changes(_ filter: ChangeFilter) async throws -> ProposedChanges {
        var query = FactsQuery.unsigned
        query.tokens = .all
        switch filter {
        case .open: query.approvals = .open
        case .newest: query.approvals = .newest(ChangeFilter.maximumCount)
        case .one(let id): query.approvals = .change(id)
        }
        let facts = try await store.facts(query)
        let now = clock()
        let changes = ApprovalState.all(facts.approvalEvents).map { facts.proposedChange($0, now: now) }
        return ProposedChanges(
            changes: changes.filter { filter != .open || $0.state.isOpen }.reversed(),
            required: facts.requiredApprovals.filter { $0.value > 0 })
    }
}

extension RolloutRun {
    /// One pass over plans and proposed changes.
    func adding(_ run: ChangeExecutor.Run) -> RolloutRun {
        let isChangeFirst = run.next ?? .distantFuture < next ?? .distantFuture
        return RolloutRun(
            actions: actions, changes: run.changes, failures: run.failures + failures,
            next: isChangeFirst ? run.next : next, subject: isChangeFirst ? run.subject : subject)
    }
}
