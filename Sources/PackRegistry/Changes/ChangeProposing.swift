import Foundation
import PackFormat
import PackRegistryAPI

/// Records a proposal, with what it would do now. It must be possible now, so that nobody approves what cannot be done. What an
/// open change proposes already, such as an earlier run of a CI job, is not proposed twice.
struct ChangeProposing: RegistryChange {
    private let rule: ProposedActionRule

    /// - Parameter randomBits: as the change itself has them.
    init(_ proposal: ChangeProposal, randomBits: UInt32) {
        rule = ProposedActionRule(proposal: proposal, randomBits: randomBits)
    }

    private var proposal: ChangeProposal { rule.proposal }

    var query: FactsQuery {
        var query = rule.query
        query.approvals = .open
        query.tokens = .all
        return query
    }

    func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> ChangeOutcome {
        let now = changes.time
        try proposal.requireReason()
        try requireTimes(now)
        var trial = ChangeSet(by: changes.actor, at: now)
        let effect = try rule.decide(facts, into: &trial)
        let needed = ApprovalRule.needed(for: proposal, required: facts.requiredApprovals[proposal.channel] ?? 0)
        let open = ApprovalState.all(facts.approvalEvents).filter { facts.proposedChange($0, now: now).state.isOpen }
        if let same = open.last(where: { proposes($0.pinned, effect) }) {
            let change = facts.proposedChange(same, now: now)
            // One that needs more, from when more were required, waits where this need not.
            if change.needed == needed { return ChangeOutcome(isChanged: false, change: change) }
        }
        guard open.count < ApprovalRule.maximumOpenCount else {
            throw RegistryError(
                .conflict,
                "\(open.count) changes are open in this registry: approve or reject some first (packtool changes)")
        }
        let id = facts.nextChange
        let expires = proposal.expires ?? max(now, proposal.time ?? now).addingTimeInterval(ApprovalRule.lifetime)
        let pinned = PinnedProposal(
            proposal, expires: expires, pins: effect.pins, effect: effect.lines, needed: needed)
        let event = ApprovalEvent(
            .propose(pinned), change: id, on: proposal.channel, time: now, actor: changes.actor.name)
        changes.approvalEvents.append(event)
        let details = [
            proposal.action.summary, proposal.time.map { "at \(WireTime.text($0))" },
            proposal.isEmergency ? "an emergency" : nil, proposal.reason.isEmpty ? nil : proposal.reason,
        ]
        changes.log(
            "change propose", "\(id) on \(proposal.channel)", details.compactMap(\.self).joined(separator: "; "))
        guard let state = ApprovalState([event]) else { throw RegistryError(.invalid, "the change has no proposal") }
        return ChangeOutcome(isChanged: true, change: facts.proposedChange(state, now: now))
    }

    /// Whether an open change does the same, at the same time, as this would; who proposed it and why does not count.
    private func proposes(_ open: PinnedProposal, _ effect: ChangeEffect) -> Bool {
        open.proposal.action == proposal.action && open.proposal.channel == proposal.channel
            && open.proposal.time == proposal.time && !proposal.isEmergency && open.pins == effect.pins
            && (proposal.expires == nil || proposal.expires == open.expires)
    }

    private func requireTimes(_ now: Date) throws(RegistryError) {
        if let time = proposal.time {
            guard time > now else {
                throw RegistryError(.invalid, "\(WireTime.text(time)) is past: give a later time, or none")
            }
            guard time.timeIntervalSince(now) <= ApprovalRule.horizon else {
                throw RegistryError(.invalid, "\(WireTime.text(time)) is more than a year ahead")
            }
        }
        guard let expires = proposal.expires else { return }
        guard expires > (proposal.time ?? now) else {
            throw RegistryError(
                .invalid,
                "the change would expire at \(WireTime.text(expires)), before it can be made: give a later time")
        }
        guard expires.timeIntervalSince(now) <= 2 * ApprovalRule.horizon else {
            throw RegistryError(.invalid, "\(WireTime.text(expires)) is too far ahead for a change to expire")
        }
    }
}

extension ChangeProposal {
    func requireReason() throws(RegistryError) { try reason.requireReason() }
}

extension String {
    /// - Throws: ``RegistryError`` of the kind `.invalid` for a text that is no reason for the log.
    func requireReason() throws(RegistryError) {
        guard utf8.count <= 500, unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw RegistryError(.invalid, "a reason has 500 bytes at most, on one line")
        }
    }
}
