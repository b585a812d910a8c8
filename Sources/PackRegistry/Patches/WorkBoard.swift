import Foundation
import Synchronization

/// Which derived files somebody in this process is making right now, so that nobody makes one twice, and how much of it
/// devices may ask for.
final class WorkBoard: Sendable {
    private struct State {
        var claimed: Set<DerivedFile> = []
        /// Files that are made because a device asked.
        var demanded = 0
        /// Requests that wait for a file.
        var waiting = 0
    }

    static let maximumDemandedCount = 8
    private static let maximumWaitingCount = 256

    /// Files that devices ask for are made here, one at a time.
    let queue = DispatchQueue(label: "packtool.patches-on-demand", qos: .utility)
    private let state = Mutex(State())

    /// - Returns: false where it is being made already.
    func claim(_ file: DerivedFile) -> Bool {
        state.withLock { $0.claimed.insert(file).inserted }
    }

    func release(_ file: DerivedFile) {
        state.withLock { _ = $0.claimed.remove(file) }
    }

    func isClaimed(_ file: DerivedFile) -> Bool {
        state.withLock { $0.claimed.contains(file) }
    }

    enum Claim {
        case claimed
        /// It is being made already.
        case taken
        /// As much is asked for as may be.
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
        state.withLock { state in
            state.claimed.remove(file)
            state.demanded -= 1
        }
    }

    /// - Returns: false where too many wait already.
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
