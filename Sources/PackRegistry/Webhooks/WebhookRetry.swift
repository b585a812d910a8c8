package import Foundation

/// When a delivery that failed is tried again.
package enum WebhookRetry {
    /// Seconds; after the last the delivery is dead: about two days after the event.
    package static let pauses: [Double] = [10, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400]

    /// - Parameters:
    ///   - attempts: how many failed so far, 1 or more.
    ///   - jitter: 0 to 1, so that a receiver that comes back is not met by all at once.
    /// - Returns: nil if it is given up.
    package static func next(after attempts: Int, now: Date, jitter: Double) -> Date? {
        guard attempts >= 1, attempts <= pauses.count else { return nil }
        return now.addingTimeInterval(pauses[attempts - 1] * (1 + 0.2 * jitter))
    }
}
