package import Foundation
package import PackFormat
package import PackRegistryAPI

extension RolloutSimulation {
    /// Each moment costs every device a decision. A plan with a small cap can have thousands.
    package static let maximumMomentCount = 1_000

    /// What a plan does from now on if nobody says anything and devices are well: the shares of the runner's own rule, on a clock
    /// that jumps. A plan that waits for somebody to start it is started at once.
    /// - Parameter share: What the release has already.
    /// - Throws: ``RegistryError`` of the kind `.invalid` if the plan takes no step, or too many.
    package static func moments(
        of plan: RolloutPlan, from share: Share, now: Date
    ) throws(RegistryError) -> [Moment] {
        func event(_ kind: RolloutEvent.Kind) -> RolloutEvent { RolloutEvent(kind, time: now, actor: "") }
        var events = [event(.share(share)), event(.plan(plan))]
        var moments = share > .none ? [Moment(time: 0, share: share)] : []
        if plan.start == .manual {
            let first = max(share, plan.steps.first?.share ?? .none)
            events += [event(.share(first)), event(.action(.start, reason: ""))]
            if first > share { moments = [Moment(time: 0, share: first)] }
        }
        let known = moments.count
        if let state = RolloutState(events) {
            for coming in RolloutForecast(state, now: now).moments where coming.share > moments.last?.share ?? .none {
                moments.append(Moment(time: max(0, coming.date.timeIntervalSince(now)), share: coming.share))
            }
        }
        guard plan.start == .manual || moments.count > known else {
            throw RegistryError(
                .invalid, "the plan takes no step from now on: it has ended, or the release is as far already")
        }
        guard moments.count <= maximumMomentCount else {
            throw RegistryError(
                .invalid,
                "with its cap the plan takes \(CountText.text(moments.count, "step")), and \(CountText.number(maximumMomentCount)) "
                    + "can be simulated: simulate it with a larger newDevicesPerHour, or with --step")
        }
        return moments
    }
}
