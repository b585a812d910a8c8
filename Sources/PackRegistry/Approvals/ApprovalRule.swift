package import Foundation
import PackFormat
package import PackRegistryAPI

/// How many approvals a change needs, and what needs none. Pure.
package enum ApprovalRule {
    /// After which an open change expires: seven days.
    package static let lifetime: TimeInterval = 7 * 86_400
    /// How far ahead a change may be scheduled: a year.
    package static let horizon: TimeInterval = 366 * 86_400
    /// Of the registry.
    package static let maximumOpenCount = 200

    /// - Parameter required: how many approvals the channel requires.
    package static func needed(for proposal: ChangeProposal, required: Int) -> Int {
        proposal.isEmergency ? 0 : proposal.action.approvals(required: required)
    }

    /// How many approvals an open change needs. Lowering the number of its channel asks nobody about the change, so it keeps
    /// the number that it was proposed with, or the present one if that is higher.
    package static func needed(for pinned: PinnedProposal, required: Int) -> Int {
        max(pinned.needed, needed(for: pinned.proposal, required: required))
    }
}
