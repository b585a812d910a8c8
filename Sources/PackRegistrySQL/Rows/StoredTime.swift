package import Foundation
import PackSystem

/// Times as text: `2026-11-25 00:47:42.123`, in UTC, to the millisecond. Texts are in the order of their times.
package enum StoredTime {
    package static func text(_ date: Date) -> String {
        let (days, rest) = Int((date.timeIntervalSince1970 * 1000 + 0.01).rounded(.down)).dividedWithFloor(
            by: 86_400_000)
        let (year, month, day) = CivilCalendar.date(days: days)
        let (seconds, milliseconds) = (rest / 1000, rest % 1000)
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { pad($0, 2) }.joined(separator: ":")
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2)) \(time).\(pad(milliseconds, 3))"
    }

    /// nil for what is not such a text.
    package static func date(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? {
            guard range.upperBound <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return value
        }
        guard bytes.count >= 19, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let year = number(0..<4), let month = number(5..<7), (1...12).contains(month), let day = number(8..<10),
            (1...31).contains(day), let hour = number(11..<13), hour < 24, let minute = number(14..<16), minute < 60,
            let second = number(17..<19), second < 61
        else { return nil }
        var fraction = 0.0
        if bytes.count > 20, bytes.count <= 29, bytes[19] == UInt8(ascii: ".") {
            guard let digits = number(20..<bytes.count) else { return nil }
            fraction = Double(digits) / pow(10, Double(bytes.count - 20))
        }
        let days = CivilCalendar.days(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    private static func pad(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
