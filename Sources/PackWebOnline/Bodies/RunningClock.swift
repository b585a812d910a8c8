import PackFormat

/// Measures the time in which the app runs. A longer pause, while the device slept or the system had suspended the
/// app, counts as one step. So what a page began before the pause does not time out when the app continues.
///
/// It is exact while somebody looks at it at least once a step.
final class RunningClock: Sendable {
    private let step: Duration
    private let source: @Sendable () -> ContinuousClock.Instant
    private let state: Locked<(seen: ContinuousClock.Instant, now: ContinuousClock.Instant)>

    init(step: Duration, source: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) {
        self.step = step
        self.source = source
        let start = source()
        state = Locked((start, start))
    }

    var now: ContinuousClock.Instant {
        state.withLock { state in
            let seen = source()
            state.now += min(seen - state.seen, step)
            state.seen = seen
            return state.now
        }
    }
}
