package import Foundation
package import PackFormat
package import PackRegistryAPI

/// What a person's word means for a rollout that has a plan: facts in, what is to be recorded out.
package struct RolloutVerbRule {
    /// What is recorded: the release's share, where it changes, then what was done.
    package struct Result: Hashable, Sendable {
        /// nil: it stays.
        package var share: Share?
        package var actions: [RolloutEvent.Action] = []
        /// Why nothing is recorded; nil where something is.
        package var unchanged: String?

        fileprivate static func nothing(_ why: String) -> Result { Result(unchanged: why) }
    }

    private let planned: PlannedRelease
    private let state: RolloutState
    private let now: Date

    package init(_ planned: PlannedRelease, _ state: RolloutState, now: Date) {
        self.planned = planned
        self.state = state
        self.now = now
    }

    private var name: String {
        "\(planned.package) \(planned.version?.description ?? "embedded") on \(planned.channel)"
    }

    /// - Throws: ``RegistryError`` of the kind `.conflict` where the rollout's state does not allow it.
    package func result(of verb: RolloutRequest.Verb) throws -> Result {
        if state.state == .rolledBack {
            throw RegistryError(
                .conflict, "\(name) was taken back by \(state.actor): publish a new version, or offer it with --again")
        }
        switch verb {
        case .start: return try start()
        case .pause: return try stop(.paused, .pause)
        case .halt: return try stop(.halted, .halt)
        case .resume: return try resume()
        case .advance(let step): return try advance(to: step)
        case .complete: return try complete()
        case .plan, .rollBack, .retry: return Result()
        }
    }

    private func start() throws -> Result {
        switch state.state {
        case .running: return .nothing("it runs already")
        case .scheduled:
            try refuseNewer()
            return taking(max(state.share, state.plan.steps.first?.share ?? .none), .start)
        default: throw wrong("start", "packtool rollout resume goes on with it")
        }
    }

    private func stop(_ wanted: RolloutStatus.State, _ action: RolloutEvent.Action) throws -> Result {
        switch state.state {
        case wanted: return .nothing("it is \(wanted.rawValue) already")
        // A halt says more than a pause.
        case .halted: return .nothing("it is halted already")
        case .completed:
            throw wrong(action.rawValue, "every step was taken; packtool rollout rollback takes the release back")
        default: return Result(actions: [action])
        }
    }

    private func resume() throws -> Result {
        switch state.state {
        case .scheduled, .running: return .nothing("it is \(state.state.rawValue) already")
        case .completed: throw wrong("resume", "every step was taken")
        default:
            try refuseNewer()
            try refuseEnded()
            return Result(actions: [.resume])
        }
    }

    private func advance(to number: Int?) throws -> Result {
        switch state.state {
        case .completed: return .nothing("every step was taken already")
        case .halted: throw planned.refusal(halted: state, "advance", then: "advance")
        default: break
        }
        try refuseNewer()
        let steps = state.plan.steps
        if let number, !(1..<(steps.count + 1)).contains(number) {
            throw RegistryError(.invalid, "the plan has no step \(number): it has the steps 1 to \(steps.count)")
        }
        let step = number.map { steps[$0 - 1] } ?? RolloutRule(state, now: now).nextStep
        guard let step else {
            throw RegistryError(
                .conflict, "\(name) has had every step of its plan: packtool rollout complete ends it")
        }
        guard step.share > state.share else { return .nothing("\(state.share) of the devices have it already") }
        try refuseEnded()
        return taking(step.share, .advance)
    }

    private func complete() throws -> Result {
        // Whoever gives a release with problems to everybody has to say first that the problems are over.
        if state.state == .halted { throw planned.refusal(halted: state, "complete", then: "complete") }
        guard state.state != .completed || state.share < .whole else { return .nothing("it is complete already") }
        try refuseNewer()
        return Result(share: state.share < .whole ? .whole : nil, actions: [.complete])
    }

    private func taking(_ share: Share, _ action: RolloutEvent.Action) -> Result {
        Result(
            share: share == state.share ? nil : share,
            actions: RolloutRule(state, now: now).completes(share) ? [action, .complete] : [action])
    }

    /// The next evaluation would pause it again.
    private func refuseEnded() throws {
        guard let end = state.plan.end, end <= now else { return }
        throw RegistryError(.conflict, "the plan of \(name) has ended: give it a new one with --plan FILE")
    }

    /// Devices that take a newer release would not get this one, and others not the newer one.
    private func refuseNewer() throws {
        guard let newer = planned.newer else { return }
        throw RegistryError(
            .conflict,
            "\(planned.channel) offers a newer release of \(newer.package), \(newer.versionText): \(advice(newer)), or go on "
                + "with it")
    }

    /// A rollback without a version would take this release back too, where it does not reach everybody.
    private func advice(_ newer: PlannedRelease.Member) -> String {
        guard let version = newer.version else { return "publish or release a version again" }
        return "take that one back first (packtool rollout \(newer.package)@\(version) --channel \(planned.channel) "
            + "--percent 0)"
    }

    private func wrong(_ verb: String, _ advice: String) -> RegistryError {
        RegistryError(.conflict, "\(name) is \(state.state.rawValue) and cannot \(verb): \(advice)")
    }
}

extension PlannedRelease {
    /// Whether devices get it, or are to get it once its plan begins.
    package var isUnderWay: Bool {
        guard let state = RolloutState(events), state.state != .rolledBack else { return false }
        return state.share > .none || !state.hasStarted
    }

    var isCompleted: Bool { RolloutState(events)?.state == .completed }

    /// - Parameters:
    ///   - state: of the release, which is halted. With the reason: who goes on has to know it.
    ///   - what: what the release cannot do, such as `advance`.
    ///   - next: what comes after `resume`.
    func refusal(halted state: RolloutState, _ what: String, then next: String) -> RegistryError {
        RegistryError(
            .conflict,
            "\(package) \(version?.description ?? "embedded") on \(channel) is halted and cannot \(what) (\(state.cause)). If "
                + "that is over, packtool rollout resume comes first, then \(next); packtool rollout rollback takes the release "
                + "back")
    }
}
