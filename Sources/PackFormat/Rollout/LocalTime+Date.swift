#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension LocalTime {
    /// A moment in a time zone.
    public init(_ date: Date, in zone: TimeZone) {
        let second = Int((date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))).rounded(.down))
        let day = (second - Self.modulo(second, 86_400)) / 86_400
        // 1 January 1970 was a Thursday.
        self.init(Weekday.allCases[Self.modulo(day + 3, 7)], minute: Self.modulo(second, 86_400) / 60)
    }

    private static func modulo(_ number: Int, _ divisor: Int) -> Int {
        let rest = number % divisor
        return rest < 0 ? rest + divisor : rest
    }
}
