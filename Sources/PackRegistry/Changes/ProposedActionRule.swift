import Foundation
import PackFormat
import PackRegistryAPI

/// The rule of whatever a proposed change does, as of one change of the registry.
struct ProposedActionRule {
    let proposal: ChangeProposal
    /// Part of the ids of releases that the change may make.
    let randomBits: UInt32

    private var channel: ChannelName { proposal.channel }

    var query: FactsQuery {
        switch proposal.action {
        case .release(let change, let package):
            ChannelRelease(change, of: package, on: channel, randomBits: randomBits).query
        case .set(let set): ReleaseSetOffer(set, on: channel, randomBits: randomBits).query
        case .setting(let setting): ChannelSettingChange(setting, on: channel).query
        case .rollout(let request, let package):
            RolloutChange(request, of: package, on: channel, randomBits: randomBits).query
        case .approvals: FactsQuery()
        }
    }

    /// Decides the change as one that is approved.
    /// - Returns: what it does to devices, with what it does on.
    /// - Throws: ``RegistryError`` if it is refused, or if there is nothing to do.
    func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> ChangeEffect {
        try ApprovalRequirement.requireEmergency(proposal, facts, changes.actor)
        changes.isApproved = true
        let (isChanged, text, release, notes) = try result(facts, &changes)
        guard isChanged else {
            throw RegistryError(
                .nothingToDo,
                "there is nothing to do: \(text ?? "it is so on \(channel) already (\(proposal.action.summary))")")
        }
        return ChangeEffect(of: proposal, text, release: release, planNotes: notes, changes, facts)
    }

    /// Whether it changes something, what its rule says, the release that a rollout's rule decided on, and what follows for plans.
    private func result(
        _ facts: RegistryFacts, _ changes: inout ChangeSet
    ) throws -> (isChanged: Bool, text: String?, release: String?, planNotes: [String]) {
        switch proposal.action {
        case .release(let change, let package):
            let outcome = try ChannelRelease(change, of: package, on: channel, randomBits: randomBits).decide(
                facts, into: &changes)
            return (outcome.isChanged, nil, nil, outcome.planNotes)
        case .set(let set):
            let outcome = try ReleaseSetOffer(set, on: channel, randomBits: randomBits).decide(facts, into: &changes)
            return (outcome.isChanged, nil, nil, outcome.planNotes)
        case .setting(let setting):
            let outcome = try ChannelSettingChange(setting, on: channel).decide(facts, into: &changes)
            return (outcome.isChanged, nil, nil, [])
        case .rollout(let request, let package):
            guard !request.isDryRun else {
                throw RegistryError(.invalid, "a dry run cannot be proposed: it changes nothing")
            }
            let outcome = try RolloutChange(request, of: package, on: channel, randomBits: randomBits).decide(
                facts, into: &changes)
            return (outcome.isChanged, outcome.effect, outcome.status?.release, [])
        case .approvals(let count):
            let before = facts.requiredApprovals[channel] ?? 0
            guard (0...ProposedAction.maximumApprovals).contains(count) else {
                throw RegistryError(
                    .invalid, "a channel may require 0 to \(ProposedAction.maximumApprovals) approvals, not \(count)")
            }
            guard count != before else { return (false, "\(channel) requires \(count) approvals already", nil, []) }
            changes.approvalEvents.append(
                ApprovalEvent(.require(count), change: nil, on: channel, time: changes.time, actor: changes.actor.name))
            changes.log("approvals", channel.text, "\(count) in place of \(before)")
            return (
                true,
                "\(ApprovalWords.required(count, on: channel)) in place of \(before)"
                    + (count < before ? waiting(facts, changes.time) : ""),
                nil, []
            )
        }
    }

    /// What lowering the number leaves to the changes that wait.
    private func waiting(_ facts: RegistryFacts, _ now: Date) -> String {
        let count = ApprovalState.all(facts.approvalEvents)
            .filter { $0.channel == channel && facts.proposedChange($0, now: now).state == .waiting }.count
        guard count > 0 else { return "" }
        return count == 1
            ? "; 1 open change stays, and needs as many approvals as when it was proposed"
            : "; \(CountText.number(count)) open changes stay, and need as many approvals as when they were proposed"
    }
}
