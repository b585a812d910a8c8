import PackFormat
package import PackRegistryAPI

/// Computes what a verb would do, and does it on behalf of the viewer. The registry checks every right.
package struct VerbDesk: Sendable {
    let registry: any Registry

    /// - Parameter registry: on behalf of the viewer.
    package init(_ registry: any Registry) {
        self.registry = registry
    }

    /// - Throws: `RegistryError` if the registry refuses the verb or cannot be read, ``DashboardFault`` if what the verb is about
    ///   does not exist.
    package func preview(_ verb: DashboardVerb) async throws -> VerbPreview {
        let preview = try await plainPreview(verb)
        guard let proposal = try await proposal(verb, reason: "") else { return preview }
        return try await asProposal(withRefusal(preview, proposal), proposal)
    }

    /// A change that the registry refuses now is shown with its reason, and without a button.
    private func withRefusal(_ preview: VerbPreview, _ proposal: ChangeProposal) async -> VerbPreview {
        guard preview.isPossible, case .release(let change, let package) = proposal.action else { return preview }
        do {
            _ = try await registry.preview(change, of: package, on: proposal.channel, assuming: [])
            return preview
        } catch let error as RegistryError where error.kind == .conflict {
            var preview = preview
            preview.effects.append("The registry refuses it: \(error.message)")
            preview.isPossible = false
            return preview
        } catch {
            // What else is wrong it says of the change itself.
            return preview
        }
    }

    private func plainPreview(_ verb: DashboardVerb) async throws -> VerbPreview {
        switch verb {
        case .rollout(let word, let package, let channel, let version):
            try await rollout(verb, word, package, channel, version)
        case .share(let share, let package, let channel, let version):
            try await self.share(verb, share, package, channel, version)
        case .rollBack(let package, let channel, let version):
            try await rollBack(verb, package, channel, to: version)
        case .rollBackToEmbedded(let package, let channel): try await rollBackToEmbedded(verb, package, channel)
        case .promote(let package, let version, let from, let to, let share):
            try await promote(verb, package, version, from, to, share)
        case .gate(let package, let channel, let isOn): try await gate(verb, package, channel, isOn)
        case .withdraw(let package, let version): try await withdraw(verb, package, version)
        case .revokeToken(let id): try await revokeToken(verb, id)
        case .approve(let id): try await vote(verb, id, approves: true)
        case .reject(let id): try await vote(verb, id, approves: false)
        }
    }

    /// What became of a verb.
    package enum Outcome: Sendable {
        /// A sentence that says it.
        case done(String)
        /// The state is not the one that the person saw: nothing was done.
        case changedMeanwhile(VerbPreview)
        /// An emergency without a reason: nothing was done.
        case needsReason(VerbPreview)
    }

    /// - Parameters:
    ///   - state: ``VerbPreview/state`` as the person saw it.
    ///   - isEmergency: whether a way back is made without the approvals that its channel requires. It needs a reason.
    /// - Throws: as ``preview(_:)``.
    package func perform(
        _ verb: DashboardVerb, seen state: String, reason: String, isEmergency: Bool = false
    ) async throws -> Outcome {
        let preview = try await preview(verb)
        guard preview.state == state, preview.isPossible else { return .changedMeanwhile(preview) }
        if isEmergency, reason.allSatisfy(\.isWhitespace) { return .needsReason(preview) }
        let reason = String(reason.prefix(200))
        if preview.isProposal, let proposal = try await proposal(verb, reason: reason, isEmergency: isEmergency) {
            let outcome = try await registry.propose(proposal)
            let change = outcome.change
            if isEmergency { return .done(Self.text(change)) }
            return .done(
                (outcome.isChanged
                    ? "Done: change \(change.id) is proposed" : "Change \(change.id) proposes that already")
                    + "; it has \(change.approvalCount) of \(change.needed) approvals")
        }
        switch verb {
        case .approve(let id): return .done(try await said(.approve, on: id))
        case .reject(let id): return .done(try await said(.reject(reason: reason), on: id))
        case .rollout(let word, let package, let channel, let version):
            let step = try await word == .advance ? status(package, channel)?.nextStepNumber : nil
            let outcome = try await registry.rollout(
                RolloutRequest(Self.verb(word, to: step), of: version, reason: reason),
                of: package, on: channel)
            return .done("Done: \(outcome.effect)")
        case .share(let share, let package, let channel, let version):
            return try await change(.setRollout(share, of: version), package, channel)
        case .rollBack(let package, let channel, let version):
            return try await change(.rollBack(to: version), package, channel)
        case .rollBackToEmbedded(let package, let channel):
            return try await change(.rollBackToEmbedded, package, channel)
        case .promote(let package, let version, let from, let to, let share):
            return try await change(.promote(version, from: from, Rollout(share: share)), package, to)
        case .gate(let package, let channel, let isOn):
            _ = try await registry.change(.gate(package, isOn: isOn), on: channel)
            return .done("Done: the gate of \(package) on \(channel) is \(isOn ? "on" : "off")")
        case .withdraw: throw DashboardFault(.invalid, "A withdrawal needs the publisher's key, which no server has.")
        case .revokeToken(let id):
            let isThere = try await registry.revokeToken(id: id)
            return .done(isThere ? "Done: the token \(id) is revoked" : "There is no token \(id)")
        }
    }

    private func change(
        _ change: ChannelChange, _ package: PackageID, _ channel: ChannelName
    ) async throws -> Outcome {
        let outcome = try await registry.change(change, of: package, on: channel)
        let offer = ReleaseWords.offer(outcome.releases)
        return .done(outcome.isChanged ? "Done: \(channel) offers \(package) \(offer)" : "Nothing changed")
    }

    /// - Parameter step: the number of the next step. It is named, so that two requests take one step.
    static func verb(_ word: DashboardVerb.Word, to step: Int?) -> RolloutRequest.Verb {
        switch word {
        case .start: .start
        case .pause: .pause
        case .resume: .resume
        case .advance: .advance(to: step)
        case .halt: .halt
        case .complete: .complete
        case .rollback: .rollBack
        case .retry: .retry()
        }
    }

    func status(_ package: PackageID, _ channel: ChannelName) async throws -> RolloutStatus? {
        try await registry.rollouts(of: package).first { $0.channel == channel }
    }
}
