package import Foundation
package import PackFormat

/// A change that was proposed, and what became of it.
package struct ProposedChange: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// It needs more approvals.
        case waiting
        /// It is approved, and made when its time comes.
        case scheduled
        case executed
        case rejected
        case expired
        /// It was approved, and could not be made, because the channel had changed.
        case failed

        package var isOpen: Bool { self == .waiting || self == .scheduled }
    }

    package struct Approval: Hashable, Sendable {
        /// A token's name and id, or `local:USER`.
        package let by: String
        package let time: Date
        /// Whether the token was revoked since. Then it does not count.
        package let isRevoked: Bool

        package init(by: String, time: Date, isRevoked: Bool = false) {
            self.by = by
            self.time = time
            self.isRevoked = isRevoked
        }
    }

    /// How it ended.
    package struct End: Hashable, Sendable {
        package let by: String
        package let time: Date
        /// What it did, why it was rejected, or why it could not be made.
        package let text: String

        package init(by: String, time: Date, text: String) {
            self.by = by
            self.time = time
            self.text = text
        }
    }

    /// From 1, in the order of proposals in the registry.
    package let id: Int
    package let proposal: ChangeProposal
    package let proposer: String
    package let proposed: Date
    /// When it expires, whoever named the time.
    package let expires: Date
    package let state: State
    /// What it would do to the channel as it was when it was proposed, a line for each package.
    package let effect: [String]
    /// How many approvals it needs.
    package let needed: Int
    package let approvals: [Approval]
    /// nil while it is open, and if it expired.
    package let end: End?
    /// What an open change of a rollout would do if it were made now, or at its later time. Of any other open change only
    /// that it could not be made as it is, and why; nil if it could.
    package let preview: RolloutOutcome?
    /// What whoever approves an open change should know besides, as of now.
    package let notes: [String]

    package init(
        id: Int, proposal: ChangeProposal, proposer: String, proposed: Date, expires: Date, state: State,
        effect: [String], needed: Int, approvals: [Approval], end: End?, preview: RolloutOutcome? = nil,
        notes: [String] = []
    ) {
        self.id = id
        self.proposal = proposal
        self.proposer = proposer
        self.proposed = proposed
        self.expires = expires
        self.state = state
        self.effect = effect
        self.needed = needed
        self.approvals = approvals
        self.end = end
        self.preview = preview
        self.notes = notes
    }

    package func with(preview: RolloutOutcome?, notes: [String] = []) -> ProposedChange {
        ProposedChange(
            id: id, proposal: proposal, proposer: proposer, proposed: proposed, expires: expires, state: state,
            effect: effect, needed: needed, approvals: approvals, end: end, preview: preview, notes: notes)
    }

    package var approvalCount: Int { approvals.filter { !$0.isRevoked }.count }
}

/// What a proposal or a vote led to.
package struct ChangeOutcome: Hashable, Sendable {
    /// False if it was so before, such as for a second approval of one person.
    package let isChanged: Bool
    package let change: ProposedChange

    package init(isChanged: Bool, change: ProposedChange) {
        self.isChanged = isChanged
        self.change = change
    }
}

/// Proposed changes, newest first, and what channels require.
package struct ProposedChanges: Hashable, Sendable {
    package let changes: [ProposedChange]
    /// The channels that require approvals, and how many.
    package let required: [ChannelName: Int]

    package init(changes: [ProposedChange], required: [ChannelName: Int]) {
        self.changes = changes
        self.required = required
    }
}
