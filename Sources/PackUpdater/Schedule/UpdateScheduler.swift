package import PackFormat

/// Looks for updates at the right times: at the start, when the app comes back, on a push, and in between as the channel says.
///
///     let scheduler = UpdateScheduler(updater)                 // or host.scheduler()
///     await scheduler.start()
///     await scheduler.resume()        // the app is in the foreground again
///     await scheduler.push()          // a push message says that there is something
///     await scheduler.stop()
///
/// A failed check is repeated sooner, later each time; an overloaded server is asked when it wants to be. There is one check at
/// a time. What each did is in ``Updater/updateEvents()``.
public actor UpdateScheduler {
    private let schedule: UpdateSchedule
    private let update: @Sendable () async throws -> UpdateReport
    private let poll: @Sendable () async -> ChannelPoll?
    private let didCheck: @Sendable (Result<UpdateReport, any Error>) async -> Void
    private let pause: @Sendable (Duration) async throws -> Void
    /// The time since some moment.
    private let uptime: @Sendable () -> Duration
    private let random: @Sendable () -> Double
    private var loop: Task<Void, Never>?
    private var failures = 0
    /// When the next check is due, after this wait; of the loop.
    private var sleeping: Task<Void, any Error>?
    private var isChecking = false
    /// Asked for while a check was under way: one more follows.
    private var isWanted = false
    /// No check before this time, whoever asks: an overloaded server has asked for it.
    private var heldOffUntil: Duration?
    /// After a failed check, the loop does not look before this time by itself, not even if it is started anew.
    private var backsOffUntil: Duration?

    /// - Parameters:
    ///   - selection: the packages that are kept up to date.
    ///   - didCheck: called after each check, before the wait.
    public init(
        _ updater: Updater, _ selection: PackageSelection = .all, schedule: UpdateSchedule = UpdateSchedule(),
        didCheck: @escaping @Sendable (Result<UpdateReport, any Error>) async -> Void = { _ in }
    ) {
        self.init(
            schedule: schedule, update: { try await updater.update(selection) },
            poll: { (try? await updater.poll()) ?? nil }, didCheck: didCheck)
    }

    package init(
        schedule: UpdateSchedule, clock: some Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        update: @escaping @Sendable () async throws -> UpdateReport,
        poll: @escaping @Sendable () async -> ChannelPoll? = { nil },
        didCheck: @escaping @Sendable (Result<UpdateReport, any Error>) async -> Void = { _ in }
    ) {
        self.schedule = schedule
        let origin = clock.now
        uptime = { origin.duration(to: clock.now) }
        pause = { try await clock.sleep(for: $0) }
        self.random = random
        self.update = update
        self.poll = poll
        self.didCheck = didCheck
    }

    /// Begins to look, after ``UpdateSchedule/firstDelay``, and not before a pause is over that a failed check or an
    /// overloaded server has begun. A second call does nothing.
    public func start() {
        run(after: max(schedule.firstDelay, rest(of: backsOffUntil)))
    }

    /// Ends the loop, and a check that is under way. A pause goes on.
    public func stop() {
        loop?.cancel()
        sleeping?.cancel()
        loop = nil
        isChecking = false
    }

    /// The app is used again: looks now, unless a server has asked for a pause. Starts the loop where it does not run.
    public func resume() {
        guard loop == nil else { return wake() }
        run(after: schedule.firstDelay)
    }

    /// A push message says that there is something: looks within ``UpdateSchedule/pushSpread``, so that not all devices come at
    /// once. Returns at once.
    public func push() {
        let wait = schedule.pushSpread * random()
        guard loop != nil else { return run(after: wait) }
        Task {
            try? await self.pause(wait)
            self.wake()
        }
    }

    private var isHeldOff: Bool { rest(of: heldOffUntil) > .zero }

    private func rest(of end: Duration?) -> Duration { end.map { max(.zero, $0 - uptime()) } ?? .zero }

    private func wake() {
        guard !isHeldOff else { return }
        if isChecking { isWanted = true } else { sleeping?.cancel() }
    }

    /// Starts the loop unless it runs.
    private func run(after wait: Duration) {
        guard loop == nil else { return }
        let first = max(wait, rest(of: heldOffUntil))
        loop = Task { await self.run(first) }
    }

    private func run(_ first: Duration) async {
        var wait = first
        while !Task.isCancelled {
            await sleep(wait)
            // One that was stopped says nothing about the loop that may have followed it.
            guard !Task.isCancelled else { return }
            (heldOffUntil, backsOffUntil) = (nil, nil)
            wait = await check()
            guard !Task.isCancelled else { return }
            if isWanted, !isHeldOff { wait = .zero }
            isWanted = false
        }
    }

    /// Returns early if it is woken.
    private func sleep(_ wait: Duration) async {
        let sleeping = Task { [pause] in try await pause(wait) }
        self.sleeping = sleeping
        await withTaskCancellationHandler {
            _ = await sleeping.result
        } onCancel: {
            sleeping.cancel()
        }
        self.sleeping = nil
    }

    /// - Returns: the wait before the next one.
    private func check() async -> Duration {
        isChecking = true
        let result: Result<UpdateReport, any Error>
        do { result = .success(try await update()) } catch { result = .failure(error) }
        let outcome = Self.outcome(result)
        // What ``stop()`` has ended has failed for no reason of the server's, and says nothing about a loop that followed.
        if !Task.isCancelled {
            isChecking = false
            failures = outcome == .done ? 0 : failures + 1
        }
        await didCheck(result)
        let wait = schedule.wait(after: outcome, failures: failures, poll: await poll(), random: random())
        switch outcome {
        case .overloaded: heldOffUntil = uptime() + wait
        case .failed where !Task.isCancelled: backsOffUntil = uptime() + wait
        case .failed, .done: break
        }
        return wait
    }

    private static func outcome(_ result: Result<UpdateReport, any Error>) -> UpdateSchedule.Outcome {
        switch result {
        case .success(let report):
            report.overload.map { .overloaded(retryAfter: $0.retryAfter) }
                ?? (report.failures.isEmpty ? .done : .failed)
        case .failure(UpdateError.overloaded(_, _, let retryAfter)): .overloaded(retryAfter: retryAfter)
        case .failure: .failed
        }
    }
}
