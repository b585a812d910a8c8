/// Changes that need other people's approval, or that are made at a later time.
///
///     let outcome = try await registry.propose(ChangeProposal(.release(.offer(version), of: shop), on: stable))
///     try await other.vote(.approve, on: outcome.change.id)          // made now, in the name of both
package protocol RegistryApprovals: Sendable {
    /// Proposes a change. One that needs no approval and has no time is made at once.
    func propose(_ proposal: ChangeProposal) async throws -> ChangeOutcome

    /// The newest changes that the caller may see.
    func changes(_ filter: ChangeFilter) async throws -> ProposedChanges

    /// Approves or rejects a change. The last approval that it needs makes it, if it has no later time.
    func vote(_ vote: ChangeVote, on id: Int) async throws -> ChangeOutcome
}

/// Which proposed changes to list.
package enum ChangeFilter: Hashable, Sendable {
    /// Those that can still be approved or made.
    case open
    /// The newest ones, whatever became of them.
    case newest
    case one(Int)

    /// The most changes of an answer.
    package static let maximumCount = 200
}
