import Foundation

/// How many of some devices failed, and where the share of all devices surely lies.
package struct FailureCount: Hashable, Sendable {
    package let failures: Int
    package let devices: Int

    package init(_ failures: Int, of devices: Int) {
        self.failures = failures
        self.devices = devices
    }

    package var share: Double { devices > 0 ? Double(failures) / Double(devices) : 0 }

    /// The score interval of a proportion.
    ///
    /// Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    /// - Parameter z: how many standard errors wide to each side.
    package func interval(z: Double) -> (low: Double, high: Double) {
        guard devices > 0 else { return (0, 1) }
        let count = Double(devices)
        let square = z * z / count
        let middle = (share + square / 2) / (1 + square)
        let half = z * (share * (1 - share) / count + square / (4 * count)).squareRoot() / (1 + square)
        // At its ends rounding would leave what is exactly 0 or 1.
        return (failures == 0 ? 0 : max(0, middle - half), failures == devices ? 1 : min(1, middle + half))
    }
}

/// By how much the share of failures of one version is larger than that of another, between two bounds.
///
/// Source: R. G. Newcombe, "Interval estimation for the difference between independent proportions", 1998, method 10.
package struct FailureDifference: Hashable, Sendable {
    package let low: Double
    package let high: Double

    package init(_ new: FailureCount, over old: FailureCount, z: Double) {
        self.init(new, old.share, old.interval(z: z), z: z)
    }

    /// Over a share that is taken as known.
    package init(_ new: FailureCount, over share: Double, z: Double) {
        self.init(new, share, (share, share), z: z)
    }

    private init(_ new: FailureCount, _ share: Double, _ old: (low: Double, high: Double), z: Double) {
        let interval = new.interval(z: z)
        let difference = new.share - share
        func length(_ first: Double, _ second: Double) -> Double { (first * first + second * second).squareRoot() }
        low = difference - length(new.share - interval.low, old.high - share)
        high = difference + length(interval.high - new.share, share - old.low)
    }
}
