import Foundation
import PackFormat
import PackRegistryAPI

/// What a request about a rollout comes to, before it is recorded.
struct RolloutDraft {
    let history: ReleaseHistory
    private(set) var steps: [ReleaseHistory.Step] = []
    /// Of the others of a set that is taken back.
    private(set) var others: [PackageID: [ReleaseHistory.Step]] = [:]
    private(set) var notes: [ChangeSet.RolloutNote] = []
    /// Of the release that it is about; nil: what the app embeds, or none yet.
    private(set) var version: SemanticVersion?
    private(set) var effect = ""

    private let facts: RegistryFacts
    private let package: PackageID
    private let channel: ChannelName
    private let ids: ReleaseIDs
    private let actor: String
    private let reason: String
    private let now: Date
    /// The id of the release that it is about.
    private var release: String?
    /// Whether a plan goes to this release, because a newer one took the package that has the set's plan out of the set.
    private var movesPlan = false

    init(
        _ facts: RegistryFacts, _ package: PackageID, _ channel: ChannelName, randomBits: UInt32, actor: String,
        reason: String, now: Date
    ) {
        self.facts = facts
        self.package = package
        self.channel = channel
        ids = ReleaseIDs(number: facts.nextRelease, randomBits: randomBits)
        self.actor = actor
        self.reason = reason
        self.now = now
        history = facts.histories[channel] ?? ReleaseHistory()
    }

    /// The newest release with a plan, or the one of a version.
    func planned(_ version: SemanticVersion?) -> PlannedRelease? {
        facts.rollouts.last { version == nil || $0.version == version }
    }

    private var after: ReleaseHistory { history.applying(steps, by: actor, now: now) }

    /// - Parameter approvals: how many others must approve it.
    func outcome(approvals: Int) -> RolloutOutcome {
        func share(_ history: ReleaseHistory) -> Share {
            history.entries.first { $0.release.id == release && !$0.isRemoved }?.release.rollout.share ?? .none
        }
        let isChanged = !steps.isEmpty || !notes.isEmpty
        return RolloutOutcome(
            isChanged: isChanged, effect: effect, before: share(history), after: share(after),
            releases: after.offered, status: status, approvals: isChanged ? approvals : 0)
    }

    /// The release that has, or gets, the plan: for a set with a plan the one on which it is, whichever package was named, so that a
    /// set never has two.
    var holder: PlannedRelease.Member {
        (movesPlan ? nil : planned(of: release)?.holder)
            ?? PlannedRelease.Member(package: package, release: release ?? "", version: version)
    }

    /// A release with its plan; nil if it has none.
    private func planned(of release: String?) -> PlannedRelease? { facts.rollouts.first { $0.release == release } }

    /// As it is once the draft is recorded.
    private var status: RolloutStatus? {
        guard let release else { return nil }
        let known = planned(of: release)
        var kinds: [RolloutEvent.Kind] = steps.compactMap { step in
            switch step {
            case .add(let added) where added.id == release: .share(added.rollout.share)
            case .update(let updated) where updated.id == release: .share(updated.rollout.share)
            case .remove(release): .remove(reason: reason)
            default: nil
            }
        }
        kinds += notes.map(\.kind)
        // Then nothing newer came after it.
        let hasNewPlan = notes.contains { if case .plan = $0.kind { true } else { false } }
        let events = (known?.events ?? shareSoFar) + kinds.map { RolloutEvent($0, time: now, actor: actor) }
        return PlannedRelease(
            package: package, channel: channel, release: release, version: version, events: events,
            newer: hasNewPlan ? nil : known?.newer,
            set: known?.set ?? members(of: history.entries.first { $0.release.id == release }?.release.set),
            holder: holder
        ).status(now: now)
    }

    /// Of a release that has no plan yet.
    private var shareSoFar: [RolloutEvent] {
        guard let entry = history.entries.first(where: { $0.release.id == release }) else { return [] }
        return [RolloutEvent(.share(entry.release.rollout.share), time: entry.created, actor: entry.createdBy)]
    }

    // MARK: What can be asked

    /// Puts a plan on the newest release, or offers a version under it, and takes the first step where it is due.
    mutating func attach(
        _ plan: RolloutPlan, to version: SemanticVersion?, audiences: [Audience]?, consent: OfferConsent
    ) throws {
        try facts.requireGroups(of: audiences ?? [], on: channel)
        var subject: Release
        /// What another audience does to devices that have the release.
        var moved = ""
        if let version, !history.offered.contains(where: { $0.version == version }) {
            let offer = ChannelChange.offer(
                version, Rollout(share: .none, audiences: audiences ?? []), consent: consent)
            steps = try rule(offer).steps(for: offer)
            guard case .add(let added)? = steps.last else { return }
            subject = added
        } else {
            // Refuses misspelt names.
            _ = try rule(.setRollout(nil)).steps(for: .setRollout(nil, of: version))
            subject = try history.subject(version, of: package, on: channel)
            guard history.offered.first?.id == subject.id else {
                throw RegistryError(
                    .conflict,
                    "\(channel) offers \(package) \(ReleaseHistory.list(history.offered)): a plan is for the newest "
                        + "release; roll that back first")
            }
            if let audiences, audiences != subject.rollout.audiences {
                let rollout = Rollout(share: subject.rollout.share, audiences: audiences)
                steps = try history.setting(rollout, nil, of: subject)
                moved = audienceText(of: subject, to: rollout, plan)
                if case .update(let updated)? = steps.last { subject = updated }
            }
        }
        (release, self.version) = (subject.id, subject.version)
        let name = "\(package) \(subject.version?.description ?? "embedded")"
        movesPlan = facts.rollouts.contains {
            $0.release == subject.id && !$0.holdsPlan && $0.newer?.package == $0.holder.package
        }
        if steps.isEmpty, let old = planned(of: subject.id), old.newer == nil,
            let state = RolloutState(old.events), state.plan == plan
        {
            effect = "nothing to do: \(name) on \(channel) has this plan already, and is \(state.state.rawValue)"
            return
        }
        let halt = try haltText(of: subject)
        guard subject.rollout.share < plan.lastShare else {
            throw RegistryError(
                .conflict,
                "\(subject.rollout.share) of the devices of \(channel) may have \(name) already, and the plan ends at "
                    + "\(plan.lastShare): a plan moves no device back. Lower the share first (packtool rollout \(package) "
                    + "--channel \(channel) --percent P), or plan a new version")
        }
        notes.append(ChangeSet.RolloutNote(release: holder.release, kind: .plan(plan)))
        var events = planned(of: subject.id)?.events ?? []
        events += [
            RolloutEvent(.share(subject.rollout.share), time: now, actor: actor),
            RolloutEvent(.plan(plan), time: now, actor: actor),
        ]
        let before = subject.rollout.share
        effect =
            "\(name) on \(channel) follows the plan: \(subject.rollout.devicesText) now\(moved)\(setText(of: subject))\(halt)"
        guard let state = RolloutState(events),
            case .take(let share, let action, let completes, let reason) = RolloutRule(state, now: now).next
        else { return }
        try set(share, subject)
        note(completes ? [action, .complete] : [action], reason)
        effect =
            "\(name) on \(channel) follows the plan and starts: "
            + RolloutEffect.text(from: before, to: share, of: subject.rollout.audiences, plan) + moved
            + setText(of: subject) + halt
    }

    /// A plan begins anew, so whoever gives one has to go on with a halted release first. Where nobody can, the halt is said.
    /// - Throws: ``RegistryError`` of the kind `.conflict`, with who halted it and why.
    private func haltText(of subject: Release) throws(RegistryError) -> String {
        guard let planned = planned(of: subject.id), let state = RolloutState(planned.events), state.state == .halted
        else { return "" }
        guard movesPlan || state.plan.end.map({ $0 <= now }) ?? false else {
            throw planned.refusal(halted: state, "take a new plan", then: "the plan")
        }
        return "; it is halted (\(state.cause))"
    }

    /// What another audience means for the devices that may have the release already: it can take them back.
    private func audienceText(of subject: Release, to wanted: Rollout, _ plan: RolloutPlan) -> String {
        guard !subject.rollout.reachesNobody else { return "" }
        let count = plan.deviceCount(subject.rollout.share).map { ", at most about \($0)," } ?? ""
        var text = "; until now it was for \(subject.rollout.devicesText), from now on for \(wanted.devicesText)"
        if !wanted.audiences.isEmpty {
            let left = history.applying([.remove(subject.id)], by: actor, now: now).offered
            text +=
                ": devices that have it and are not of that audience\(count) leave it with their next check and "
                + (ReleaseMoves.place(left).map { "go back to \($0)" }
                    ?? "keep the version that they run, because no other release is left")
        }
        return text
    }

    /// The others of the release's set, about which it is as well.
    private func setText(of release: Release?) -> String {
        let others = members(of: release?.set).filter { $0.package != package }.map {
            "\($0.package) \($0.version?.description ?? "embedded")"
        }
        return others.isEmpty ? "" : "; the same holds for its set: \(others.joined(separator: ", "))"
    }

    /// The releases of a set that are not taken back; none for a set of one, and for no set.
    private func members(of set: String?) -> [PlannedRelease.Member] {
        guard let set else { return [] }
        let found = companions.merging([package: history]) { $1 }.compactMap { name, history in
            history.entry(of: set).map {
                PlannedRelease.Member(package: name, release: $0.release.id, version: $0.release.version)
            }
        }
        return found.count > 1 ? found.sorted { $0.package < $1.package } : []
    }

    /// What the state of a rollout with a plan makes of a word.
    mutating func apply(_ verb: RolloutRequest.Verb, to version: SemanticVersion?) throws {
        guard let planned = planned(version), let state = RolloutState(planned.events) else { throw noPlan(version) }
        (release, self.version) = (planned.release, planned.version)
        let result = try RolloutVerbRule(planned, state, now: now).result(of: verb)
        let name = "\(package) \(planned.version?.description ?? "embedded") on \(channel)"
        if let unchanged = result.unchanged {
            effect = "nothing to do: \(name): \(unchanged)"
            return
        }
        if let share = result.share, let subject = subject(planned.release) { try set(share, subject) }
        note(result.actions, reason.isEmpty ? "\(actor) said \(verb.name)" : reason)
        effect =
            "\(verb.name) \(name): "
            + RolloutEffect.text(
                from: state.share, to: result.share ?? state.share,
                of: subject(planned.release)?.rollout.audiences ?? [], state.plan)
            + setText(of: subject(planned.release))
    }

    /// Takes the newest release back: to the one before it that everybody had, else to what the app embeds.
    mutating func rollBack(_ version: SemanticVersion?) throws {
        if let planned = planned(version), let state = RolloutState(planned.events) {
            (release, self.version) = (planned.release, planned.version)
            if state.state == .rolledBack {
                effect =
                    "nothing to do: \(package) \(planned.version?.description ?? "embedded") on \(channel) was taken back"
                return
            }
        }
        let sets = ReleaseSetRule(on: channel, histories: companions, ids: ids)
        try sets.requireFirstRollback(of: package, .rollBack(to: nil), consent: [])
        let newest = history.offered.first
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
        // Back to what the app embeds leads over everything and removes the newest only.
        let plan = planned(of: release).flatMap { RolloutState($0.events)?.plan }
        let count = plan?.deviceCount(newest.rollout.share).map { ", about \(CountText.text($0, "device"))," } ?? ""
        let moves = ReleaseMoves(
            before: companions.merging([package: history]) { $1 }, steps: others.merging([package: steps]) { $1 },
            by: actor, now: now)
        effect = "\(newest.rollout.devicesText)\(count) leave \(moves.leaving) on \(channel) and \(moves.destinations)"
    }

    private var companions: [PackageID: ReleaseHistory] { facts.companions[channel] ?? [:] }

    /// Asks devices on which the release failed to try it again.
    mutating func retry(_ version: SemanticVersion?, generation: Int?) throws {
        let change = ChannelChange.retry(of: version ?? planned(nil)?.version)
        let found = try rule(change).steps(for: change)
        guard case .update(let updated)? = found.last else { return }
        (release, self.version) = (updated.id, updated.version)
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

    /// A change of a release without a plan.
    mutating func change(_ change: ChannelChange) throws {
        let sets = ReleaseSetRule(on: channel, histories: companions, ids: ids)
        if let outcome = try sets.rollingBack(package, to: change) {
            others = outcome.steps
            steps = others.removeValue(forKey: package) ?? []
        } else {
            steps = try rule(change).steps(for: change)
        }
        guard release == nil, case .update(let updated)? = steps.last else {
            effect = steps.isEmpty ? "nothing to do: it is so already" : effect
            return
        }
        (release, version) = (updated.id, updated.version)
        let before = history.entries.first { $0.release.id == updated.id }?.release.rollout.share ?? .none
        effect =
            "\(package) \(updated.version?.description ?? "embedded") on \(channel): "
            + RolloutEffect.text(from: before, to: updated.rollout.share, of: updated.rollout.audiences, nil)
            + setText(of: updated)
    }

    private func rule(_ change: ChannelChange) -> ReleaseRule {
        ReleaseRule(facts.releaseFacts(for: change, of: package, on: channel, ids: ids))
    }

    private func subject(_ id: String) -> Release? {
        history.entries.first { $0.release.id == id && !$0.isRemoved }?.release
    }

    private mutating func set(_ share: Share, _ subject: Release) throws {
        let rollout = Rollout(share: share, audiences: subject.rollout.audiences)
        // What is offered only now has no history yet.
        if case .add(let added)? = steps.last, added.id == subject.id {
            steps.append(
                .update(try added.with(rollout: rollout)))
        } else {
            steps += try history.setting(rollout, nil, of: subject)
        }
    }

    private mutating func note(_ actions: [RolloutEvent.Action], _ reason: String) {
        guard release != nil else { return }
        notes += actions.map { ChangeSet.RolloutNote(release: holder.release, kind: .action($0, reason: reason)) }
    }

    private func noPlan(_ version: SemanticVersion?) -> RegistryError {
        let name = "\(package)\(version.map { " \($0)" } ?? "")"
        guard !history.entries.isEmpty else {
            let packages = facts.packageNames.map(\.text).joined(separator: ", ")
            return RegistryError(
                .notFound,
                "\(channel) never offered anything of \(package)"
                    + (packages.isEmpty ? "" : " (it has: \(packages.prefix(500)))"))
        }
        return RegistryError(
            .notFound,
            "no release of \(name) on \(channel) has a plan: give it one with packtool rollout \(package) --plan FILE "
                + "--channel \(channel)")
    }
}
