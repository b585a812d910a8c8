import Foundation

/// The time in the field `Date` (RFC 9110 section 5.6.7, IMF-fixdate).
enum HTTPTime {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func parse(_ text: String) -> Date? {
        guard
            let match = text.wholeMatch(
                of: /[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT/),
            let month = months.firstIndex(of: String(match.2))
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(
            from: DateComponents(
                year: Int(match.3), month: month + 1, day: Int(match.1), hour: Int(match.4), minute: Int(match.5),
                second: Int(match.6)))
    }
}
