import Foundation
import PackWeb
import PackWebOnline

/// A scheme task that does what WebKit's does when it is called out of order: there it raises an exception, here it
/// counts. It also notices a call after the stop and two calls at once.
final class TrappingSchemeTask: SchemeTask, @unchecked Sendable {
    enum Phase { case created, responded, ended, stopped }

    private let lock = NSLock()
    private var phase = Phase.created
    private var isInCall = false
    private var recordedTraps: [String] = []
    private var recordedHead: TransferHead?
    private var recordedData = Data()
    private var recordedError: (any Error)?
    /// Called at each call, after it was counted.
    var onCall: (@Sendable (TrappingSchemeTask) -> Void)?

    var traps: [String] { lock.withLock { recordedTraps } }
    var head: TransferHead? { lock.withLock { recordedHead } }
    var data: Data { lock.withLock { recordedData } }
    var error: (any Error)? { lock.withLock { recordedError } }
    var hasEnded: Bool { lock.withLock { phase == .ended } }
    var currentPhase: Phase { lock.withLock { phase } }

    /// What the web view does when the page goes away; from here on every call traps.
    func markStopped() {
        lock.withLock { if phase != .ended { phase = .stopped } }
    }

    private func call(_ name: String, from allowed: Set<Phase>, to next: Phase, _ record: () -> Void) {
        lock.withLock {
            if isInCall { recordedTraps.append("\(name) while another call is under way") }
            if !allowed.contains(phase) { recordedTraps.append("\(name) when \(phase)") }
            isInCall = true
            if phase != .stopped { phase = next }
            record()
        }
        onCall?(self)
        lock.withLock { isInCall = false }
    }

    func receive(_ head: TransferHead) {
        call("response", from: [.created], to: .responded) { recordedHead = head }
    }

    func receive(_ data: Data) {
        call("data", from: [.responded], to: .responded) { recordedData += data }
    }

    func finish() {
        call("finish", from: [.responded], to: .ended) {}
    }

    func fail(_ error: any Error) {
        call("failure", from: [.created, .responded], to: .ended) { recordedError = error }
    }
}

/// Waits until a condition holds; a test that gives up says so by the condition.
func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<2_000 {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return condition()
}
