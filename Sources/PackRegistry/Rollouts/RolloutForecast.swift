package import Foundation
package import PackFormat
package import PackRegistryAPI

/// When a plan's shares will be there, if nobody does anything and devices are well: the rule, asked again and again on a clock
/// that jumps.
package struct RolloutForecast: Sendable {
    package struct Moment: Hashable, Sendable {
        package let date: Date
        package let share: Share

        package init(date: Date, share: Share) {
            self.date = date
            self.share = share
        }
    }

    /// The shares that come, oldest first.
    package private(set) var moments: [Moment] = []
    package private(set) var completes: Date?

    /// More parts than the smallest cap can make of the largest step.
    private static let maximumRounds = 50_000

    package init(_ state: RolloutState, newer: String? = nil, now: Date) {
        var (state, now) = (state, now)
        for _ in 0..<Self.maximumRounds {
            switch RolloutRule(state, newer: newer, health: .good(""), now: now).next {
            case .take(let share, let action, let isLast, _):
                take(share, action, &state, now)
                if isLast {
                    completes = now
                    return
                }
            case .record(let action, _):
                if action == .complete { completes = now }
                return
            case .wait(let date?, _, _) where date > now: now = date
            case .wait, .watch: return
            }
        }
    }

    private mutating func take(
        _ share: Share, _ action: RolloutEvent.Action, _ state: inout RolloutState, _ now: Date
    ) {
        state.apply(RolloutEvent(.share(share), time: now, actor: ""))
        state.apply(RolloutEvent(.action(action, reason: ""), time: now, actor: ""))
        moments.append(Moment(date: now, share: share))
    }

    /// When a share will be there; nil where the plan does not tell.
    package func date(of share: Share) -> Date? { moments.first { $0.share >= share }?.date }
}

extension PlannedRelease {
    /// nil where the release has no plan.
    /// - Parameter reading: what the gate of the present step sees.
    package func status(now: Date, reading: GateReading? = nil) -> RolloutStatus? {
        guard let state = RolloutState(events) else { return nil }
        let forecast = RolloutForecast(state, newer: newerText, now: now)
        let next: RolloutStatus.Next
        switch RolloutRule(state, newer: newerText, health: health(state, reading, now: now), now: now).next {
        case .watch(let share, let reason):
            next = RolloutStatus.Next(share: share, date: nil, reason: reason, isGated: true)
        case .take(let share, _, _, let reason): next = RolloutStatus.Next(share: share, date: now, reason: reason)
        case .record(let action, let reason):
            next = RolloutStatus.Next(share: nil, date: now, reason: "\(action.rawValue): \(reason)")
        case .wait(let date, let share, let reason):
            next = RolloutStatus.Next(share: share, date: date, reason: reason)
        }
        return RolloutStatus(
            package: package, channel: channel, release: release, version: version, state: state.state,
            reason: state.reason, actor: state.actor, since: state.since, share: state.share, plan: state.plan,
            steps: state.plan.steps.map { step in
                let reached = state.share >= step.share ? state.reached.first { $0.share >= step.share }?.date : nil
                return RolloutStatus.Step(
                    share: step.share, time: step.time, reached: reached,
                    expected: reached == nil ? forecast.date(of: step.share) : nil)
            }, next: next, gate: reading,
            set: set.map { RolloutStatus.Member(package: $0.package, version: $0.version) })
    }

    /// A gate that was not read waits.
    func health(_ state: RolloutState, _ reading: GateReading?, now: Date) -> RolloutHealth {
        guard RolloutRule(state, newer: newerText, now: now).gate != nil else { return .unknown }
        return reading.map { RolloutHealth($0) } ?? .waiting("nothing was read of what devices report")
    }
}
