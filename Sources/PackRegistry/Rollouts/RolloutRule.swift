package import Foundation
package import PackFormat
package import PackRegistryAPI

extension RolloutHealth {
    /// What a step's gate makes of it; nil: the step has none.
    package init(_ reading: GateReading?) {
        switch reading?.verdict {
        case nil: self = .unknown
        case .clear: self = .good(reading?.text ?? "")
        case .waiting: self = .waiting(reading?.text ?? "")
        case .halting: self = .bad(reading?.text ?? "")
        }
    }
}

/// What is known of how devices do with a release.
package enum RolloutHealth: Hashable, Sendable {
    /// Nothing, and nobody looks: the step has no gate.
    case unknown
    /// Too little for the step's gate, for this reason.
    case waiting(String)
    /// Well, by these numbers.
    case good(String)
    /// Not well, by these numbers.
    case bad(String)
}

/// What a rollout does next: a pure function of its plan, its events, the devices' health, and the time.
package struct RolloutRule: Sendable {
    package enum Next: Hashable, Sendable {
        /// The release gets this share now. `action` is `start` for the first one, else `step`.
        case take(Share, RolloutEvent.Action, completes: Bool, reason: String)
        /// The state changes and the share stays: `pause`, `halt` or `complete`.
        case record(RolloutEvent.Action, reason: String)
        /// Nothing is done before a moment, nor then where it was not for `share`; nil: not before somebody does something.
        case wait(until: Date?, share: Share?, reason: String)
        /// Nothing is done until devices are known to be well; nil: the share stays then.
        case watch(share: Share?, reason: String)
    }

    private let state: RolloutState
    private let newer: String?
    private let health: RolloutHealth
    private let now: Date

    /// - Parameter newer: a newer release on the channel, of the package or of another one of its set.
    package init(_ state: RolloutState, newer: String? = nil, health: RolloutHealth = .unknown, now: Date) {
        self.state = state
        self.newer = newer
        self.health = health
        self.now = now
    }

    private var plan: RolloutPlan { state.plan }

    package var next: Next {
        switch state.state {
        case .paused:
            let cause = newer.map { "the channel offers a newer release, \($0), and resume is refused while it does" }
            return .wait(until: nil, share: nil, reason: cause ?? "it is paused, until packtool rollout resume")
        case .halted:
            return .wait(
                until: nil, share: nil,
                reason: "it is halted, until packtool rollout resume; packtool rollout rollback takes the release back")
        case .completed: return .wait(until: nil, share: nil, reason: "it is complete")
        case .rolledBack: return .wait(until: nil, share: nil, reason: "the release was taken back")
        case .scheduled, .running: break
        }
        if let newer { return .record(.pause, reason: "the channel offers a newer release, \(newer)") }
        if state.state == .running, case .bad(let numbers) = health {
            return .record(.halt, reason: "devices are not well: \(numbers)")
        }
        if state.state == .running, nextStep == nil { return last }
        if let end = plan.end, end <= now {
            return .record(.pause, reason: "the plan's end has come at \(state.share)")
        }
        return state.state == .scheduled ? first : step
    }

    // MARK: The three moments of a plan

    private var first: Next {
        let start: Date
        switch plan.start {
        case .manual: return .wait(until: nil, share: startShare, reason: "it waits for packtool rollout start")
        case .atOnce: start = state.attached
        case .at(let date): start = max(date, state.attached)
        }
        return at(start, startShare, .start, reason: "the plan starts")
    }

    private var step: Next {
        let isOver = "\(state.share) was there for \(Self.text(waitingTime))"
        return at(due, nextShare, .step, reason: isOver)
    }

    /// All shares are reached.
    private var last: Next {
        let reason = "the last share, \(state.share), was there for \(Self.text(waitingTime))"
        if due <= now {
            if case .waiting(let why) = health { return .watch(share: nil, reason: "the gate waits: \(why)") }
            return .record(.complete, reason: reason)
        }
        return .wait(until: due, share: nil, reason: "the last share is held until the rollout is complete")
    }

    /// Takes a share as soon as its time has come, the office is open, and the devices are well.
    private func at(_ date: Date, _ share: Share, _ action: RolloutEvent.Action, reason: String) -> Next {
        let moment = max(date, now)
        let open = plan.hours?.next(from: moment) ?? moment
        guard open <= now else {
            if let end = plan.end, end <= open {
                return .wait(until: max(end, now), share: nil, reason: "the plan ends before its next step")
            }
            let isClosed = open > date && plan.hours != nil
            return .wait(
                until: open, share: share,
                reason: isClosed ? "the next step waits for the plan's hours" : waitReason(action))
        }
        if action != .start, case .waiting(let why) = health {
            return .watch(share: share, reason: "the gate waits: \(why)")
        }
        if health == .unknown, plan.unknownHealth == .wait, state.share > .none, action != .start {
            return .wait(
                until: nil, share: share,
                reason: "the health of the devices is unknown: packtool rollout advance takes the next step")
        }
        var reason = reason
        if case .good(let numbers) = health { reason += ", and devices are well: \(numbers)" }
        return .take(share, action, completes: completes(share), reason: reason)
    }

    private func waitReason(_ action: RolloutEvent.Action) -> String {
        action == .start ? "the plan has not begun" : "\(state.share) stays for \(Self.text(waitingTime))"
    }

    // MARK: Shares and times

    /// The first step that is above the present share.
    package var nextStep: RolloutPlan.Step? { plan.steps.first { $0.share > state.share } }

    private var startShare: Share {
        let first = plan.steps.first?.share ?? .none
        return state.share >= first ? state.share : limited(first)
    }

    private var nextShare: Share { limited(nextStep?.share ?? state.share) }

    /// Not more at once than the cap of new devices lets in an hour.
    private func limited(_ share: Share) -> Share {
        guard let cap = plan.hourlyShare else { return share }
        let most = state.share.tenThousandths + cap.tenThousandths
        return (try? Share(tenThousandths: min(share.tenThousandths, most))) ?? share
    }

    /// What devices must report before the next share; nil where the time alone decides.
    package var gate: RolloutGate? {
        guard state.state == .running, state.share > .none else { return nil }
        // On the way to the first step's share its gate holds already.
        return (plan.steps.last { $0.share <= state.share } ?? plan.steps.first)?.gate
    }

    /// Whether nothing is left to be done once this share is reached.
    package func completes(_ share: Share) -> Bool { share >= plan.lastShare && plan.steps.last?.time == nil }

    /// Seconds for which the present share stays.
    private var waitingTime: Int {
        guard state.share > .none else { return 0 }
        let current = plan.steps.last { $0.share <= state.share }
        let time = current?.time?.seconds ?? 0
        guard plan.hourlyShare != nil, nextStep != nil else { return time }
        // On the way to a step's share an hour passes between two parts.
        return current?.share == state.share ? max(time, PlanDuration.hour.seconds) : PlanDuration.hour.seconds
    }

    private var due: Date {
        (state.countingSince ?? now).addingTimeInterval(max(0, Double(waitingTime) - state.counted))
    }

    private static func text(_ seconds: Int) -> String { PlanDuration(seconds: seconds)?.description ?? "no time" }
}
