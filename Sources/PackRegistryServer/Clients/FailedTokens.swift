import Synchronization

/// Counts invalid tokens by address and minute.
///
/// A token has 256 bits, so nobody guesses one. But each attempt reads the database, and many attempts fill a log.
/// Valid tokens are not counted here: a client that shares an address with an attacker is not affected.
final class FailedTokens: Sendable {
    private struct State {
        var minute = -1
        var counts: [ClientAddress: Int] = [:]
    }

    /// Addresses that are kept apart in a minute: some 2 MB. Those that come after them count as one.
    static let maximumAddressCount = 20_000
    private static let others = ClientAddress(all: [0, 0, 0, 0])

    private let limit: Int
    private let clock: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameter clock: the time since any fixed moment.
    init(limit: Int, clock: @escaping @Sendable () -> Duration) {
        self.limit = limit
        self.clock = clock
    }

    /// Counts one more.
    /// - Returns: the seconds until the next attempt counts anew, where these were too many.
    func add(_ address: ClientAddress) -> Int? {
        let now = Int(clock().components.seconds)
        return state.withLock { state in
            if state.minute != now / 60 { state = State(minute: now / 60, counts: [:]) }
            let isKnown = state.counts[address] != nil || state.counts.count < Self.maximumAddressCount
            let key = isKnown ? address : Self.others
            state.counts[key, default: 0] += 1
            return state.counts[key, default: 0] > limit ? 60 - now % 60 : nil
        }
    }

    var addressCount: Int { state.withLock { $0.counts.count } }
}
