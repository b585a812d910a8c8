import PackFormat

/// Finds the release that brought a version to a device. Clients of other systems name the release of nothing, and a
/// channel may offer another one by the time that a version starts.
///
/// A download counts for the release that offers the version now. What happens to the version after it counts for the
/// release of the newest event that the device told of the version before, on the same channel; where it told none, for
/// the release that offers the version now, or for none.
struct BroughtReleases {
    /// In their order.
    private var known: [ReportEvent]

    private init(after earlier: [ReportEvent]) {
        known = earlier
    }

    /// - Parameters:
    ///   - told: in their order, each with the release that offers its version now, if one does.
    ///   - earlier: what the device told before of the package on this channel.
    /// - Returns: the events to store: all but those that were told before, and confirmations that say nothing new.
    static func settled(_ told: [ReportEvent], after earlier: [ReportEvent]) -> [ReportEvent] {
        var releases = BroughtReleases(after: earlier)
        return told.compactMap { releases.settled($0) }
    }

    /// Whether an event follows others of its version. A download begins anew.
    static func followsOthers(_ event: ReportEvent) -> Bool { event.code != .downloaded && event.phase != .download }

    private mutating func settled(_ told: ReportEvent) -> ReportEvent? {
        guard !known.contains(where: { $0.sequence == told.sequence }), !isConfirmed(told) else { return nil }
        var event = told
        if Self.followsOthers(told), let last = newest(of: told), !isReturn(told, since: last) {
            event.release = known[last].release
        }
        known.append(event)
        return event
    }

    /// Whether the version was confirmed since it became active. Some clients confirm it at each start of the app.
    private func isConfirmed(_ event: ReportEvent) -> Bool {
        guard event.code == .confirmed else { return false }
        let active = known.lastIndex { $0.code == .activated && $0.version == event.version }
        return known[(active ?? known.startIndex)...].contains { $0.code == .confirmed && $0.version == event.version }
    }

    private func newest(of event: ReportEvent) -> Int? {
        known.lastIndex { $0.version == event.version && $0.phase != .download }
    }

    /// Whether a release brings the device back to a version that it left and still has, so that it downloads nothing.
    private func isReturn(_ event: ReportEvent, since last: Int) -> Bool {
        guard event.release != nil, event.code == .installed || event.code == .activated else { return false }
        return known[last...].contains { $0.code == .activated && $0.version != event.version }
    }
}
