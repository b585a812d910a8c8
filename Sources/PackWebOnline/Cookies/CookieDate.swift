import Foundation

/// Parses the many forms of dates that servers write in cookies (RFC 6265 section 5.1.1).
enum CookieDate {
    static func date(_ text: String) -> Date? {
        var (hour, minute, second): (Int?, Int?, Int?) = (nil, nil, nil)
        var (day, month, year): (Int?, Int?, Int?) = (nil, nil, nil)
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            let token = String(Substring(token))
            if hour == nil, let time = time(token) {
                (hour, minute, second) = time
            } else if day == nil, let number = number(token, digits: 1...2) {
                day = number
            } else if month == nil, let found = months.firstIndex(of: token.prefix(3).lowercased()) {
                month = found + 1
            } else if year == nil, let number = number(token, digits: 2...4) {
                year = number < 70 ? number + 2000 : number < 100 ? number + 1900 : number
            }
        }
        guard let day, let month, let year, let hour, let minute, let second, (1...31).contains(day), year >= 1601,
            hour < 24, minute < 60, second < 60
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = DateComponents(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        guard let date = calendar.date(from: parts), calendar.component(.day, from: date) == day else { return nil }
        return date
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static func time(_ token: String) -> (Int, Int, Int)? {
        let parts = token.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(String(parts[0]), digits: 1...2),
            let minute = number(String(parts[1]), digits: 1...2), let second = number(String(parts[2]), digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// The digits at the token's start; what follows them must be no digit.
    private static func number(_ token: String, digits: ClosedRange<Int>) -> Int? {
        let leading = token.utf8.prefix { (0x30...0x39).contains($0) }
        return digits.contains(leading.count) ? Int(Substring(leading)) : nil
    }
}
