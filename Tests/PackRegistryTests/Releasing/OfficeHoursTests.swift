import Foundation
import Testing

@testable import PackRegistryAPI

/// Windows of the week on the clock of a place.
struct OfficeHoursTests {
    private static func date(_ text: String) throws -> Date { try WireTime.date(text, field: "date") }

    private static func hours(_ zone: String, _ days: Set<OfficeHours.Day>, _ from: Int, _ to: Int) throws
        -> OfficeHours
    {
        try OfficeHours(zone: zone, windows: [OfficeHours.Window(days: days, from: from * 60, to: to * 60)])
    }

    @Test(arguments: [
        // Inside, before, after, over a week-end; Berlin is an hour ahead in winter and two in summer.
        ("2026-11-25T09:30:00Z", "2026-11-25T09:30:00Z"), ("2026-11-25T07:59:59Z", "2026-11-25T08:00:00Z"),
        ("2026-11-25T15:59:59Z", "2026-11-25T15:59:59Z"), ("2026-11-25T16:00:00Z", "2026-11-26T08:00:00Z"),
        ("2026-11-27T16:00:00Z", "2026-11-30T08:00:00Z"),
        // The clock changes on the last Sundays of March and October.
        ("2026-03-27T20:00:00Z", "2026-03-30T07:00:00Z"), ("2026-10-23T20:00:00Z", "2026-10-26T08:00:00Z"),
    ])
    func `the next moment in office hours is on the clock of the place`(from: String, expected: String) throws {
        let hours = try Self.hours("Europe/Berlin", [.monday, .tuesday, .wednesday, .thursday, .friday], 9, 17)
        #expect(try hours.next(from: Self.date(from)) == Self.date(expected))
        #expect(try hours.contains(Self.date(from)) == (from == expected))
    }

    @Test func `a moment in office hours is itself, whatever parts of a second it has`() throws {
        let always = try Self.hours("UTC", Set(OfficeHours.Day.allCases), 0, 24)
        for number in 0..<1_000 {
            let date = Date(timeIntervalSinceReferenceDate: 817_000_000 + Double(number) * 0.000_123_7)
            #expect(always.next(from: date) == date && always.contains(date), "\(date.timeIntervalSinceReferenceDate)")
        }
    }

    @Test
    func
        `a window in the hour that a day does not have is open the next week, and one that it has twice is open twice`()
        throws
    {
        let night = try Self.hours("Europe/Berlin", [.sunday], 2, 3)
        // 2026-03-29: after 01:59:59 comes 03:00.
        #expect(try night.next(from: Self.date("2026-03-28T12:00:00Z")) == Self.date("2026-04-05T00:00:00Z"))
        // 2026-10-25: 02:00 to 03:00 comes twice, at 00:00 and 01:00 UTC.
        #expect(try night.next(from: Self.date("2026-10-24T12:00:00Z")) == Self.date("2026-10-25T00:00:00Z"))
        #expect(try night.contains(Self.date("2026-10-25T01:30:00Z")))
        #expect(try night.next(from: Self.date("2026-10-25T02:00:00Z")) == Self.date("2026-11-01T01:00:00Z"))
    }

    @Test(arguments: ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"])
    func `next is the first minute at which a calendar shows a time in a window`(zone: String) throws {
        let hours = try OfficeHours(
            zone: zone,
            windows: [
                OfficeHours.Window(days: [.saturday, .sunday], from: 90, to: 150),
                OfficeHours.Window(days: [.sunday, .wednesday], from: 1_380, to: 1_440),
            ])
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        func isOpen(_ date: Date) -> Bool {
            let parts = calendar.dateComponents([.weekday, .hour, .minute], from: date)
            let minute = (parts.hour ?? 0) * 60 + (parts.minute ?? 0)
            return ([1, 7].contains(parts.weekday) && (90..<150).contains(minute))
                || ([1, 4].contains(parts.weekday) && (1_380..<1_440).contains(minute))
        }
        // Around each change of a clock of 2026, minute by minute.
        for start in ["2026-03-07T00:00:00Z", "2026-03-28T00:00:00Z", "2026-04-04T00:00:00Z", "2026-10-24T00:00:00Z"] {
            var date = try Self.date(start)
            var closed: [Date] = []
            for _ in 0..<(4 * 1_440) {
                let next = hours.next(from: date)
                if isOpen(date) {
                    #expect(next == date, "\(zone) \(date)")
                    closed.forEach { #expect(hours.next(from: $0) == date, "\(zone) \($0)") }
                    closed = []
                } else {
                    #expect(next > date, "\(zone) \(date)")
                    if closed.count < 3 { closed.append(date) }
                }
                date += 60
            }
        }
    }
}
