package import PackFormat

extension PlanProgress {
    /// What anybody may know of a rollout.
    package init(_ status: RolloutStatus) {
        let isOver = status.state == .completed || status.state == .rolledBack
        let following = status.steps.first { $0.share > status.share }?.share
        self.init(
            state: status.state == .rolledBack ? "rolled back" : status.state.rawValue, step: status.stepNumber,
            stepCount: status.steps.count, place: status.place,
            nextShare: isOver ? nil : status.next.share ?? following,
            nextTime: isOver || status.next.share == nil ? nil : status.next.date.map { WireTime.text($0) })
    }
}
