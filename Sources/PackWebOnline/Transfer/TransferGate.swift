import Foundation
import PackFormat

/// Lets events through only in their legal order, and none after the end or a stop.
///
/// One call at a time: the turn is held while the client is called, so once ``stop()`` has returned, no call is under way
/// or will come, on whichever threads the two happen. It is recursive because a client may stop its request from inside a
/// call.
final class TransferGate: Sendable {
    private enum Phase {
        case created, responded, ended, stopped

        var isOpen: Bool { self == .created || self == .responded }
    }

    private let turn = NSRecursiveLock()
    /// Changed by who has the turn.
    private let phase = Locked(Phase.created)
    private let sink: @Sendable (TransferEvent) -> Void

    init(_ sink: @escaping @Sendable (TransferEvent) -> Void) {
        self.sink = sink
    }

    /// - Returns: whether more may follow.
    @discardableResult
    func pass(_ event: TransferEvent) -> Bool {
        turn.withLock {
            if let event = admit(event) { sink(event) }
            return phase.withLock { $0.isOpen }
        }
    }

    /// What the client is to hear of an event; nil: nothing.
    private func admit(_ event: TransferEvent) -> TransferEvent? {
        phase.withLock { phase in
            switch (phase, event) {
            case (.created, .response):
                phase = .responded
                return event
            case (.responded, .data):
                return event
            case (.responded, .finished), (.created, .failed), (.responded, .failed):
                phase = .ended
                return event
            case (.created, .data), (.created, .finished):
                // A source that ends or sends data before its head is broken; the client must hear of an end.
                phase = .ended
                return .failed(URLError(.badServerResponse))
            case (.responded, .response), (.ended, _), (.stopped, _):
                // A further head, as of a multipart answer's next part, belongs to the same answer.
                return nil
            }
        }
    }

    /// Whether more may follow.
    var isOpen: Bool {
        turn.withLock { phase.withLock { $0.isOpen } }
    }

    /// - Returns: whether the request was still under way.
    @discardableResult
    func stop() -> Bool {
        turn.withLock {
            phase.withLock { phase in
                guard phase.isOpen else { return false }
                phase = .stopped
                return true
            }
        }
    }
}
