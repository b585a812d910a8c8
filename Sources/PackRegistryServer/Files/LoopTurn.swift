import NIOCore
import Synchronization

/// The present turn of an event loop. What a look at the disk says of a file holds for all requests that the loop answers in this turn,
/// because they had arrived before it began. Only the loop itself uses it.
final class LoopTurn {
    private let eventLoop: any EventLoop
    private var seen: [ObjectIdentifier] = []

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Whether a file was looked at in this turn.
    func hasSeen(_ file: AnyObject) -> Bool { seen.contains(ObjectIdentifier(file)) }

    func see(_ file: AnyObject) {
        if seen.isEmpty {
            // It runs when the loop has read all that had arrived.
            eventLoop.assumeIsolated().execute { self.seen.removeAll(keepingCapacity: true) }
        }
        seen.append(ObjectIdentifier(file))
    }
}

/// The turns of a server's event loops.
final class LoopTurns: Sendable {
    private let turns = Mutex<[ObjectIdentifier: NIOLoopBound<LoopTurn>]>([:])

    /// - Parameter eventLoop: the one that asks.
    func turn(of eventLoop: any EventLoop) -> LoopTurn {
        let turn = turns.withLock { turns in
            if let known = turns[ObjectIdentifier(eventLoop)] { return known }
            let new = NIOLoopBound(LoopTurn(eventLoop), eventLoop: eventLoop)
            turns[ObjectIdentifier(eventLoop)] = new
            return new
        }
        return turn.value
    }
}
