import Foundation

/// Lets events through only in their legal order, and none after the end or a stop.
///
/// The lock is held while the client is called, so once ``stop()`` has returned, no call is under way or will come, on
/// whichever threads the two happen. It is recursive because a client may stop its request from inside a call.
final class TransferGate: Sendable {
    private enum Phase {
        case created, responded, ended, stopped
    }

    private let lock = NSRecursiveLock()
    nonisolated(unsafe) private var phase = Phase.created
    private let sink: @Sendable (TransferEvent) -> Void

    init(_ sink: @escaping @Sendable (TransferEvent) -> Void) {
        self.sink = sink
    }

    /// - Returns: whether more may follow.
    @discardableResult
    func pass(_ event: TransferEvent) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        switch (phase, event) {
        case (.created, .response):
            phase = .responded
            sink(event)
        case (.responded, .data):
            sink(event)
        case (.responded, .finished), (.created, .failed), (.responded, .failed):
            phase = .ended
            sink(event)
        case (.created, .data), (.created, .finished):
            // A source that ends or sends data before its head is broken; the client must hear of an end.
            phase = .ended
            sink(.failed(URLError(.badServerResponse)))
        case (.responded, .response), (.ended, _), (.stopped, _):
            // A further head, as of a multipart answer's next part, belongs to the same answer.
            break
        }
        return isOpen
    }

    /// Whether more may follow.
    var isOpen: Bool {
        lock.lock()
        defer { lock.unlock() }
        return phase == .created || phase == .responded
    }

    /// - Returns: whether the request was still under way.
    @discardableResult
    func stop() -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard isOpen else { return false }
        phase = .stopped
        return true
    }
}
