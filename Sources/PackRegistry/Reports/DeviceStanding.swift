package import PackFormat

/// How a device stands with a release. Events may come out of order: each says its part. A failure after a confirmation counts, and
/// no confirmation undoes a failure.
package struct DeviceStanding: Hashable, Sendable {
    /// Seconds since 1970.
    package var activated: Int?
    package var outcome: StandingCount.Outcome?
    /// The number of the device's network (``NetworkNumbers``).
    package var network: Int?

    package init(activated: Int? = nil, outcome: StandingCount.Outcome? = nil, network: Int? = nil) {
        self.activated = activated
        self.outcome = outcome
        self.network = network
    }

    /// What an event says; nil for nothing.
    package init?(_ event: ReportEvent) {
        self.init()
        if event.code == .activated {
            activated = event.time
        } else if let outcome = StandingCount.Outcome(event.code) {
            self.outcome = outcome
        } else {
            return nil
        }
    }

    package mutating func add(_ later: DeviceStanding) {
        activated = activated ?? later.activated
        if outcome != .failed { outcome = later.outcome ?? outcome }
        network = network ?? later.network
    }
}
