import Foundation
import Synchronization

/// The derived files that are being made in this process, so that none is made twice, and a limit for those that
/// devices may request.
final class ArtifactClaims: Sendable {
    private struct State {
        var claimed: Set<DerivedFile> = []
        /// Files that are made because a device asked.
        var demanded = 0
        /// Requests that wait for a file.
        var waiting = 0
        /// What is finished when a file is not being made any more.
        var waiters: [DerivedFile: [AsyncStream<Void>.Continuation]] = [:]
        /// When a request for a file of a step waited in vain, by the step's patch.
        var vain: [DerivedFile: ContinuousClock.Instant] = [:]
    }

    static let maximumDemandedCount = 8
    private static let maximumWaitingCount = 256
    private static let vainTime = Duration.seconds(30)

    /// Files that devices ask for are made here, one at a time.
    let queue = DispatchQueue(label: "packtool.patches-on-demand", qos: .utility)
    private let state = Mutex(State())
    private let clock: any Clock<Duration>

    /// - Parameter clock: what `patience` is measured by.
    init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    /// - Returns: false if it is being made already.
    func claim(_ file: DerivedFile) -> Bool {
        state.withLock { $0.claimed.insert(file).inserted }
    }

    func release(_ file: DerivedFile) {
        let waiters = state.withLock { state in
            state.claimed.remove(file)
            return state.waiters.removeValue(forKey: file) ?? []
        }
        for waiter in waiters { waiter.finish() }
    }

    /// Returns when nobody in this process makes the file any more, after `patience`, or when the task is cancelled.
    func waitForRelease(of file: DerivedFile, patience: Duration) async {
        let (stream, waiter) = AsyncStream<Void>.makeStream()
        let isClaimed = state.withLock { state in
            guard state.claimed.contains(file) else { return false }
            state.waiters[file, default: []].append(waiter)
            return true
        }
        guard isClaimed else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in stream {} }
            group.addTask { [clock] in try? await clock.sleep(for: patience) }
            await group.next()
            group.cancelAll()
        }
    }

    /// - Parameter patch: of a step for one of whose files a request waited in vain.
    func noteVain(_ patch: DerivedFile) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.vain = state.vain.filter { now - $0.value < Self.vainTime }
            state.vain[patch] = now
        }
    }

    /// Whether a request waited in vain for a file of the step, some seconds ago.
    func wasVain(_ patch: DerivedFile) -> Bool {
        state.withLock { $0.vain[patch] }.map { ContinuousClock.now - $0 < Self.vainTime } ?? false
    }

    func isClaimed(_ file: DerivedFile) -> Bool {
        state.withLock { $0.claimed.contains(file) }
    }

    enum Claim {
        case claimed
        /// The file is being made already.
        case taken
        /// The limit for requests is reached.
        case full
    }

    func claimOnDemand(_ file: DerivedFile) -> Claim {
        state.withLock { state in
            guard !state.claimed.contains(file) else { return .taken }
            guard state.demanded < Self.maximumDemandedCount else { return .full }
            state.claimed.insert(file)
            state.demanded += 1
            return .claimed
        }
    }

    func releaseOnDemand(_ file: DerivedFile) {
        state.withLock { $0.demanded -= 1 }
        release(file)
    }

    /// How many files are being made, and how many requests wait for one.
    var counts: (claimed: Int, waiting: Int) { state.withLock { ($0.claimed.count, $0.waiting) } }

    /// - Returns: false if too many wait already.
    func beginWaiting() -> Bool {
        state.withLock { state in
            guard state.waiting < Self.maximumWaitingCount else { return false }
            state.waiting += 1
            return true
        }
    }

    func endWaiting() {
        state.withLock { $0.waiting -= 1 }
    }
}
