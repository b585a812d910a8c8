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
        proposal.isEmergency ? 0 : needed(for: proposal.action, required: required)
    }

    /// What only stops something needs no approval, and neither does a stricter rule.
    package static func needed(for action: ProposedAction, required: Int) -> Int {
        switch action {
        case .approvals(let count) where count >= required: 0
        case .setting(.gate(_, isOn: false)): 0
        case .rollout(let request, _) where request.verb == .pause || request.verb == .halt: 0
        case .release, .set, .setting, .rollout, .approvals: required
        }
    }

    /// - Throws: ``RegistryError`` of the kind `.needsApproval` if the change must be proposed.
    static func require(
        _ action: ProposedAction, on channel: ChannelName, _ facts: RegistryFacts, _ changes: ChangeSet
    ) throws(RegistryError) {
        let count = needed(for: action, required: facts.requiredApprovals[channel] ?? 0)
        guard count > 0, !changes.isApproved else { return }
        throw RegistryError(
            .needsApproval,
            "\(channel) requires \(count) approval\(count == 1 ? "" : "s") of a change: propose it with --propose, and "
                + "somebody else approves it (packtool changes)")
    }

    /// An emergency is for the way back to what the channel offered to everybody before, and for a channel whose approvers
    /// are gone.
    /// - Throws: ``RegistryError`` for any other change, or without a reason.
    static func requireEmergency(
        _ proposal: ChangeProposal, _ facts: RegistryFacts, _ actor: Identity
    ) throws(RegistryError) {
        guard proposal.isEmergency else { return }
        guard !proposal.reason.isEmpty else {
            throw RegistryError(.invalid, "an emergency needs a reason, for those who were not asked: --reason TEXT")
        }
        guard proposal.time == nil else {
            throw RegistryError(.invalid, "an emergency is now: it has no later time")
        }
        switch proposal.action.plain {
        case .release(.rollBack(nil), _), .release(.rollBackToEmbedded, _): return
        case .release(.rollBack(let version?), let package):
            let history = facts.companions[proposal.channel]?[package] ?? facts.histories[proposal.channel]
            let wasFull =
                history?.entries.contains { $0.release.version == version && $0.release.rollout.reachesEveryone } ?? false
            guard !wasFull else { return }
            throw RegistryError(
                .needsApproval,
                "\(proposal.channel) never offered \(package) \(version) to everybody, so going there needs approval even in "
                    + "an emergency: roll back without --to, or propose it")
        case .rollout(let request, _) where request.verb == .rollBack: return
        case .approvals where actor.name.hasPrefix("local:"): return
        default:
            throw RegistryError(
                .needsApproval,
                "an emergency is for a rollback to what the channel offered before; rollout halt, rollout pause, gate --off and "
                    + "withdraw need no approval at all. Propose this change (--propose)")
        }
    }
}

extension ProposedAction {
    /// The action without what its proposer accepts.
    fileprivate var plain: ProposedAction {
        if case .release(let change, let package) = self { .release(change.plain, of: package) } else { self }
    }
}
