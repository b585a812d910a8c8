/// What a download may cost before it is given up: an attacker or a dead network must not hold a device for ever.
public struct TransferLimits: Hashable, Sendable {
    /// No byte for this long ends an attempt.
    public var stall: Duration = .seconds(30)
    /// Bytes a second, averaged over ``rateWindow``; slower ends an attempt.
    public var minimumRate = 256
    public var rateWindow: Duration = .seconds(60)
    /// Attempts in a row that bring less than ``leastProgress``.
    public var attempts = 4
    /// Bytes of one attempt from which on the line counts as moving.
    public var leastProgress = 64 << 10
    /// The wait before the second attempt; it doubles each time.
    public var backoff: Duration = .milliseconds(500)
    /// The longest `Retry-After` of a server that is obeyed; a longer one ends the update.
    public var longestRetryAfter: Duration = .seconds(30)
    /// Downloads at the same time.
    public var parallelism = 4

    public init() {}
}
