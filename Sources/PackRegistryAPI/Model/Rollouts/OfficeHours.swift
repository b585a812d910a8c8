package import Foundation

/// When a plan may give a release to more devices: windows of the week on the clock of one time zone.
///
/// A window is open while the zone's clock shows a time in it. So it is an hour shorter or longer on the day on which clocks
/// change inside of it.
package struct OfficeHours: Hashable, Sendable {
    package static let maximumWindowCount = 50

    package enum Day: String, Hashable, Sendable, CaseIterable {
        case monday = "mon"
        case tuesday = "tue"
        case wednesday = "wed"
        case thursday = "thu"
        case friday = "fri"
        case saturday = "sat"
        case sunday = "sun"

        /// 0 for Monday.
        var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    package struct Window: Hashable, Sendable {
        package let days: Set<Day>
        /// Minutes since midnight on the clock; from 0.
        package let from: Int
        /// Not in the window any more; to 1,440.
        package let to: Int

        /// - Throws: ``FieldFault``
        package init(days: Set<Day>, from: Int, to: Int) throws(FieldFault) {
            guard !days.isEmpty else { throw FieldFault("days", "it names no day") }
            guard from < to else {
                throw FieldFault(
                    "to", "it is not after \"from\"; a night is two windows, one to 24:00 and one from 00:00")
            }
            self.days = days
            self.from = from
            self.to = to
        }
    }

    /// Of the IANA data base, such as `Europe/Berlin`.
    package let zone: TimeZone
    package let windows: [Window]
    /// Seconds since the week's beginning, by their beginnings.
    private let intervals: [Range<Int>]

    private static let day = 86_400
    private static let week = 7 * day

    /// - Throws: ``FieldFault`` for a zone that is not known, and for windows that overlap.
    package init(zone name: String, windows: [Window]) throws(FieldFault) {
        // Abbreviations and offsets, which Foundation knows too, have no daylight saving.
        let isName = name.contains("/") || name == "UTC" || name == "GMT"
        guard isName, name.utf8.count <= 64, let zone = TimeZone(identifier: name) else {
            throw FieldFault(
                "zone", "\"\(name.prefix(64))\" is not known: a time zone is UTC or a name such as Europe/Berlin (IANA)"
            )
        }
        guard (1...Self.maximumWindowCount).contains(windows.count) else {
            throw FieldFault("windows", "it has \(windows.count) windows: 1 to \(Self.maximumWindowCount) are allowed")
        }
        let all = windows.enumerated().flatMap { index, window in
            window.days.map { (index, $0.index * Self.day + window.from * 60..<$0.index * Self.day + window.to * 60) }
        }.sorted { $0.1.lowerBound < $1.1.lowerBound }
        for (first, second) in zip(all, all.dropFirst()) where first.1.upperBound > second.1.lowerBound {
            let (low, high) = (min(first.0, second.0), max(first.0, second.0))
            throw FieldFault("windows[\(high)]", "it overlaps windows[\(low)]")
        }
        self.zone = zone
        self.windows = windows
        intervals = all.map(\.1)
    }

    /// The first moment, not before another, that is in a window.
    package func next(from start: Date) -> Date {
        var moment = start.timeIntervalSince1970
        // Two changes of the clock within a week would be one more round.
        for _ in 0..<8 {
            let offset = offset(at: moment)
            let pause = wait(at: moment + offset)
            // The seconds since 1970 are not exactly those of the date: made of them, it could be a little later than now.
            if pause == 0, moment == start.timeIntervalSince1970 { return start }
            let found = moment + pause
            guard self.offset(at: found) != offset else { return Date(timeIntervalSince1970: found) }
            moment = change(after: moment, before: found, from: offset)
        }
        return Date(timeIntervalSince1970: moment)
    }

    package func contains(_ date: Date) -> Bool { next(from: date) == date }

    private func offset(at moment: Double) -> Double {
        Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: moment)))
    }

    /// Seconds until a clock that goes on evenly shows a time in a window.
    /// - Parameter local: seconds since 1970 on the zone's clock.
    private func wait(at local: Double) -> Double {
        // 1970 began on a Thursday.
        let shifted = local + Double(3 * Self.day)
        let inWeek = shifted - (shifted / Double(Self.week)).rounded(.down) * Double(Self.week)
        for interval in intervals where inWeek < Double(interval.upperBound) {
            return max(0, Double(interval.lowerBound) - inWeek)
        }
        return Double(Self.week + (intervals.first?.lowerBound ?? 0)) - inWeek
    }

    /// The whole second at which the clock changes, between one that has the old offset and one that has another.
    private func change(after start: Double, before end: Double, from offset: Double) -> Double {
        var (low, high) = (start.rounded(.down), end.rounded(.up))
        while high - low > 1 {
            let middle = ((low + high) / 2).rounded(.down)
            if self.offset(at: middle) == offset { low = middle } else { high = middle }
        }
        return high
    }
}

extension TimeZone {
    /// What a plan calls the zone: Foundation gives UTC the name GMT.
    package var planName: String { identifier == "GMT" ? "UTC" : identifier }
}
