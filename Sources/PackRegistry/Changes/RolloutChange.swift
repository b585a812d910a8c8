import Foundation
package import PackFormat
package import PackRegistryAPI

/// What somebody asks of a rollout: a plan for a release, or a word such as pause.
package struct RolloutChange: RegistryChange {
    private let request: RolloutRequest
    private let package: PackageID
    private let channel: ChannelName
    private let randomBits: UInt32

    /// - Parameter randomBits: part of the id of a release that the change may make.
    package init(
        _ request: RolloutRequest, of package: PackageID, on channel: ChannelName, randomBits: UInt32
    ) {
        self.request = request
        self.package = package
        self.channel = channel
        self.randomBits = randomBits
    }

    package var query: FactsQuery {
        var query = FactsQuery()
        query.histories = FactsQuery.Histories(of: package, on: [channel], files: [channel])
        query.companions = FactsQuery.Companions(
            of: [package], on: [channel], isTied: request.verb == .rollBack,
            hasPlans: request.verb.isAboutOthers)
        query.names = FactsQuery.Names(versionsOf: package, packagesOn: channel)
        query.rollouts = FactsQuery.Rollouts(of: package, on: channel)
        return query
    }

    private var consent: OfferConsent {
        let own: OfferConsent = request.isDespiteState ? [.state] : []
        if case .plan(_, _, let consent) = request.verb { return own.union(consent) }
        return own
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> RolloutOutcome {
        guard request.reason.utf8.count <= 500,
            request.reason.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw RegistryError(.invalid, "a reason has 500 bytes at most, on one line") }
        var draft = RolloutDraft(
            facts, package, channel, randomBits: randomBits, actor: changes.actor.name, reason: request.reason,
            now: changes.time)
        switch request.verb {
        case .plan(let plan, let audiences, let consent):
            try draft.attach(plan, to: request.version, audiences: audiences, consent: consent)
        case .rollBack: try draft.rollBack(request.version)
        case .retry(let generation): try draft.retry(request.version, generation: generation)
        case .complete where draft.planned(request.version) == nil:
            try draft.change(.setRollout(.whole, of: request.version))
        default: try draft.apply(request.verb, to: request.version)
        }
        try StateGuard.require(
            consent, draft.allSteps, on: channel, facts)
        let outcome = draft.outcome(
            approvals: ApprovalRequirement.needed(for: .rollout(request, of: package), on: channel, facts))
        guard outcome.isChanged, !request.isDryRun else { return outcome }
        try ApprovalRequirement.require(.rollout(request, of: package), on: channel, facts, changes)
        if !draft.notes.isEmpty, draft.holder.package != package {
            try changes.actor.require(.release, package: draft.holder.package, channel: channel)
        }
        changes.reason = request.reason
        if !draft.steps.isEmpty {
            try changes.record(draft.steps, of: package, with: draft.others, on: channel, facts)
        }
        changes.rolloutNotes += draft.notes
        changes.log(
            "rollout \(request.verb.name)",
            "\(package)\(draft.version.map { "@\($0)" } ?? "") on \(channel)",
            outcome.effect + (request.reason.isEmpty ? "" : "; \(request.reason)"))
        return outcome
    }
}

extension RolloutRequest.Verb {
    /// Whether what is known of other packages decides: a rollback may take them along, and a plan is for a whole set.
    fileprivate var isAboutOthers: Bool {
        switch self {
        case .plan, .rollBack: true
        default: false
        }
    }
}
