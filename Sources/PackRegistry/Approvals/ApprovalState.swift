package import Foundation
package import PackFormat
package import PackRegistryAPI

/// What the events of one proposed change say.
package struct ApprovalState: Sendable {
    private enum End {
        case executed(needed: Int)
        case rejected
        case failed
    }

    package let id: Int
    package let channel: ChannelName
    package let pinned: PinnedProposal
    package let proposer: String
    private let proposed: Date
    private var approvals: [(by: String, time: Date)] = []
    private var end: (kind: End, text: ProposedChange.End)?

    /// - Parameter events: of one change, oldest first.
    /// - Returns: nil if they do not begin with a proposal.
    package init?(_ events: [ApprovalEvent]) {
        guard let first = events.first, let id = first.change, case .propose(let pinned) = first.kind else {
            return nil
        }
        self.id = id
        self.pinned = pinned
        (channel, proposer, proposed) = (first.channel, first.actor, first.time)
        for event in events.dropFirst() where event.change == id && end == nil {
            func end(_ kind: End, _ text: String) {
                self.end = (kind, ProposedChange.End(by: event.actor, time: event.time, text: text))
            }
            switch event.kind {
            case .approve where !approvals.contains { $0.by == event.actor } && event.actor != proposer:
                approvals.append((event.actor, event.time))
            case .reject(let reason): end(.rejected, reason)
            case .execute(let effect, let needed): end(.executed(needed: needed), effect)
            case .fail(let reason): end(.failed, reason)
            case .approve, .propose, .require: break
            }
        }
    }

    /// The states of all changes that some events are of, by their numbers.
    package static func all(_ events: [ApprovalEvent]) -> [ApprovalState] {
        Dictionary(grouping: events.filter { $0.change != nil }, by: \.change).values.compactMap { ApprovalState($0) }
            .sorted { $0.id < $1.id }
    }

    /// The change as it is at a time.
    /// - Parameters:
    ///   - required: how many approvals its channel requires now.
    ///   - revoked: the names of the tokens that were revoked. Their approvals no longer count.
    package func change(required: Int, revoked: Set<String>, now: Date) -> ProposedChange {
        var needed = ApprovalRule.needed(for: pinned, required: required)
        let votes = approvals.map {
            ProposedChange.Approval(by: $0.by, time: $0.time, isRevoked: revoked.contains($0.by))
        }
        let state: ProposedChange.State
        switch end?.kind {
        case .executed(let count):
            state = .executed
            needed = count
        case .rejected: state = .rejected
        case .failed: state = .failed
        case nil:
            let count = votes.filter { !$0.isRevoked }.count
            state = pinned.expires <= now ? .expired : count < needed ? .waiting : .scheduled
        }
        return ProposedChange(
            id: id, proposal: pinned.proposal, proposer: proposer, proposed: proposed, expires: pinned.expires,
            state: state, effect: pinned.effect, needed: needed, approvals: votes, end: end?.text)
    }
}

extension ProposedChange {
    /// Whether it is to be made now.
    package func isDue(now: Date) -> Bool { state == .scheduled && (proposal.time ?? .distantPast) <= now }

    /// In whose name it is made, as the audit log and the events of releases have it.
    package var actor: String {
        let names = approvals.filter { !$0.isRevoked }.map(\.by)
        if proposal.isEmergency { return "\(proposer), in an emergency" }
        return names.isEmpty ? proposer : "\(proposer), approved by \(names.joined(separator: " and "))"
    }
}
