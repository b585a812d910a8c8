import Foundation
import PackFormat
import PackRegistryAPI

/// What a change of releases means for plans that are under way: the runner pauses them afterwards, and whoever makes the change
/// should know.
struct PlanEffect {
    private let steps: [PackageID: [ReleaseHistory.Step]]
    private let channel: ChannelName
    private let facts: RegistryFacts
    private let now: Date

    /// - Parameter steps: of each package that changes.
    init(
        _ steps: [PackageID: [ReleaseHistory.Step]], on channel: ChannelName, _ facts: RegistryFacts, now: Date
    ) {
        self.steps = steps
        self.channel = channel
        self.facts = facts
        self.now = now
    }

    /// A sentence for each plan that is paused.
    /// - Parameter release: the one that the change itself is about, whose plan it takes a step of, or replaces.
    func sentences(except release: String? = nil) -> [String] {
        var seen: Set<String> = []
        // Each release of a set has its plan, which is one.
        return facts.rollouts.compactMap { planned in
            guard planned.channel == channel, planned.release != release, planned.holder.release != release,
                !planned.set.contains(where: { $0.release == release }), seen.insert(planned.holder.release).inserted,
                let state = RolloutState(planned.events), state.isActive,
                let cause = (planned.set.isEmpty ? [planned.holder] : planned.set).lazy
                    .compactMap({ cause($0, state.share) }).first,
                let place = planned.status(now: now)?.place
            else { return nil }
            let name = "\(planned.holder.package) \(planned.holder.versionText)"
            return "the plan of \(name) on \(channel) (\(state.state.rawValue), \(place)) is paused: \(cause)"
        }
    }

    /// Why a plan does not go on by itself after the steps of one of its packages; nil where it does, or where it is over.
    private func cause(_ member: PlannedRelease.Member, _ share: Share) -> String? {
        guard let steps = steps[member.package], !ReleaseHistory.removed(by: steps).contains(member.release) else {
            return nil
        }
        let known = facts.history(of: member.package, on: channel).entries.map(\.release)
        guard let own = known.firstIndex(where: { $0.id == member.release }) else { return nil }
        let old = Set(known[...own].map(\.id))
        let reaching = Set(known.filter { !$0.rollout.reachesNobody }.map(\.id))
        for step in steps {
            guard let new = step.offered else { continue }
            if !old.contains(new.id), !new.rollout.reachesNobody, !reaching.contains(new.id) {
                return "\(channel) then offers the newer \(member.package) \(ReleaseHistory.name(new.offer))"
            }
            if new.id == member.release, new.rollout.share != share {
                return "the share is set by hand, and packtool rollout resume goes on with it"
            }
        }
        return nil
    }
}
