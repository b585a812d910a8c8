/// The days and hours in which a device may take a release, by its own clock and time zone.
///
/// A window that ends after midnight belongs to the day on which it begins: `mon-fri 22:00-05:00` includes Saturday, 02:00.
public struct LocalWindow: Hashable, Sendable, CustomStringConvertible {
    public let days: Set<Weekday>
    /// Minutes since midnight, 0 to 1,439.
    public let from: Int
    /// Minutes since midnight, exclusive, 1 to 1,440. Not after ``from``: on the next day.
    public let to: Int

    /// - Throws: ``FormatError/invalidWindow(_:reason:)``
    public init(days: Set<Weekday> = Set(Weekday.allCases), from: Int, to: Int) throws(FormatError) {
        func invalid(_ reason: String) -> FormatError { .invalidWindow("\(from)-\(to)", reason: reason) }
        guard !days.isEmpty else { throw invalid("it names no day") }
        guard (0..<1_440).contains(from), (1...1_440).contains(to) else {
            throw invalid("a time is 00:00 to 23:59, and an end is at most 24:00")
        }
        guard from != to else { throw invalid("it ends when it begins; all day is 00:00-24:00") }
        self.days = days
        self.from = from
        self.to = to
    }

    /// Such as `mon-fri 22:00-05:00`, `sat,sun 08:00-20:00`, or `22:00-05:00` for every day.
    /// - Throws: ``FormatError/invalidWindow(_:reason:)``
    public init(_ text: String) throws(FormatError) {
        func invalid(_ reason: String) -> FormatError { .invalidWindow(text, reason: reason) }
        let words = text.split(separator: " ")
        guard (1...2).contains(words.count), let hours = words.last else { throw invalid("it needs days and hours") }
        var days = Set(Weekday.allCases)
        if words.count == 2 {
            days = []
            for range in words[0].split(separator: ",", omittingEmptySubsequences: false) {
                let ends = range.split(separator: "-", omittingEmptySubsequences: false)
                let named = ends.compactMap { Weekday(rawValue: $0.lowercased()) }
                guard named.count == ends.count, (1...2).contains(named.count), let first = named.first,
                    let last = named.last
                else { throw invalid("\"\(range)\" is no day; days are mon, tue, wed, thu, fri, sat, sun") }
                var day = first
                days.insert(day)
                while day != last {
                    day = day.next
                    days.insert(day)
                }
            }
        }
        let times = hours.split(separator: "-", omittingEmptySubsequences: false).map { Self.minutes(String($0)) }
        guard times.count == 2, let from = times[0], let to = times[1] else {
            throw invalid("\"\(hours)\" is no pair of hours, such as 22:00-05:00")
        }
        do { try self.init(days: days, from: from, to: to) } catch {
            guard case .invalidWindow(_, let reason) = error else { throw error }
            throw invalid(reason)
        }
    }

    public func contains(_ time: LocalTime) -> Bool {
        if from < to { return days.contains(time.day) && (from..<to).contains(time.minute) }
        return days.contains(time.day) && time.minute >= from
            || days.contains(time.day.previous) && time.minute < to
    }

    public var description: String {
        let hours = "\(Self.text(from))-\(Self.text(to))"
        return days.count == Weekday.allCases.count ? hours : "\(daysText) \(hours)"
    }

    /// Days that follow each other as a range, from Monday on.
    private var daysText: String {
        var runs: [[Weekday]] = []
        for day in Weekday.allCases where days.contains(day) {
            if let last = runs.last?.last, last.next == day {
                runs[runs.count - 1].append(day)
            } else {
                runs.append([day])
            }
        }
        return runs.map { run in
            run.count > 2
                ? "\(run[0].rawValue)-\(run[run.count - 1].rawValue)" : run.map(\.rawValue).joined(separator: ",")
        }.joined(separator: ",")
    }

    /// nil for what is not `HH:MM`.
    static func minutes(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 2, (1...2).contains(parts[0].utf8.count),
            parts.joined().utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= 1_440
        else { return nil }
        return hour * 60 + minute
    }

    static func text(_ minutes: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(minutes / 60)):\(two(minutes % 60))"
    }
}

public enum Weekday: String, Hashable, Sendable, CaseIterable {
    case mon, tue, wed, thu, fri, sat, sun

    var next: Weekday { Self.allCases[(index + 1) % 7] }
    var previous: Weekday { Self.allCases[(index + 6) % 7] }

    private var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A moment as the clock on the wall shows it.
public struct LocalTime: Hashable, Sendable {
    public let day: Weekday
    /// Since midnight, 0 to 1,439.
    public let minute: Int

    public init(_ day: Weekday, minute: Int) {
        self.day = day
        self.minute = minute
    }
}
