import Foundation
import PackFormat
import PackRegistryAPI

/// The words for a rollout.
extension RolloutDraft {
    /// What the state of a rollout with a plan makes of a word.
    mutating func apply(_ verb: RolloutRequest.Verb, to version: SemanticVersion?) throws {
        guard let planned = planned(version), let state = RolloutState(planned.events) else {
            throw noPlan(version, verb)
        }
        (release, self.version) = (planned.release, planned.version)
        if version == nil {
            try refuseUnplanned(planned, verb)
            try refuseAmbiguous(planned, state, verb)
        }
        let result = try RolloutVerbRule(planned, state, now: now).result(of: verb)
        let name = "\(package) \(planned.version?.description ?? "embedded") on \(channel)"
        if let unchanged = result.unchanged {
            effect = "nothing to do: \(name): \(unchanged)"
            return
        }
        if let share = result.share, let subject = history.release(planned.release) { try set(share, subject) }
        note(result.actions, reason.isEmpty ? "\(actor) said \(verb.name)" : reason)
        effect =
            "\(verb.name) \(name): "
            + RolloutEffect.text(
                from: state.share, to: result.share ?? state.share,
                of: history.release(planned.release)?.rollout.audiences ?? [], state.plan)
            + (state.state == .paused && result.actions == [.advance]
                ? "; it was paused (\(state.cause)), and is running again" : "")
            + setText(of: history.release(planned.release))
    }

    /// Takes the newest release back: to the one before it that everybody had, else to what the app embeds.
    mutating func rollBack(_ version: SemanticVersion?) throws {
        if let planned = planned(version), let state = RolloutState(planned.events) {
            (release, self.version) = (planned.release, planned.version)
            if version == nil { try refuseUnplanned(planned, .rollBack) }
            if state.state == .rolledBack {
                effect =
                    "nothing to do: \(package) \(planned.version?.description ?? "embedded") on \(channel) was taken back"
                return
            }
        }
        let sets = ReleaseSetRule(on: channel, histories: companions, ids: ids)
        try sets.requireFirstRollback(of: package, .rollBack(to: nil), consent: [])
        let newest = history.current
        if let newest, let release, newest.id != release {
            throw RegistryError(
                .conflict,
                "\(channel) offers \(package) \(ReleaseHistory.list(history.offered)): the newest goes first, with packtool "
                    + "rollback \(package) --channel \(channel)")
        }
        if let version, newest?.version != version {
            throw RegistryError(
                .notFound,
                "the newest release of \(package) on \(channel) is \(newest.map { ReleaseHistory.list([$0]) } ?? "none"), not "
                    + "\(version)")
        }
        try change(history.earlier == nil && newest != nil ? .rollBackToEmbedded : .rollBack(to: nil))
        if release == nil, let newest { (release, self.version) = (newest.id, newest.version) }
        guard let newest else { return }
        let plan = planned(of: release).flatMap { RolloutState($0.events)?.plan }
        let count = plan?.deviceCount(newest.rollout.share).map { ", about \(CountText.text($0, "device"))," } ?? ""
        let moves = ReleaseMoves(
            before: companions.merging([package: history]) { $1 }, steps: allSteps,
            by: actor, now: now)
        effect =
            "\(newest.rollout.devicesText)\(count) leave \(moves.leaving) on \(channel) and \(moves.destinations)"
            + beneathText(newest)
    }

    /// Asks devices on which the release failed to try it again.
    mutating func retry(_ version: SemanticVersion?, generation: Int?) throws {
        // What no device gets is not what failed.
        let change = ChannelChange.retry(of: version ?? history.current?.version)
        let found = try rule(change).steps(for: change)
        guard case .update(let updated)? = found.last else { return }
        (release, self.version) = (updated.id, updated.version)
        if let planned = planned(of: updated.id), let state = RolloutState(planned.events), state.state == .halted {
            throw planned.refusal(halted: state, "retry", then: "retry")
        }
        let name = "\(package) \(updated.version?.description ?? "embedded") on \(channel)"
        if let generation, generation < updated.retry {
            effect =
                "nothing to do: devices were asked to try \(name) again already "
                + "(\(CountText.text(updated.retry - 1, "time")))"
            return
        }
        steps = found
        effect =
            "devices on which \(name) failed try it again, for the \(CountText.ordinal(updated.retry)) time"
            + setText(of: updated)
    }
}
