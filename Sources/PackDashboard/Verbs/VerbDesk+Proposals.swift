import PackFormat
import PackRegistryAPI

/// Changes of a channel that requires approvals are proposed, and not made.
extension VerbDesk {
    /// How many approvals a channel requires; 0 where none are needed, or nobody says.
    func required(_ channel: ChannelName) async throws -> Int {
        try await allowed { try await registry.overview(of: []).approvals[channel] ?? 0 } ?? 0
    }

    /// What a verb does to its channel; nil for one that does nothing to a channel.
    func proposal(
        _ verb: DashboardVerb, reason: String, isEmergency: Bool = false
    ) async throws -> ChangeProposal? {
        let (channel, action): (ChannelName, ProposedAction)
        switch verb {
        case .rollout(let word, let package, let place, let version):
            let step = try await word == .advance ? status(package, place)?.nextStepNumber : nil
            (channel, action) = (
                place, .rollout(RolloutRequest(Self.verb(word, to: step), of: version), of: package)
            )
        case .share(let share, let package, let place, let version):
            (channel, action) = (place, .release(.setRollout(share, of: version), of: package))
        case .rollBack(let package, let place, let version):
            (channel, action) = (place, .release(.rollBack(to: version), of: package))
        case .rollBackToEmbedded(let package, let place):
            (channel, action) = (place, .release(.rollBackToEmbedded, of: package))
        case .promote(let package, let version, let from, let to, let share):
            (channel, action) = (to, .release(.promote(version, from: from, Rollout(share: share)), of: package))
        case .gate(let package, let place, let isOn): (channel, action) = (place, .setting(.gate(package, isOn: isOn)))
        case .withdraw, .revokeToken, .approve, .reject: return nil
        }
        return ChangeProposal(action, on: channel, reason: reason, isEmergency: isEmergency)
    }

    /// The preview of a verb of a channel that requires approvals says so, and its form proposes the change.
    func asProposal(_ preview: VerbPreview, _ proposal: ChangeProposal) async throws -> VerbPreview {
        let channel = proposal.channel
        let needed = proposal.action.approvals(required: try await required(channel))
        var preview = preview
        // Whether the button proposes or does it is a part of what the person saw.
        preview.state += " \(needed)"
        guard needed > 0 else { return preview }
        preview.effects.append(
            "\(channel) requires \(Words.count(needed, "approval")): this proposes the change, and it is made once "
                + "\(needed == 1 ? "somebody else approves" : "\(needed) others approve") it.")
        if preview.verb.isForEmergencies {
            preview.effects.append(
                "In an emergency nobody is asked: the second button does it at once. Everybody sees that it was an emergency, "
                    + "and the reason.")
            preview.allowsEmergency = true
        }
        preview.isProposal = true
        preview.asksReason = true
        return preview
    }

    func vote(_ verb: DashboardVerb, _ id: Int, approves: Bool) async throws -> VerbPreview {
        let change = try await change(id)
        var effects = change.effect.prefix(50).map { "\(change.proposal.channel): \($0)" }
        effects += change.warnings
        if let words = change.planWords {
            for row in words.rows {
                // Such as `step 1, share 1 %, for 4h, devices 2,000, when expected …`.
                effects.append(zip(words.header, row).map { "\($0.lowercased()) \($1)" }.joined(separator: ", "))
            }
            effects += words.conditions
        }
        effects.append("It has \(change.approvalCount) of \(Words.count(change.needed, "approval")).")
        if approves {
            let isLast = change.approvalCount + 1 >= change.needed
            effects.append(
                isLast
                    ? (change.proposal.time.map { "With yours it is made at \(Words.date($0))." }
                        ?? "With yours it is made at once.")
                    : "With yours it needs \(Words.count(change.needed - change.approvalCount - 1, "more", "more")).")
        } else {
            effects.append("Nobody can approve it any more.")
        }
        return VerbPreview(
            verb: verb, title: "\(approves ? "Approve" : "Reject") change \(id): \(change.proposal.action.summary)",
            effects: effects, state: "\(id) \(change.state.rawValue) \(change.approvalCount)",
            isPossible: change.state == .waiting || !approves && change.state == .scheduled, asksReason: !approves,
            isGrave: !approves)
    }

    func change(_ id: Int) async throws -> ProposedChange {
        guard let change = try await registry.changes(.one(id)).changes.first else {
            throw DashboardFault(.notFound, "There is no change \(id).")
        }
        return change
    }

    func said(_ vote: ChangeVote, on id: Int) async throws -> String {
        Self.text(try await registry.vote(vote, on: id).change)
    }

    static func text(_ change: ProposedChange) -> String {
        let id = change.id
        return switch change.state {
        case .waiting: "Done: change \(id) has \(change.approvalCount) of \(Words.count(change.needed, "approval"))"
        case .scheduled: "Done: change \(id) is approved, and made at its time"
        case .executed: "Done: change \(id) is made: \(change.end?.text ?? "")"
        case .rejected: "Done: change \(id) is rejected"
        case .expired: "Change \(id) has expired"
        case .failed: "Change \(id) could not be made: \(change.end?.text ?? "")"
        }
    }
}

extension DashboardVerb {
    /// Whether it is a way back to what the channel offered before, which an emergency makes without approvals.
    fileprivate var isForEmergencies: Bool {
        switch self {
        case .rollBack(_, _, to: nil), .rollBackToEmbedded, .rollout(.rollback, _, _, _): true
        default: false
        }
    }
}

extension ProposedChange {
    /// Sentences about what its approvers should know.
    var warnings: [String] {
        let refusal = preview.flatMap { $0.isChanged ? nil : "It cannot be made as it is: \($0.effect)" }
        return notes.map { "Attention: \($0)." } + [refusal].compactMap(\.self)
    }

    /// The plan that it is about, with dates while it is open; nil if it is about none.
    var planWords: PlanWords? {
        guard case .rollout(let request, _) = proposal.action else { return nil }
        if let preview { return PlanWords(preview) }
        guard case .plan(let plan, let audiences, _) = request.verb else { return nil }
        return PlanWords(plan, audiences: audiences)
    }
}
