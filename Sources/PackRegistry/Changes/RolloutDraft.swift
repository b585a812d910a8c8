import Foundation
import PackFormat
import PackRegistryAPI

/// What a request about a rollout comes to, before it is recorded.
struct RolloutDraft {
    let history: ReleaseHistory
    var steps: [ReleaseHistory.Step] = []
    /// Of the others of a set that is taken back.
    var others: [PackageID: [ReleaseHistory.Step]] = [:]
    var notes: [ChangeSet.RolloutNote] = []
    /// Of the release that it is about; nil: what the app embeds, or none yet.
    var version: SemanticVersion?
    var effect = ""

    let facts: RegistryFacts
    let package: PackageID
    let channel: ChannelName
    let ids: ReleaseIDs
    let actor: String
    let reason: String
    let now: Date
    /// The id of the release that it is about.
    var release: String?
    /// Whether a plan goes to this release, because a newer one took the package that has the set's plan out of the set.
    private(set) var movesPlan = false

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

    /// The plan of a version's newest release. Without a version that of what devices get, or are about to get; else the newest.
    func planned(_ version: SemanticVersion?) -> PlannedRelease? {
        let own = facts.rollouts.filter { $0.package == package }
        guard version == nil else { return own.last { $0.version == version } }
        let offered = Set(history.offered.map(\.id))
        return own.last { offered.contains($0.release) && $0.isUnderWay } ?? own.last
    }

    /// Of the package, and of the others of a set that is taken back.
    var allSteps: [PackageID: [ReleaseHistory.Step]] { others.merging([package: steps]) { $1 } }

    private var after: ReleaseHistory { history.applying(steps, by: actor, now: now) }

    /// - Parameter approvals: how many others must approve it.
    func outcome(approvals: Int) -> RolloutOutcome {
        func share(_ history: ReleaseHistory) -> Share {
            history.entries.first { $0.release.id == release && !$0.isRemoved }?.release.rollout.share ?? .none
        }
        let isChanged = !steps.isEmpty || !notes.isEmpty
        let paused = PlanEffect(allSteps, on: channel, facts, now: now)
            .sentences(except: release)
        return RolloutOutcome(
            isChanged: isChanged, effect: ([effect] + paused).joined(separator: "; "), before: share(history),
            after: share(after),
            releases: after.offered, status: status, approvals: isChanged ? approvals : 0)
    }

    /// The release that has, or gets, the plan: for a set with a plan the one on which it is, whichever package was named, so that a
    /// set never has two.
    var holder: PlannedRelease.Member {
        (movesPlan ? nil : planned(of: release)?.holder)
            ?? PlannedRelease.Member(package: package, release: release ?? "", version: version)
    }

    /// A release with its plan; nil if it has none.
    func planned(of release: String?) -> PlannedRelease? { facts.rollouts.first { $0.release == release } }

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
        /// What another audience does to devices that have the release, or an older version to those that have a newer one.
        var moved = ""
        if let version, !history.offered.contains(where: { $0.version == version }) {
            let offer = ChannelChange.offer(
                version, Rollout(share: .none, audiences: audiences ?? []), consent: consent)
            steps = try rule(offer).steps(for: offer)
            guard case .add(let added)? = steps.last else { return }
            subject = added
            moved =
                OlderOffer(of: version, requiredApp: added.requiredApp, among: history.offered).map {
                    "; it is older than \($0.newer), so devices of the share that have that go back to it"
                } ?? ""
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
        if let end = plan.end, end <= now {
            throw RegistryError(
                .invalid, "end: the plan ends at \(WireTime.text(end)), which is past, so no step would be taken")
        }
        let halt = try haltText(of: subject)
        try HaltGuard.require(planned: subject, of: package, on: channel, facts)
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
        let rest = moved + replacedText(of: subject) + setText(of: subject) + halt
        effect = "\(name) on \(channel) follows the plan: \(subject.rollout.devicesText) now\(rest)"
        guard let state = RolloutState(events),
            case .take(let share, let action, let completes, let reason) = RolloutRule(state, now: now).next
        else { return }
        try set(share, subject)
        note(completes ? [action, .complete] : [action], reason)
        effect =
            "\(name) on \(channel) follows the plan and starts: "
            + RolloutEffect.text(from: before, to: share, of: subject.rollout.audiences, plan) + rest
    }

    var companions: [PackageID: ReleaseHistory] { facts.companions[channel] ?? [:] }

    /// A change of a release without a plan.
    mutating func change(_ change: ChannelChange) throws {
        let sets = ReleaseSetRule(on: channel, histories: companions, ids: ids)
        if let outcome = try sets.rollingBack(package, to: change) {
            others = outcome.steps
        } else {
            steps = try rule(change).steps(for: change)
            if change.isRollback { others = try sets.completing([package: steps]) }
        }
        steps = others.removeValue(forKey: package) ?? steps
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

    func rule(_ change: ChannelChange) -> ReleaseRule {
        ReleaseRule(facts.releaseFacts(for: change, of: package, on: channel, ids: ids))
    }

    mutating func set(_ share: Share, _ subject: Release) throws {
        let rollout = Rollout(share: share, audiences: subject.rollout.audiences)
        // What is offered only now has no history yet.
        if case .add(let added)? = steps.last, added.id == subject.id {
            steps.append(
                .update(try added.with(rollout: rollout)))
        } else {
            steps += try history.setting(rollout, nil, of: subject)
        }
    }

    mutating func note(_ actions: [RolloutEvent.Action], _ reason: String) {
        guard release != nil else { return }
        notes += actions.map { ChangeSet.RolloutNote(release: holder.release, kind: .action($0, reason: reason)) }
    }
}
