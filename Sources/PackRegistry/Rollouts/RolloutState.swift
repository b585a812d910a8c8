package import Foundation
package import PackFormat
package import PackRegistryAPI

/// Where a rollout is: what its events come to, and nothing else.
package struct RolloutState: Hashable, Sendable {
    package private(set) var plan: RolloutPlan
    package private(set) var state = RolloutStatus.State.scheduled
    package private(set) var share: Share
    /// Why it is in this state, by whom, and since when.
    package var reason: String { ownReason + shareNote }
    package private(set) var actor: String
    package private(set) var since: Date
    private var ownReason: String
    /// Who set the share by hand since then; empty if nobody did.
    private var shareNote = ""
    /// Who brought it into this state, and why: `ann: orders are lost`.
    package var cause: String { reason.hasPrefix("\(actor) ") ? reason : "\(actor): \(reason)" }
    /// When the plan was put on the release.
    package private(set) var attached: Date
    /// Since when the time of the present share counts; nil while it does not.
    package private(set) var countingSince: Date?
    /// Seconds of the present share's time that counted before.
    package private(set) var counted: TimeInterval = 0
    /// Each share that was the largest until then, in order.
    package private(set) var reached: [Reached] = []
    /// Since when activations count for a gate: since the first device could get the release, or somebody went on with it after
    /// a halt. nil: no device could.
    package private(set) var watchedSince: Date?
    /// Whether the first step was taken.
    package private(set) var hasStarted = false

    package struct Reached: Hashable, Sendable {
        package let share: Share
        package let date: Date
    }

    /// nil for events without a plan.
    package init?(_ events: [RolloutEvent]) {
        guard let index = events.lastIndex(where: { if case .plan = $0.kind { true } else { false } }),
            case .plan(let plan) = events[index].kind
        else { return nil }
        let event = events[index]
        self.plan = plan
        (share, ownReason, actor, since, attached) = (.none, Self.planReason, event.actor, event.time, event.time)
        // Of the events before the plan only the shares count.
        for earlier in events[..<index] {
            if case .share(let share) = earlier.kind { note(share, earlier.time) }
        }
        for event in events[(index + 1)...] { apply(event) }
    }

    private static let planReason = "the plan was put on the release"

    /// Steps are taken by themselves.
    package var isActive: Bool { state == .scheduled || state == .running }

    private mutating func note(_ share: Share, _ date: Date) {
        self.share = share
        if share > .none { watchedSince = watchedSince ?? date }
        if share > (reached.last?.share ?? .none) { reached.append(Reached(share: share, date: date)) }
    }

    private mutating func enter(_ state: RolloutStatus.State, _ reason: String, _ event: RolloutEvent) {
        (self.state, ownReason, shareNote, actor, since) = (state, reason, "", event.actor, event.time)
    }

    private mutating func stopCounting(_ date: Date) {
        if let countingSince { counted += max(0, date.timeIntervalSince(countingSince)) }
        countingSince = nil
    }

    package mutating func apply(_ event: RolloutEvent) {
        switch event.kind {
        case .share(let share):
            guard share != self.share else { return }
            note(share, event.time)
            (counted, countingSince) = (0, nil)
            // A share of the plan's own has an action behind it, which goes on from here.
            if isActive {
                enter(.paused, "the share was set to \(share) by hand", event)
            } else {
                shareNote = "; \(event.actor) set the share to \(share) by hand after that"
            }
        case .remove(let reason):
            stopCounting(event.time)
            enter(.rolledBack, "the release was taken back\(reason.isEmpty ? "" : ": \(reason)")", event)
        case .plan(let plan):
            self.plan = plan
            (attached, counted, countingSince, hasStarted) = (event.time, 0, nil, false)
            enter(.scheduled, Self.planReason, event)
        case .action(let action, let reason): apply(action, reason, event)
        }
    }

    private mutating func apply(_ action: RolloutEvent.Action, _ reason: String, _ event: RolloutEvent) {
        switch action {
        case .start, .step, .advance:
            (counted, countingSince, hasStarted) = (0, event.time, true)
            enter(.running, reason, event)
        case .resume:
            if hasStarted { countingSince = event.time }
            // What was known at the halt was not enough for whoever goes on, and would halt it again at once.
            if state == .halted { watchedSince = event.time }
            enter(hasStarted ? .running : .scheduled, reason, event)
        case .pause, .halt:
            stopCounting(event.time)
            enter(action == .halt ? .halted : .paused, reason, event)
        case .complete:
            stopCounting(event.time)
            enter(.completed, reason, event)
        }
    }
}
