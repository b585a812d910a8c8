package import Foundation
package import PackRegistryAPI

/// Executes a change: it reads facts, applies the rule, signs, and commits. If another change came first, it tries
/// again.
package struct ChangeCommitter: Sendable {
    /// More than as many publishers as can come at once; a registry on which each try fails is told as busy.
    private static let tries = 100

    /// A change that is decided and signed, but not recorded yet.
    package struct Prepared<Outcome: Sendable>: Sendable {
        package let outcome: Outcome
        fileprivate let changes: ChangeSet
        fileprivate let base: RegistryFacts.Base?
        fileprivate let facts: RegistryFacts
    }

    private let store: any RegistryStore
    private let signer: any OnlineSigner
    private let clock: @Sendable () -> Date

    package init(store: any RegistryStore, signer: any OnlineSigner, clock: @escaping @Sendable () -> Date) {
        self.store = store
        self.signer = signer
        self.clock = clock
    }

    /// - Parameter lease: The lease without which nothing is recorded; nil if none is needed.
    /// - Returns: The outcome of the change, and whether anything was recorded.
    /// - Throws: ``RegistryError`` if the change is refused; of the kind `.busy` where others came first too often.
    ///   ``LostLease`` if the lease was lost.
    @discardableResult
    package func commit<Change: RegistryChange>(
        _ change: Change, as identity: Identity, under lease: Lease? = nil
    ) async throws -> (outcome: Change.Outcome, isRecorded: Bool) {
        try await commit(change, as: identity, under: lease, keeping: ReadRows())
    }

    /// - Parameter rows: Gets what was read and recorded.
    func commit<Change: RegistryChange>(
        _ change: Change, as identity: Identity, under lease: Lease?, keeping rows: ReadRows
    ) async throws -> (outcome: Change.Outcome, isRecorded: Bool) {
        for attempt in 1...Self.tries {
            let prepared = try await prepare(change, as: identity, under: lease)
            do {
                let isRecorded = try await record(prepared)
                if isRecorded { rows.keep(prepared.facts, and: prepared.changes) }
                return (prepared.outcome, isRecorded)
            } catch is StaleFacts {
                // The others finish meanwhile, and no two wait equally long.
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...min(4 * attempt, 100))))
            }
        }
        throw RegistryError(.busy, "other changes to this registry came first each time: try again")
    }

    /// Reads the facts, decides and signs. Nothing is recorded.
    package func prepare<Change: RegistryChange>(
        _ change: Change, as identity: Identity, under lease: Lease? = nil
    ) async throws -> Prepared<Change.Outcome> {
        let query = change.query
        let facts = try await store.facts(query)
        var changes = ChangeSet(by: identity, at: clock())
        let outcome = try change.decide(facts, into: &changes)
        changes.lease = lease
        guard changes.signs else {
            return Prepared(outcome: outcome, changes: changes, base: query.signs ? facts.base : nil, facts: facts)
        }
        let decided = changes
        // A key may be a command that takes its time.
        let signed = try await BlockingWork.run { [signer] in
            var changes = decided
            try MetadataSigner(facts, signer: signer, now: changes.time).sign(&changes)
            return changes
        }
        return Prepared(outcome: outcome, changes: signed, base: facts.base, facts: facts)
    }

    /// - Returns: False if there was nothing to record.
    /// - Throws: ``StaleFacts`` if another change was recorded since, ``LostLease`` if the lease was lost.
    package func record<Outcome>(_ prepared: Prepared<Outcome>) async throws -> Bool {
        guard !prepared.changes.isEmpty else { return false }
        try await store.commit(prepared.changes, basedOn: prepared.base)
        return true
    }
}
