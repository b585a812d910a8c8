import PackSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The one date form of TUF metadata: `YYYY-MM-DDTHH:MM:SSZ` (§4.1), parsed and formatted without locale or time
/// zone.
enum MetadataDate {
    static func date(from text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard bytes.count == 20 else { return nil }
        for (position, mark) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "Z")]
            as [(Int, Unicode.Scalar)]
        {
            guard bytes[position] == UInt8(ascii: mark) else { return nil }
        }
        func number(_ range: Range<Int>) -> Int? {
            var value = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            year > 0, (1...12).contains(month), (1...CivilCalendar.dayCount(ofMonth: month, year: year)).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let days = CivilCalendar.days(year: year, month: month, day: day)
        return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3_600 + minute * 60 + second))
    }

    static func text(of date: Date) -> String {
        // Beyond the years that four digits can write, the nearest one is written: nothing may trap on a date.
        let seconds = Int(max(-62_135_596_800, min(253_402_300_799, date.timeIntervalSince1970.rounded(.down))))
        let (days, rest) = seconds.dividedWithFloor(by: 86_400)
        let (year, month, day) = CivilCalendar.date(days: days)
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let dayText = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        return "\(dayText)T\(padded(rest / 3_600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))Z"
    }
}
