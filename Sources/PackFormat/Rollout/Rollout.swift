/// Who gets a release.
public struct Rollout: Hashable, Sendable {
    public static let everyone = Rollout(uncheckedPercent: 100)

    /// The share of devices that is admitted, 0 to 100.
    public let percent: Int

    /// - Throws: ``FormatError/invalidPercent(_:)``
    public init(percent: Int) throws(FormatError) {
        guard (0...100).contains(percent) else { throw .invalidPercent(percent) }
        self.percent = percent
    }

    private init(uncheckedPercent percent: Int) {
        self.percent = percent
    }

    /// Whether a device's bucket is in. A device that is in at 10 % is in at 50 %.
    func admits(bucket: UInt64) -> Bool {
        // bucket / 2^64 < percent / 100, without rounding.
        bucket.multipliedFullWidth(by: 100).high < UInt64(percent)
    }
}
