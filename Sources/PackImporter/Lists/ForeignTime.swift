import Foundation
import PackSystem

/// A time as other systems write it: milliseconds since 1970, or ISO 8601 with any fraction and any zone.
struct ForeignTime: Decodable, Hashable {
    let date: Date

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let milliseconds = try? container.decode(Double.self), let date = Self.date(milliseconds: milliseconds) {
            self.date = date
            return
        }
        let text = try container.decode(String.self)
        guard let date = Self.date(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is not a time such as 2026-11-21T14:37:54Z")
        }
        self.date = date
    }

    /// - Returns: nil for a text that is no time.
    static func date(_ text: String) -> Date? {
        if let milliseconds = Double(text), text.count >= 10 { return date(milliseconds: milliseconds) }
        let form =
            /(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?/
        guard let match = try? form.wholeMatch(in: text) else { return nil }
        let parts = AnyRegexOutput(match).map(\.substring)
        guard parts.count == 9 else { return nil }
        func number(_ text: Substring?) -> Int { text.flatMap { Int($0) } ?? 0 }
        let numbers = parts[1...6].map(number)
        let (year, month, day, hour, minute, second) = (
            numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]
        )
        let (fraction, zone) = (parts[7], parts[8])
        guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60 else { return nil }
        let days = CivilCalendar.days(year: year, month: month, day: day)
        var seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
        if let zone, zone != "Z" {
            let digits = zone.filter(\.isNumber)
            let offset = number(digits.prefix(2)) * 3_600 + number(digits.dropFirst(2)) * 60
            seconds -= zone.hasPrefix("-") ? -offset : offset
        }
        let part = fraction.flatMap { Double("0.\($0)") } ?? 0
        return Date(timeIntervalSince1970: Double(seconds) + part)
    }

    /// Of the years that the text of a time can have.
    private static func date(milliseconds: Double) -> Date? {
        guard milliseconds.isFinite, milliseconds >= 0, milliseconds < 253_402_300_800_000 else { return nil }
        return Date(timeIntervalSince1970: milliseconds / 1_000)
    }
}
