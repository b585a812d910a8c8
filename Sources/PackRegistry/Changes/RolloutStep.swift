package import Foundation
package import PackFormat
package import PackRegistryAPI

/// Takes the steps that are due of the plans of one package on one channel; the runner's change.
package struct RolloutStep: RegistryChange {
    package struct Outcome: Sendable {
        package let actions: [RolloutRun.Action]
        /// When there is something to do next; nil: not before somebody changes something.
        package let next: Date?
        /// What there is to do then; nil where that is known only once these actions are recorded.
        package let subject: RolloutRun.Subject?
    }

    private let package: PackageID
    private let channel: ChannelName
    private let readings: [String: GateReading]

    /// - Parameter readings: what the gates of releases see, by the releases' ids. A gate without one waits.
    package init(of package: PackageID, on channel: ChannelName, readings: [String: GateReading] = [:]) {
        self.package = package
        self.channel = channel
        self.readings = readings
    }

    package var query: FactsQuery {
        var query = FactsQuery()
        query.histories = FactsQuery.Histories(of: package, on: [channel], files: [channel])
        query.companions = FactsQuery.Companions(of: [package], on: [channel])
        query.rollouts = FactsQuery.Rollouts(of: package, on: channel)
        return query
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> Outcome {
        let history = facts.histories[channel] ?? ReleaseHistory()
        var steps: [ReleaseHistory.Step] = []
        var actions: [RolloutRun.Action] = []
        var next: Date?
        var subject: RolloutRun.Subject?
        // A set's plan is that of the release which has it; the others of the set follow.
        for planned in facts.rollouts where planned.holdsPlan {
            guard let state = RolloutState(planned.events),
                let release = history.entries.first(where: { $0.release.id == planned.release && !$0.isRemoved })?
                    .release
            else { continue }
            let (share, done, reason): (Share?, [RolloutEvent.Action], String)
            let health = planned.health(state, readings[planned.release], now: changes.time)
            switch RolloutRule(state, newer: planned.newerText, health: health, now: changes.time).next {
            case .watch: continue
            case .wait(let date, let wanted, _):
                if let date, date < next ?? .distantFuture {
                    (next, subject) = (date, .plan(package, planned.version, on: channel, share: wanted))
                }
                continue
            case .take(let wanted, let action, let completes, let why):
                (share, done, reason) = (wanted, completes ? [action, .complete] : [action], why)
            case .record(let action, let why): (share, done, reason) = (nil, [action], why)
            }
            let after = share ?? state.share
            if after != state.share {
                steps += try history.setting(
                    Rollout(share: after, audiences: release.rollout.audiences), nil, of: release)
            }
            let name = done.first?.rawValue ?? ""
            changes.note(done, of: planned.release, reason: reason)
            changes.log(
                "rollout \(name)", "\(package)@\(planned.version?.description ?? "embedded") on \(channel)",
                RolloutEffect.text(from: state.share, to: after, of: release.rollout.audiences, state.plan)
                    + "; \(reason)")
            if done.count > 1, done.last == .complete {
                changes.log(
                    "rollout complete", "\(package)@\(planned.version?.description ?? "embedded") on \(channel)",
                    "\(after) of the devices is the plan's last share")
            }
            actions.append(
                RolloutRun.Action(
                    package: package, channel: channel, version: planned.version, name: name, before: state.share,
                    after: after, reason: reason))
            // What the step leads to is known once it is recorded.
            (next, subject) = (changes.time, nil)
        }
        if !steps.isEmpty {
            try changes.record(steps, of: package, on: channel, facts)
        }
        return Outcome(actions: actions, next: next, subject: subject)
    }
}

extension ChangeSet {
    /// Records steps of a package's releases, and what follows for the others of their sets.
    mutating func record(
        _ steps: [ReleaseHistory.Step], of package: PackageID, with others: [PackageID: [ReleaseHistory.Step]] = [:],
        on channel: ChannelName, _ facts: RegistryFacts
    ) throws {
        let histories = facts.companions[channel] ?? [:]
        let rule = ReleaseSetRule(
            on: channel, histories: histories, ids: ReleaseIDs(number: facts.nextRelease, randomBits: 0))
        let all = try others.isEmpty ? rule.following(steps, of: package) : others
        try requireRight(over: all, besides: [package], on: channel, facts)
        record(all.merging([package: steps]) { $1 }, on: channel, histories: histories, facts)
    }

    /// Whoever changes what devices are offered of other packages needs the right for them. What only goes from beneath a newer
    /// release changes nothing for devices.
    func requireRight(
        over steps: [PackageID: [ReleaseHistory.Step]], besides own: Set<PackageID>, on channel: ChannelName,
        _ facts: RegistryFacts
    ) throws {
        for (other, steps) in steps.sorted(by: { $0.key < $1.key }) where !own.contains(other) {
            let history = facts.history(of: other, on: channel)
            guard history.applying(steps, by: actor.name, now: time).offered != history.offered else { continue }
            try actor.require(.release, package: other, channel: channel)
        }
    }

    /// Records what was done with a release's plan.
    mutating func note(_ actions: [RolloutEvent.Action], of release: String, reason: String) {
        rolloutNotes += actions.map { RolloutNote(release: release, kind: .action($0, reason: reason)) }
    }
}
