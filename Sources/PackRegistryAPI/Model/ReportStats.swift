package import PackFormat

/// What the devices of a channel reported. Times are seconds since 1970.
package struct ReportStats: Hashable, Sendable {
    /// One release of one version: how many devices took it, and what became of it there.
    package struct Version: Hashable, Sendable {
        package let package: PackageID
        package let version: SemanticVersion
        /// Nil for what came with the app.
        package let release: String?
        /// Devices on which it became active.
        package var activated = 0
        package var confirmed = 0
        package var failed = 0
        /// Devices on which it became active and was neither confirmed nor failed within the window.
        package var silent = 0
        /// As ``silent``, while the window is not over.
        package var waiting = 0
        package var series: [Point] = []

        package init(package: PackageID, version: SemanticVersion, release: String?) {
            self.package = package
            self.version = version
            self.release = release
        }
    }

    /// The events in one step of time.
    package struct Point: Hashable, Sendable {
        package let time: Int
        package var activated = 0
        package var confirmed = 0
        package var failed = 0

        package init(time: Int) {
            self.time = time
        }
    }

    package struct Failure: Hashable, Sendable {
        package let package: PackageID
        package let version: SemanticVersion
        package let release: String?
        package let phase: ReportEvent.Phase?
        package let fault: ReportEvent.Fault?
        package var count = 0
        /// The hours in which it occurred first and last.
        package var first: Int
        package var last: Int

        package init(
            package: PackageID, version: SemanticVersion, release: String?, phase: ReportEvent.Phase?,
            fault: ReportEvent.Fault?, first: Int
        ) {
            self.package = package
            self.version = version
            self.release = release
            self.phase = phase
            self.fault = fault
            self.first = first
            last = first
        }
    }

    /// What updates cost, against what zips of the same versions would have cost. Only installations count of which both
    /// are known.
    package struct Savings: Hashable, Sendable {
        package var installations = 0
        package var wireByteCount = 0
        package var zipByteCount = 0

        package init() {}
    }

    package let channel: ChannelName
    package let from: Int
    package let to: Int
    /// Seconds between two points of a series: an hour or a day.
    package let step: Int
    /// Seconds that a version has to be confirmed in before its silence counts as a failure.
    package let window: Int
    package var versions: [Version] = []
    package var failures: [Failure] = []
    package var savings = Savings()
    package var sessions = 0
    package var web = WebCounters()
    /// Of now, whatever ``from`` says.
    package var population = ReportPopulation()

    /// Whether no device of the channel reported anything.
    package var isEmpty: Bool { versions.isEmpty && sessions == 0 && population.devices == 0 }

    package init(channel: ChannelName, from: Int, to: Int, step: Int, window: Int) {
        self.channel = channel
        self.from = from
        self.to = to
        self.step = step
        self.window = window
    }
}

/// What ``RegistryObserving/stats(_:)`` is to count.
package struct StatsQuery: Hashable, Sendable {
    package static let dayRange = 1...400
    package static let windowHourRange = 1...720

    package var channel: ChannelName
    /// Nil: every package.
    package var package: PackageID?
    package var days: Int
    /// Hours after which silence counts as a failure.
    package var windowHours: Int

    package init(channel: ChannelName, package: PackageID? = nil, days: Int = 30, windowHours: Int = 24) {
        self.channel = channel
        self.package = package
        self.days = days
        self.windowHours = windowHours
    }
}
