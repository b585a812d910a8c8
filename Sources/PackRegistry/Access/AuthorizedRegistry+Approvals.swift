import PackFormat
package import PackRegistryAPI

extension AuthorizedRegistry {
    package func propose(_ proposal: ChangeProposal) async throws -> ChangeOutcome {
        try identity.require(proposal)
        return try await made(
            services.record(ChangeProposing(proposal, randomBits: .random(in: .min ... .max)), as: identity))
    }

    package func changes(_ filter: ChangeFilter) async throws -> ProposedChanges {
        let found = try await seen(filter)
        var shown: [ProposedChange] = []
        for change in found.changes { shown.append(try await previewed(change)) }
        return ProposedChanges(
            changes: shown, required: found.required.filter { identity.scope.allows(.release, channel: $0.key) })
    }

    /// Those that the identity may make, without what they would do now.
    private func seen(_ filter: ChangeFilter) async throws -> ProposedChanges {
        try identity.require(.release)
        let found = try await services.changes(filter)
        let seen = found.changes.filter { identity.allows($0.proposal) }
        if case .one(let id) = filter, seen.isEmpty {
            throw RegistryError(
                .notFound, "there is no change \(id) that \(identity.name) may see: packtool changes lists them")
        }
        return ProposedChanges(changes: seen, required: found.required)
    }

    package func vote(_ vote: ChangeVote, on id: Int) async throws -> ChangeOutcome {
        // A job has a new token, and so a new name, as often as it likes: it could approve what it proposed, and count twice.
        if vote == .approve, identity.isJob {
            throw RegistryError(
                .forbidden,
                "\(identity.name) is a CI job, and changes are approved by people: use a token of packtool token create"
            )
        }
        guard let change = try await seen(.one(id)).changes.first else {
            throw RegistryError(.notFound, "there is no change \(id)")
        }
        return try await made(services.record(ChangeVoting(vote, on: id, change.proposal), as: identity))
    }

    /// Makes a change that is due with what was just recorded.
    private func made(_ outcome: ChangeOutcome) async throws -> ChangeOutcome {
        guard outcome.change.isDue(now: services.clock()) else {
            return try await ChangeOutcome(isChanged: outcome.isChanged, change: previewed(outcome.change))
        }
        let made = try await ChangeExecutor(services).execute(outcome.change)
        return ChangeOutcome(isChanged: outcome.isChanged || made.isChanged, change: made.change)
    }

    /// With what whoever approves an open change should know: that it cannot be made any more, a halt, and of a plan its steps and
    /// their dates.
    private func previewed(_ change: ProposedChange) async throws -> ProposedChange {
        guard change.state.isOpen else { return change }
        guard case .rollout(let request, let package) = change.proposal.action else {
            return try await change.with(
                preview: refusal(of: change).map { .refused($0) }, notes: halts(of: change.proposal.action))
        }
        let rule = RolloutChange(
            RolloutRequest(
                request.verb, of: request.version, reason: request.reason, isDryRun: true,
                isDespiteState: request.isDespiteState), of: package, on: change.proposal.channel, randomBits: 0)
        var changes = trial(of: change)
        let facts = try await services.store.facts(rule.query)
        let outcome: RolloutOutcome
        do { outcome = try rule.decide(facts, into: &changes) } catch let error as RegistryError {
            // It may still be made later: whoever approves it should know that it cannot be now.
            return change.with(preview: .refused(error.message))
        }
        guard outcome.isChanged else { return change.with(preview: .refused(outcome.effect)) }
        return try await change.with(preview: refusal(of: change).map { .refused($0) } ?? outcome)
    }

    /// Takes what a change would record now, or at its later time, and is thrown away: in the name in which it would be made, so that
    /// everybody reads the same.
    private func trial(of change: ProposedChange) -> ChangeSet {
        let now = services.clock()
        return ChangeSet(
            by: Identity(name: change.actor, scope: TokenScope(actions: [.admin])),
            at: max(now, change.proposal.time ?? now))
    }

    /// Why an open change would be refused if it were made, as it would not do what was proposed; nil if it can be made.
    private func refusal(of change: ProposedChange) async throws -> String? {
        // What it says of other open changes, which nothing here reads, is no part of what was approved.
        if case .approvals = change.proposal.action { return nil }
        let rule = ProposedActionRule(proposal: change.proposal, randomBits: 0)
        var query = rule.query
        query.approvals = .change(change.id)
        let facts = try await services.store.facts(query)
        var changes = trial(of: change)
        let effect: ChangeEffect
        do { effect = try rule.decide(facts, into: &changes) } catch let error as RegistryError { return error.message }
        guard try effect.pins != facts.approvalState(of: change.id).pinned.pins else { return nil }
        return ChangeExecution.moved(change, effect).message
    }

    /// That the version which a change promotes is halted on the channel it comes from.
    private func halts(of action: ProposedAction) async throws -> [String] {
        guard case .release(let change, let package) = action,
            case .promote(let version?, let source, _, _, _) = change.plain
        else { return [] }
        var query = FactsQuery.unsigned
        query.rollouts = FactsQuery.Rollouts(of: package, on: source)
        return try await services.store.facts(query).rollouts.compactMap { planned in
            guard planned.package == package, planned.version == version,
                let state = RolloutState(planned.events), state.state == .halted
            else { return nil }
            return "the rollout of \(package) \(version) on \(source) is halted (\(state.cause))"
        }
    }
}

extension RolloutOutcome {
    /// Of a change that is not made, for this reason.
    fileprivate static func refused(_ reason: String) -> RolloutOutcome {
        RolloutOutcome(isChanged: false, effect: reason, before: .none, after: .none, releases: [], status: nil)
    }
}

extension Identity {
    /// The right to make a change is the right to propose it, to approve it and to reject it.
    fileprivate func require(_ proposal: ChangeProposal) throws(RegistryError) {
        let channel = proposal.channel
        switch proposal.action {
        case .approvals: try require(.admin)
        case .setting(let setting):
            if case .gate(let package, _) = setting {
                try require(.release, package: package, channel: channel)
            } else {
                try requireAllPackages(.release, channel: channel)
            }
        case .release, .set, .rollout:
            for package in proposal.action.packages { try require(.release, package: package, channel: channel) }
        }
    }

    func allows(_ proposal: ChangeProposal) -> Bool {
        do {
            try require(proposal)
            return true
        } catch {
            return false
        }
    }
}
