import PackFormat
import PackRegistryAPI

/// Makes a change that is approved and due, in one commit with the record that it was made. So it is made once, however many
/// servers and runners look at it.
struct ChangeExecution: RegistryChange {
    private let id: Int
    private let rule: ProposedActionRule

    init(_ id: Int, _ proposal: ChangeProposal, randomBits: UInt32) {
        self.id = id
        rule = ProposedActionRule(proposal: proposal, randomBits: randomBits)
    }

    var query: FactsQuery {
        var query = rule.query
        query.approvals = .change(id)
        query.tokens = .all
        return query
    }

    /// - Returns: the change as it is then: executed, failed, or not due yet.
    func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> ChangeOutcome {
        let now = changes.time
        let state = try facts.approvalState(of: id)
        let change = facts.proposedChange(state, now: now)
        guard change.isDue(now: now) else { return ChangeOutcome(isChanged: false, change: change) }
        let channel = change.proposal.channel
        let kind: ApprovalEvent.Kind
        do {
            if facts.revokedNames.contains(change.proposer) {
                throw RegistryError(.forbidden, "the token of \(change.proposer), who proposed it, was revoked")
            }
            var made = changes
            let effect = try rule.decide(facts, into: &made)
            guard effect.pins == state.pinned.pins else { throw Self.moved(change, effect) }
            if made.reason.isEmpty { made.reason = change.proposal.reason }
            changes = made
            kind = .execute(effect: effect.lines.joined(separator: "; "), needed: change.needed)
            changes.log(
                "change execute", "\(id) on \(channel)",
                change.proposal.action.summary + (change.proposal.reason.isEmpty ? "" : "; \(change.proposal.reason)"))
        } catch let error as RegistryError {
            kind = .fail(reason: error.message)
            changes.log("change fail", "\(id) on \(channel)", error.message)
        }
        let event = ApprovalEvent(kind, change: id, on: channel, time: now, actor: changes.actor.name)
        changes.approvalEvents.append(event)
        guard let ended = ApprovalState(facts.approvalEvents.filter { $0.change == id } + [event]) else {
            throw RegistryError(.notFound, "there is no change \(id)")
        }
        return ChangeOutcome(isChanged: true, change: facts.proposedChange(ended, now: now))
    }

    static func moved(_ change: ProposedChange, _ effect: ChangeEffect) -> RegistryError {
        let (then, now) = (change.effect.joined(separator: "; "), effect.lines.joined(separator: "; "))
        return RegistryError(
            .conflict,
            "\(change.proposal.channel) has changed since the change was proposed, and it would not do the same now. Then: "
                + "\(then). Now: \(then == now ? "the same on other content" : now). Propose it again if it is still meant"
        )
    }
}
