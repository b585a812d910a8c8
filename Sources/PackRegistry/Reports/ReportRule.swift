package import PackFormat
package import PackRegistryAPI

/// Decides which events of a batch are stored. Pure.
package enum ReportRule {
    /// How old an event may be, in seconds: a device drops what it could not send for 7 days.
    private static let oldest = 8 * 86_400
    /// How far a device's clock may be ahead, in seconds.
    private static let newest = 3600

    /// - Parameters:
    ///   - received: seconds since 1970.
    ///   - network: what the addresses of the sender's network have in common.
    /// - Returns: the events to store, and a receipt with those that are dropped.
    package static func judge(
        _ batch: ReportBatch, offered: OfferedVersions, received: Int, network: [UInt8]? = nil
    ) -> (reports: JudgedReports, receipt: ReportReceipt) {
        var receipt = ReportReceipt()
        receipt.unknown = batch.unknownCount
        var events: [ReportEvent] = []
        events.reserveCapacity(batch.events.count)
        // Most events of a batch are about the same version.
        var last: (subject: ReportSubject, offer: OfferedVersions.Offer?)?
        for event in batch.events {
            if last?.subject.isSubject(of: event) != true {
                last = (ReportSubject(event), offered.offer(for: event, on: batch.channel))
            }
            guard let offer = last?.offer else {
                receipt.neverOffered += 1
                continue
            }
            events.append(completed(event, offer, received: received))
        }
        let reports = JudgedReports(
            sender: batch.sender, channel: batch.channel, events: events, received: received, network: network)
        return (reports, receipt)
    }

    /// Adds the size of the zip where the sender does not know it. A clock that is far off gives way to the registry's.
    private static func completed(
        _ event: ReportEvent, _ offer: OfferedVersions.Offer, received: Int
    ) -> ReportEvent {
        let isSound = event.time >= received - oldest && event.time <= received + newest
        let isComplete =
            event.code == .downloaded
            ? event.zipByteCount != nil || offer.zipByteCount == nil
            : event.wireByteCount == nil && event.zipByteCount == nil
        if isSound, isComplete { return event }
        var result = ReportEvent(
            sequence: event.sequence, code: event.code, time: isSound ? event.time : received,
            package: event.package, version: event.version, release: event.release)
        result.phase = event.phase
        result.fault = event.fault
        // Of one code only, so that no installation is counted twice.
        if event.code == .downloaded {
            result.wireByteCount = event.wireByteCount
            result.zipByteCount = event.zipByteCount ?? offer.zipByteCount
        }
        result.web = event.web
        result.facts = event.facts
        return result
    }
}
