/// The limits after which a download is given up, so that an attacker or a dead network cannot hold a device for
/// ever.
public struct TransferLimits: Hashable, Sendable {
    /// An attempt ends if no byte arrives for this long.
    public var stall: Duration = .seconds(30)
    /// The lowest rate in bytes a second, averaged over ``rateWindow``. A slower attempt ends.
    public var minimumRate = 256
    public var rateWindow: Duration = .seconds(60)
    /// The number of attempts in a row that may bring less than ``leastProgress``.
    public var attempts = 4
    /// The bytes that an attempt must bring to count as progress.
    public var leastProgress = 64 << 10
    /// The wait before the second attempt; it doubles each time.
    public var backoff: Duration = .milliseconds(500)
    /// The longest `Retry-After` of a server that is respected. A longer one ends the update.
    public var longestRetryAfter: Duration = .seconds(30)
    /// The number of downloads at the same time.
    public var parallelism = 4

    public init() {}
}
