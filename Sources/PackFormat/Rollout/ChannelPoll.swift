/// How often devices are to look at a channel.
public struct ChannelPoll: Hashable, Sendable {
    /// Seconds, from a minute to a week.
    public static let range = 60...604_800

    /// Between two checks.
    public let seconds: Int
    /// A device waits up to so many seconds longer, at random, so that not all come at once.
    public let jitter: Int

    /// - Parameter jitter: nil: a tenth of the interval.
    /// - Throws: ``FormatError/invalidDocument(_:reason:)``
    public init(seconds: Int, jitter: Int? = nil) throws(FormatError) {
        guard Self.range.contains(seconds) else {
            throw .invalidDocument("the interval of a channel", reason: "it is a minute (60 s) to a week (604800 s)")
        }
        guard (0...Self.range.upperBound).contains(jitter ?? 0) else {
            throw .invalidDocument("the jitter of a channel", reason: "it is 0 to 604800 seconds")
        }
        self.seconds = seconds
        self.jitter = jitter ?? seconds / 10
    }

    /// Such as `every 15 min, up to 90 s later`.
    package var text: String { "every \(Self.text(seconds)), up to \(Self.text(jitter)) later" }

    /// In the largest unit that it is a multiple of.
    private static func text(_ seconds: Int) -> String {
        for (size, name) in [(86_400, "d"), (3_600, "h"), (60, "min")] where seconds >= size && seconds % size == 0 {
            return "\(seconds / size) \(name)"
        }
        return "\(seconds) s"
    }
}
