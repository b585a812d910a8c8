import Foundation
import PackFormat
import PackRegistryAPI

/// Whether a change may be made as it is, or must be proposed for others to approve. What needs no approval at all is in
/// ``ProposedAction/approvals(required:)``.
enum ApprovalRequirement {
    /// How many others must approve a change of a channel; 0 if nobody must.
    static func needed(for action: ProposedAction, on channel: ChannelName, _ facts: RegistryFacts) -> Int {
        action.approvals(required: facts.requiredApprovals[channel] ?? 0)
    }

    /// - Throws: ``RegistryError`` of the kind `.needsApproval` if the change must be proposed.
    static func require(
        _ action: ProposedAction, on channel: ChannelName, _ facts: RegistryFacts, _ changes: ChangeSet
    ) throws(RegistryError) {
        let count = needed(for: action, on: channel, facts)
        guard count > 0, !changes.isApproved else { return }
        throw RegistryError(
            .needsApproval,
            "\(ApprovalWords.required(count, on: channel)): \(ApprovalWords.proposing)"
                + emergencyText(action, on: channel, facts))
    }

    /// How it goes without approvals; empty for what must not.
    private static func emergencyText(
        _ action: ProposedAction, on channel: ChannelName, _ facts: RegistryFacts
    ) -> String {
        guard action.isWayBack else { return "" }
        if case .release(.rollBack(let version?), let package) = action.plain,
            !facts.wasForEverybody(version, of: package, on: channel)
        {
            return ". In an emergency nobody is asked, for a rollback without --to: --emergency --reason TEXT"
        }
        return ". In an emergency nobody is asked: --emergency --reason TEXT"
    }

    /// An emergency is for the way back to what the channel offered to everybody before, and for a channel whose approvers
    /// are gone.
    /// - Throws: ``RegistryError`` for any other change, or without a reason.
    static func requireEmergency(
        _ proposal: ChangeProposal, _ facts: RegistryFacts, _ actor: Identity
    ) throws(RegistryError) {
        guard proposal.isEmergency else { return }
        guard !proposal.reason.allSatisfy(\.isWhitespace) else {
            throw RegistryError(.invalid, "an emergency needs a reason, for those who were not asked: --reason TEXT")
        }
        guard proposal.time == nil else {
            throw RegistryError(.invalid, "an emergency is now: it has no later time")
        }
        switch proposal.action.plain {
        case .release(.rollBack(nil), _), .release(.rollBackToEmbedded, _): return
        case .release(.rollBack(let version?), let package):
            guard !facts.wasForEverybody(version, of: package, on: proposal.channel) else { return }
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

    /// Whether it leads devices back. An emergency makes that without approvals, if everybody had what it leads to.
    fileprivate var isWayBack: Bool {
        switch plain {
        case .release(.rollBack, _), .release(.rollBackToEmbedded, _): true
        case .rollout(let request, _): request.verb == .rollBack
        case .release, .set, .setting, .approvals: false
        }
    }
}

extension RegistryFacts {
    /// The names of revoked tokens, as identities have them.
    var revokedNames: Set<String> {
        Set(tokens.filter { $0.record.revoked != nil }.map { Identity.name(of: $0.record) })
    }

    /// Whether a channel ever offered a version to everybody.
    fileprivate func wasForEverybody(
        _ version: SemanticVersion, of package: PackageID, on channel: ChannelName
    ) -> Bool {
        let history = companions[channel]?[package] ?? histories[channel]
        return history?.entries.contains { $0.release.version == version && $0.release.rollout.reachesEveryone }
            ?? false
    }

    /// A change whose events were read.
    /// - Throws: ``RegistryError`` of the kind `.notFound`.
    func approvalState(of id: Int) throws(RegistryError) -> ApprovalState {
        guard let state = ApprovalState(approvalEvents.filter { $0.change == id }) else {
            throw RegistryError(.notFound, "there is no change \(id): packtool changes --all lists them")
        }
        return state
    }

    func proposedChange(_ state: ApprovalState, now: Date) -> ProposedChange {
        state.change(required: requiredApprovals[state.channel] ?? 0, revoked: revokedNames, now: now)
    }
}
