package import Foundation
package import PackFormat
package import PackRegistryAPI

/// One entry of the append-only history of proposed changes (`approvalEvent`). What became of a change, and what a channel
/// requires, follows from these entries alone.
package struct ApprovalEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The channel requires so many approvals from now on.
        case require(Int)
        case propose(PinnedProposal)
        case approve
        case reject(reason: String)
        /// The change was made; recorded in the same commit as the change itself.
        case execute(effect: String, needed: Int)
        /// It could not be made.
        case fail(reason: String)
    }

    /// The number of the change; nil for ``Kind/require(_:)``.
    package let change: Int?
    package let channel: ChannelName
    package let kind: Kind
    package let time: Date
    package let actor: String

    package init(_ kind: Kind, change: Int?, on channel: ChannelName, time: Date, actor: String) {
        self.kind = kind
        self.change = change
        self.channel = channel
        self.time = time
        self.actor = actor
    }
}

/// A proposal with what it was proposed on.
package struct PinnedProposal: Hashable, Sendable {
    package let proposal: ChangeProposal
    package let expires: Date
    /// What it would do to devices and on what, with full digests: ``ChangeEffect/pins``.
    package let pins: [String]
    /// The same for people.
    package let effect: [String]
    /// How many approvals it needed when it was proposed. It never needs fewer.
    package let needed: Int

    package init(_ proposal: ChangeProposal, expires: Date, pins: [String], effect: [String], needed: Int) {
        self.proposal = proposal
        self.expires = expires
        self.pins = pins
        self.effect = effect
        self.needed = needed
    }
}
