import Foundation
import PackFormat
import PackRegistryAPI

/// What a change of releases means for plans that are under way: the runner pauses them afterwards, and whoever makes the change
/// should know.
enum PlanEffect {
    /// A sentence for each plan that is paused.
    /// - Parameters:
    ///   - steps: of each package that changes.
    ///   - replaced: the release whose plan a new one takes the place of.
    static func sentences(
        _ steps: [PackageID: [ReleaseHistory.Step]], on channel: ChannelName, _ facts: RegistryFacts, now: Date,
        replaced: String? = nil
    ) -> [String] {
        facts.rollouts.filter { $0.holdsPlan && $0.channel == channel && $0.release != replaced }.compactMap {
            planned in
            guard let state = RolloutState(planned.events), state.isActive, let status = planned.status(now: now) else {
                return nil
            }
            let members = planned.set.isEmpty ? [planned.holder] : planned.set
            for member in members {
                guard let cause = cause(steps[member.package] ?? [], member, state.share, on: channel) else { continue }
                let name = "\(planned.package) \(planned.holder.versionText)"
                return
                    "the plan of \(name) on \(channel) (\(state.state.rawValue), \(status.place)) is paused: \(cause)"
            }
            return nil
        }
    }

    /// Why a plan does not go on by itself after the steps of one of its packages; nil where it does, or where it is over.
    private static func cause(
        _ steps: [ReleaseHistory.Step], _ member: PlannedRelease.Member, _ share: Share, on channel: ChannelName
    ) -> String? {
        guard !ReleaseHistory.removed(by: steps).contains(member.release) else { return nil }
        let added = Set(steps.compactMap { step in if case .add(let new) = step { new.id } else { nil } })
        for step in steps {
            switch step {
            case .add(let new), .update(let new):
                if added.contains(new.id), !new.rollout.reachesNobody {
                    return "\(channel) then offers the newer \(member.package) \(ReleaseHistory.name(new.offer))"
                }
                if new.id == member.release, new.rollout.share != share {
                    return "the share is set by hand, and packtool rollout resume goes on with it"
                }
            case .remove: continue
            }
        }
        return nil
    }
}
