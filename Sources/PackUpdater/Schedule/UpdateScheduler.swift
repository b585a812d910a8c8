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
    private let clock: any Clock<Duration>
    private let random: @Sendable () -> Double
    private var loop: Task<Void, Never>?
    private var failures = 0
    /// When the next check is due, after this wait; of the loop.
    private var sleeping: Task<Void, any Error>?
    private var isChecking = false
    /// Asked for while a check was under way: one more follows.
    private var isWanted = false
    /// No check before the end of it: an overloaded server has asked for it.
    private var isHeldOff = false

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
        schedule: UpdateSchedule, clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        update: @escaping @Sendable () async throws -> UpdateReport,
        poll: @escaping @Sendable () async -> ChannelPoll? = { nil },
        didCheck: @escaping @Sendable (Result<UpdateReport, any Error>) async -> Void = { _ in }
    ) {
        self.schedule = schedule
        self.clock = clock
        self.random = random
        self.update = update
        self.poll = poll
        self.didCheck = didCheck
    }

    /// Begins to look, after ``UpdateSchedule/firstDelay``. A second call does nothing.
    public func start() {
        guard loop == nil else { return }
        let first = schedule.firstDelay
        loop = Task { await self.run(first) }
    }

    /// Ends the loop, and a check that is under way.
    public func stop() {
        loop?.cancel()
        sleeping?.cancel()
        loop = nil
    }

    /// The app is used again: looks now, unless a server has asked for a pause. Starts the loop where it does not run.
    public func resume() {
        guard loop != nil else { return start() }
        wake()
    }

    /// A push message says that there is something: looks within ``UpdateSchedule/pushSpread``, so that not all devices come at
    /// once. Returns at once.
    public func push() {
        let wait = schedule.pushSpread * random()
        guard loop != nil else {
            loop = Task { await self.run(wait) }
            return
        }
        Task {
            try? await self.clock.sleep(for: wait)
            self.wake()
        }
    }

    private func wake() {
        guard !isHeldOff else { return }
        if isChecking { isWanted = true } else { sleeping?.cancel() }
    }

    private func run(_ first: Duration) async {
        var wait = first
        while !Task.isCancelled {
            await sleep(wait)
            isHeldOff = false
            guard !Task.isCancelled else { return }
            wait = await check()
            if isWanted, !isHeldOff { wait = .zero }
            isWanted = false
        }
    }

    /// Returns early if it is woken.
    private func sleep(_ wait: Duration) async {
        let sleeping = Task { [clock] in try await clock.sleep(for: wait) }
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
        isChecking = false
        let outcome = Self.outcome(result)
        failures = outcome == .done ? 0 : failures + 1
        if case .overloaded = outcome { isHeldOff = true }
        await didCheck(result)
        return schedule.wait(after: outcome, failures: failures, poll: await poll(), random: random())
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
