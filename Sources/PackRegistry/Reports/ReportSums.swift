package import PackFormat

/// What events add to the counters, summed up first, so that a crowd that reports the same costs one row and not thousands.
package struct ReportSums {
    /// As `ReportCount.Key`, with numbers: a hash of names for each event would cost more than its part of a row.
    private struct Key: Hashable {
        let subject: Int
        let hour: Int
        let kind: Int

        init(_ event: ReportEvent, _ subject: Int) {
            self.subject = subject
            hour = event.time - event.time % 3600
            kind = EventLog.kind(of: event)
        }
    }

    private var counts: [Key: ReportCount] = [:]

    package init() {}

    /// - Parameter subject: the number of the row that says what the event is about.
    package mutating func add(_ event: ReportEvent, subject: Int) {
        counts[Key(event, subject), default: ReportCount(ReportCount.Key(event))].add(event)
    }

    package var all: [(subject: Int, sum: ReportCount)] { counts.map { ($0.key.subject, $0.value) } }
}
