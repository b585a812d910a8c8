import Foundation
import Synchronization

/// A child process whose end can be awaited by any number of tasks.
final class RunningProcess: Sendable {
    private enum Progress {
        case running(waiters: [CheckedContinuation<Int32, Never>])
        case ended(Int32)
    }

    private final class Shared: Sendable {
        let progress = Mutex(Progress.running(waiters: []))
    }

    private let shared = Shared()
    let identifier: Int32

    init(starting process: Process) throws {
        process.terminationHandler = { [shared] process in
            let status = process.terminationStatus
            let code = process.terminationReason == .uncaughtSignal ? -status : status
            let waiters = shared.progress.withLock { progress -> [CheckedContinuation<Int32, Never>] in
                guard case .running(let waiters) = progress else { return [] }
                progress = .ended(code)
                return waiters
            }
            for waiter in waiters { waiter.resume(returning: code) }
        }
        try process.run()
        identifier = process.processIdentifier
    }

    var isRunning: Bool {
        shared.progress.withLock { if case .running = $0 { true } else { false } }
    }

    func kill(_ signal: Int32) {
        if isRunning { Foundation.kill(identifier, signal) }
    }

    /// The exit code, or minus the number of the signal that ended it.
    func exitCode() async -> Int32 {
        await withCheckedContinuation { continuation in
            let ended = shared.progress.withLock { progress -> Int32? in
                switch progress {
                case .ended(let code): return code
                case .running(let waiters):
                    progress = .running(waiters: waiters + [continuation])
                    return nil
                }
            }
            if let ended { continuation.resume(returning: ended) }
        }
    }
}
