import PackSystem
import Testing

struct CivilCalendarTests {
    /// Every 400 years have the same days.
    @Test func `all days from 1600 to 2400 follow each other, as months have days`() {
        var days = CivilCalendar.days(year: 1600, month: 1, day: 1)
        for year in 1600..<2400 {
            for month in 1...12 {
                for day in 1...CivilCalendar.dayCount(ofMonth: month, year: year) {
                    #expect(CivilCalendar.days(year: year, month: month, day: day) == days)
                    #expect(CivilCalendar.date(days: days) == (year, month, day))
                    days += 1
                }
            }
        }
        #expect(days - CivilCalendar.days(year: 1600, month: 1, day: 1) == 2 * 146_097)
    }

    @Test(arguments: [(1900, 28), (2000, 29), (2100, 28), (2023, 28), (2024, 29), (2026, 28), (2400, 29)])
    func `February has 29 days in leap years, and a century is one every 400 years`(year: Int, days: Int) {
        #expect(CivilCalendar.dayCount(ofMonth: 2, year: year) == days)
        let first = CivilCalendar.days(year: year, month: 2, day: 1)
        #expect(CivilCalendar.days(year: year, month: 3, day: 1) - first == days)
        #expect(CivilCalendar.date(days: first + 28) == (year, days == 29 ? 2 : 3, days == 29 ? 29 : 1))
    }

    /// From `date -ud 2026-11-29 +%s`, divided by 86,400.
    @Test(arguments: [
        (1970, 1, 1, 0), (1969, 12, 31, -1), (1900, 3, 1, -25_508), (2000, 2, 29, 11_016), (2000, 3, 1, 11_017),
        (2026, 11, 29, 20_786), (2100, 3, 1, 47_541), (1, 1, 1, -719_162), (9999, 12, 31, 2_932_896),
    ])
    func `a day has the number that the system gives it`(year: Int, month: Int, day: Int, days: Int) {
        #expect(CivilCalendar.days(year: year, month: month, day: day) == days)
        #expect(CivilCalendar.date(days: days) == (year, month, day))
    }

    @Test func `a day beyond the month's last counts on`() {
        #expect(
            CivilCalendar.days(year: 2026, month: 2, day: 31) == CivilCalendar.days(year: 2026, month: 3, day: 3))
    }
}
