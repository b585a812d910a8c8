/// Days of the Gregorian calendar, before its introduction too (ISO 8601), without locale and time zone. Counted by
/// eras of 400 years that begin on 1 March, so that a leap day is the last of its year.
package enum CivilCalendar {
    private static let daysOfEra = 146_097
    /// From 1 March of the year 0 to 1970-01-01.
    private static let daysBefore1970 = 719_468

    /// Days since 1970-01-01; negative before it. A day beyond the month's last counts on.
    /// - Parameter month: from 1 to 12.
    package static func days(year: Int, month: Int, day: Int) -> Int {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).dividedWithFloor(by: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * daysOfEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - daysBefore1970
    }

    /// The date of a day, counted from 1970-01-01.
    package static func date(days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (days + daysBefore1970).dividedWithFloor(by: daysOfEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthIndex + 2) / 5 + 1)
    }

    /// How many days a month has.
    package static func dayCount(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: (year.isMultiple(of: 4) && !year.isMultiple(of: 100)) || year.isMultiple(of: 400) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int {
    /// Rounds the quotient down, so that the remainder is never negative.
    package func dividedWithFloor(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
