import PackFormat
import PackRegistryAPI

/// Records what somebody says of an open change.
struct ChangeVoting: RegistryChange {
    private let vote: ChangeVote
    private let id: Int
    private let rule: ProposedActionRule

    /// - Parameter proposal: of the change; it never changes.
    init(_ vote: ChangeVote, on id: Int, _ proposal: ChangeProposal) {
        self.vote = vote
        self.id = id
        rule = ProposedActionRule(proposal: proposal, randomBits: 0)
    }

    var query: FactsQuery {
        var query = rule.query
        query.approvals = .change(id)
        query.tokens = .all
        return query
    }

    func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> ChangeOutcome {
        let (now, name) = (changes.time, changes.actor.name)
        let change = try facts.proposedChange(facts.approvalState(of: id), now: now)
        switch vote {
        case .approve:
            if change.approvals.contains(where: { $0.by == name }), change.state.isOpen || change.state == .executed {
                return ChangeOutcome(isChanged: false, change: change)
            }
            try requireOpen(change)
            guard change.proposer != name else {
                throw RegistryError(.forbidden, "\(name) proposed the change \(id), so somebody else has to approve it")
            }
            try requireRights(facts, changes)
        case .reject(let reason):
            if change.state == .rejected { return ChangeOutcome(isChanged: false, change: change) }
            try requireOpen(change)
            try reason.requireReason()
        }
        let kind: ApprovalEvent.Kind =
            switch vote {
            case .approve: .approve
            case .reject(let reason): .reject(reason: reason)
            }
        let event = ApprovalEvent(kind, change: id, on: change.proposal.channel, time: now, actor: name)
        changes.approvalEvents.append(event)
        var text = change.proposal.action.summary
        if case .reject(let reason) = vote, !reason.isEmpty { text += "; \(reason)" }
        changes.log("change \(kind.name)", "\(id) on \(change.proposal.channel)", text)
        guard let state = ApprovalState(facts.approvalEvents.filter { $0.change == id } + [event]) else {
            throw RegistryError(.notFound, "there is no change \(id)")
        }
        return ChangeOutcome(isChanged: true, change: facts.proposedChange(state, now: now))
    }

    private func requireOpen(_ change: ProposedChange) throws(RegistryError) {
        let text: String
        switch change.state {
        case .waiting, .scheduled: return
        case .executed: text = "was made already"
        case .rejected: text = "was rejected by \(change.end?.by ?? "somebody")"
        case .failed: text = "could not be made: \(change.end?.text ?? "")"
        case .expired: text = "expired at \(WireTime.text(change.expires))"
        }
        throw RegistryError(.conflict, "the change \(id) \(text). Propose it again if it is still meant")
    }

    /// Who approves needs the right for everything that the change does. Whether it can still be done is found out when it
    /// is made.
    private func requireRights(_ facts: RegistryFacts, _ changes: ChangeSet) throws {
        var trial = ChangeSet(by: changes.actor, at: changes.time)
        do {
            _ = try rule.decide(facts, into: &trial)
        } catch let error as RegistryError where error.kind != .forbidden {}
    }
}
