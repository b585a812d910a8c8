package import PackFormat

extension RolloutStatus {
    /// The release for all devices that hides the one with the plan; nil where devices get that one, or it was taken back.
    /// - Parameter offered: what the channel offers of the package, newest first.
    package func superseding(_ offered: [Release]) -> Release? {
        guard state != .rolledBack, !offered.contains(where: { $0.id == release }) else { return nil }
        // A way back may lead to the same version.
        return offered.first(where: \.rollout.reachesEveryone).flatMap { $0.version == version ? nil : $0 }
    }

    /// The release by which devices get the version again, without the plan, after the one with the plan was taken back; nil where
    /// there is none.
    /// - Parameter offered: what the channel offers of the package, newest first.
    package func offeredAgain(_ offered: [Release]) -> Release? {
        guard state == .rolledBack else { return nil }
        return offered.first { $0.id != release && $0.version == version && !$0.rollout.reachesNobody }
    }

    /// Where the share is among the steps, such as `step 2 of 3`, or `between step 1 (10 %) and step 2 (50 %) of 3` if somebody
    /// set another share, or if a cap lets it grow in parts.
    package var place: String {
        let count = steps.count
        guard share > .none else { return "before step 1 of \(count)" }
        if let index = steps.firstIndex(where: { $0.share == share }) { return "step \(index + 1) of \(count)" }
        func name(_ index: Int) -> String { "step \(index + 1) (\(steps[index].share))" }
        guard let next = steps.firstIndex(where: { $0.share > share }) else {
            return "above the last, \(count > 0 ? name(count - 1) : "step"), of \(count)"
        }
        // With a cap the plan's own shares are between steps too.
        let isOnTheWay = state == .running && plan.hourlyShare != nil
        guard next > 0 else { return "\(isOnTheWay ? "on the way to" : "below") \(name(0)) of \(count)" }
        return isOnTheWay
            ? "on the way from \(name(next - 1)) to \(name(next)) of \(count)"
            : "between \(name(next - 1)) and \(name(next)) of \(count)"
    }
}
