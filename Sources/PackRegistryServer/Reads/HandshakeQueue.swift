import NIOCore
import Synchronization

/// The TLS handshakes of one event loop, in the order of their coming, and only as many at once as leave time for what else the loop has to do.
///
/// A handshake takes as long as a hundred reads. When many clients come at once, the first that are done would wait for all others.
final class HandshakeQueue {
    /// Handshakes are begun for so long, and then the other connections have their turn.
    private static let turn: TimeAmount = .milliseconds(1)
    /// An event loop looks at its connections only where nothing is due, so the next turn comes a little later.
    private static let pause: TimeAmount = .microseconds(50)

    private let loop: NIOIsolatedEventLoop
    private var waiting = CircularBuffer<() -> Void>()
    private var isRunning = false

    init(_ loop: any EventLoop) {
        self.loop = loop.assumeIsolated()
    }

    /// Calls `begin` on this loop when its turn has come: at the end of this round of the loop where no other waits.
    func add(_ begin: @escaping () -> Void) {
        waiting.append(begin)
        guard !isRunning else { return }
        isRunning = true
        loop.execute { self.runTurn() }
    }

    private func runTurn() {
        let end = NIODeadline.now() + Self.turn
        repeat {
            guard let begin = waiting.popFirst() else { break }
            begin()
        } while .now() < end
        if waiting.isEmpty {
            isRunning = false
        } else {
            loop.scheduleTask(in: Self.pause) { self.runTurn() }
        }
    }
}

/// The queue of each event loop.
final class HandshakeQueues: Sendable {
    private let queues = Mutex<[ObjectIdentifier: NIOLoopBound<HandshakeQueue>]>([:])

    /// - Parameter loop: the one that this runs on.
    func queue(of loop: any EventLoop) -> HandshakeQueue {
        queues.withLock { queues in
            if let known = queues[ObjectIdentifier(loop)] { return known }
            let new = NIOLoopBound(HandshakeQueue(loop), eventLoop: loop)
            queues[ObjectIdentifier(loop)] = new
            return new
        }.value
    }
}
