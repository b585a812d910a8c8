import Synchronization

/// Counts the connections of each client, and refuses a client that has reached its limit. Otherwise one machine with
/// 4,096 connections would keep everybody else waiting.
final class ClientTable: Sendable {
    private struct State {
        var counts: [ClientAddress: Int] = [:]
        var total = 0
    }

    private let limit: Int
    /// From so many on, those who do nothing are to leave sooner.
    private let crowd: Int
    private let state = Mutex(State())

    init(limit: Int, crowd: Int = .max) {
        self.limit = limit
        self.crowd = crowd
    }

    /// - Parameter address: nil is nobody in particular, and has no limit.
    /// - Returns: false if the client holds as much as it may; else ``leave(_:)`` is owed.
    func enter(_ address: ClientAddress?) -> Bool {
        state.withLock { state in
            if let address {
                let count = state.counts[address, default: 0]
                guard count < limit else { return false }
                state.counts[address] = count + 1
            }
            state.total += 1
            return true
        }
    }

    /// Whether ``enter(_:)`` would refuse.
    func isFull(for address: ClientAddress?) -> Bool {
        guard let address else { return false }
        return state.withLock { $0.counts[address, default: 0] >= limit }
    }

    func leave(_ address: ClientAddress?) {
        state.withLock { state in
            state.total -= 1
            guard let address, let count = state.counts[address] else { return }
            state.counts[address] = count > 1 ? count - 1 : nil
        }
    }

    var isCrowded: Bool { state.withLock { $0.total >= crowd } }
    var count: Int { state.withLock { $0.total } }
}
