import PackFormat
package import PackRegistryAPI

/// A version that crashes before it can report is the case that matters: a device on which a version became active, and
/// was neither confirmed nor failed within the window, counts as a failure. Pure.
package struct SilenceRule: Hashable, Sendable {
    /// Seconds.
    package let window: Int

    package init(window: Int) {
        self.window = window
    }

    /// Adds devices to the numbers of their version.
    /// - Parameter now: seconds since 1970.
    package func add(_ standing: StandingCount, to version: inout ReportStats.Version, now: Int) {
        version.activated += standing.devices
        switch standing.outcome {
        case .confirmed: version.confirmed += standing.devices
        case .failed: version.failed += standing.devices
        // Reported times are rounded down. One more step gives every device its full window.
        case nil where now - standing.activated > window + ReportEvent.timeStep: version.silent += standing.devices
        case nil: version.waiting += standing.devices
        }
    }
}
