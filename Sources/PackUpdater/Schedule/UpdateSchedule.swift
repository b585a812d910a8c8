public import PackFormat

/// When an app looks for updates. A value without a clock: ``UpdateScheduler`` only sleeps as it says.
public struct UpdateSchedule: Hashable, Sendable {
    /// Between two checks, unless the channel says how often.
    public var interval: Duration
    /// The most that is added to an interval at random, as a part of it.
    public var jitter: Double
    /// Before the first check: the page that people wait for comes first.
    public var firstDelay: Duration
    /// Whether the channel's word holds. False for an app whose user has chosen an interval.
    public var obeysChannel: Bool
    /// After a failed check; it doubles with each, up to the interval.
    public var backoff: Duration
    /// A push message goes to all devices in one moment; each waits up to this, at random.
    public var pushSpread: Duration

    /// A server cannot make a device wait longer: it would not come back for a mended release.
    private static let longestHoldOff = Duration.seconds(86_400)

    public init(
        interval: Duration = .seconds(3_600), jitter: Double = 0.1, firstDelay: Duration = .seconds(2),
        obeysChannel: Bool = true, backoff: Duration = .seconds(30), pushSpread: Duration = .seconds(30)
    ) {
        self.interval = interval
        self.jitter = jitter
        self.firstDelay = firstDelay
        self.obeysChannel = obeysChannel
        self.backoff = backoff
        self.pushSpread = pushSpread
    }

    /// How a check ended.
    public enum Outcome: Hashable, Sendable {
        case done
        case failed
        /// The server has too much to do, and when it wants to be asked again, if it says.
        case overloaded(retryAfter: Duration?)
    }

    /// The wait before the next check.
    /// - Parameters:
    ///   - failures: checks in a row that failed, this one included.
    ///   - poll: what the channel says.
    ///   - random: 0 to 1.
    public func wait(after outcome: Outcome, failures: Int, poll: ChannelPoll?, random: Double) -> Duration {
        let poll = obeysChannel ? poll : nil
        let interval = poll.map { Duration.seconds($0.seconds) } ?? interval
        let spread = poll.map { Duration.seconds($0.jitter) } ?? interval * jitter
        let regular = interval + spread * random
        switch outcome {
        case .done: return regular
        case .failed: return min(regular, retry(failures, random))
        case .overloaded(let retryAfter):
            // Never before the server wants it, and never all at once; a server that says nothing gets twice the time.
            let asked = min(retryAfter ?? retry(failures + 1, random), Self.longestHoldOff)
            return max(min(regular, retry(failures, random)), asked + asked * (random / 2))
        }
    }

    /// A half of it is random, so that devices which failed together do not come back together.
    private func retry(_ failures: Int, _ random: Double) -> Duration {
        let full = backoff * (1 << min(max(failures - 1, 0), 12))
        return full / 2 + full / 2 * random
    }
}
