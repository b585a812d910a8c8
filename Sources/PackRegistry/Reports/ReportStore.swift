package import PackFormat
package import PackRegistryAPI

/// What devices reported: a bounded log of events, and counters that outlive it. It is apart from the registry's rows, so
/// that reports never slow a publication and can be lost without harm.
package protocol ReportStore: Sendable {
    /// Brings what is stored to the present form: a server does that before it answers.
    func prepare() async throws

    /// Whether a device ever reported.
    func isUsed() async throws -> Bool

    /// Stores the events that are not stored yet, and counts them. They are durable when this returns.
    /// - Returns: how many were new.
    func add(_ reports: JudgedReports) async throws -> Int

    /// The counters of a channel, in no order.
    /// - Parameters:
    ///   - from: seconds since 1970; earlier hours are left out.
    ///   - step: seconds, a multiple of 3,600: hours of one step are one count.
    func counts(on channel: ChannelName, package: PackageID?, from: Int, step: Int) async throws -> [ReportCount]

    /// How many devices stand how with each release that became active since `from`, those since `recent` apart from those before.
    /// - Parameters: seconds since 1970.
    func standings(
        on channel: ChannelName, package: PackageID?, from: Int, recent: Int
    ) async throws -> [StandingCount]

    /// What devices said that they have and are, since a day. A device counts with what it said last of a package.
    /// - Parameter day: days since 1970.
    func presences(on channel: ChannelName, package: PackageID?, from day: Int) async throws -> [PresenceCount]

    /// The devices on which a version became active, by network, age and outcome. A device counts once.
    func exposures(_ query: ExposureQuery) async throws -> [ExposureCount]

    /// The stored events of one report id, in the order of their sequence.
    func events(of sender: ReportID) async throws -> [DeviceEvent]

    /// - Returns: how many events were deleted.
    func delete(_ sender: ReportID) async throws -> Int

    /// Removes what is older than the retention says.
    func prune(_ retention: ReportRetention, now: Int) async throws
}

/// What may be stored of one batch.
package struct JudgedReports: Hashable, Sendable {
    package let sender: ReportID
    package let channel: ChannelName
    package let events: [ReportEvent]
    /// Seconds since 1970.
    package let received: Int
    /// What the addresses of the sender's network have in common; nil if it is not known. It is not stored: the store keeps a
    /// number that many networks share.
    package let network: [UInt8]?

    package init(
        sender: ReportID, channel: ChannelName, events: [ReportEvent], received: Int, network: [UInt8]? = nil
    ) {
        self.network = network
        self.sender = sender
        self.channel = channel
        self.events = events
        self.received = received
    }
}

/// A version as one release brought it.
package struct ReportSubject: Hashable, Sendable {
    package let package: PackageID
    package let version: SemanticVersion?
    package let release: String?

    package init(package: PackageID, version: SemanticVersion?, release: String?) {
        self.package = package
        self.version = version
        self.release = release
    }

    package init(_ event: ReportEvent) {
        self.init(package: event.package, version: event.version, release: event.release)
    }

    /// Whether an event is about it. Of thousands of events a second none is copied for that.
    package func isSubject(of event: ReportEvent) -> Bool {
        event.package == package && event.version == version && event.release == release
    }
}

/// The events of one kind in one hour, or in several.
package struct ReportCount: Hashable, Sendable {
    package struct Key: Hashable, Sendable {
        package let subject: ReportSubject
        /// Seconds since 1970, a multiple of 3,600, or of the step in which hours are one count.
        package let hour: Int
        package let code: ReportEvent.Code
        package let phase: ReportEvent.Phase?
        package let fault: ReportEvent.Fault?

        package init(
            subject: ReportSubject, hour: Int, code: ReportEvent.Code, phase: ReportEvent.Phase?,
            fault: ReportEvent.Fault?
        ) {
            self.subject = subject
            self.hour = hour
            self.code = code
            self.phase = phase
            self.fault = fault
        }

        package init(_ event: ReportEvent) {
            self.init(
                subject: ReportSubject(event), hour: event.time - event.time % 3600, code: event.code,
                phase: event.phase, fault: event.fault)
        }
    }

    package let key: Key
    /// The first and the last hour of these events.
    package var first: Int
    package var last: Int
    package var count = 0
    /// Events of which the bytes of the transfer and of a zip are both known, and those bytes.
    package var measured = 0
    package var wireByteCount = 0
    package var zipByteCount = 0
    package var web = WebCounters()

    package init(_ key: Key) {
        self.key = key
        (first, last) = (key.hour, key.hour)
    }

    package mutating func add(_ event: ReportEvent) {
        count += 1
        if let wire = event.wireByteCount, let zip = event.zipByteCount {
            measured += 1
            wireByteCount = wireByteCount.saturatingAdd(wire)
            zipByteCount = zipByteCount.saturatingAdd(zip)
        }
        if let more = event.web { web += more }
    }
}

/// How many devices stand alike with a release.
package struct StandingCount: Hashable, Sendable {
    package enum Outcome: String, Hashable, Sendable {
        case confirmed, failed

        /// What an event says about a release on its device; nil for nothing.
        package init?(_ code: ReportEvent.Code) {
            switch code {
            case .confirmed: self = .confirmed
            case .failed, .rolledBack: self = .failed
            default: return nil
            }
        }
    }

    package let subject: ReportSubject
    /// The time step in which it became active on the first of them, in seconds since 1970.
    package let activated: Int
    package let outcome: Outcome?
    package let devices: Int

    package init(subject: ReportSubject, activated: Int, outcome: Outcome?, devices: Int) {
        self.subject = subject
        self.activated = activated
        self.outcome = outcome
        self.devices = devices
    }
}

/// How long reports are kept.
package struct ReportRetention: Hashable, Sendable {
    /// Shorter would count an event twice that a device sends again: it gives up after 7 days.
    package static let leastDays = 8

    /// Days for events, and for which device stands how.
    package var days = 30
    /// Days for counters.
    package var counterDays = 400
    /// The most events; the oldest go first.
    package var maximumEventCount = 50_000_000

    package init() {}
}
