import Foundation
import PackFormat

/// How pages write numbers and times.
enum Words {
    /// Such as `2026-11-25 01:10`.
    static func date(_ date: Date) -> String {
        let text = date.formatted(.iso8601)
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
    }

    /// - Parameter seconds: since 1970.
    static func date(_ seconds: Int) -> String { date(Date(timeIntervalSince1970: Double(seconds))) }

    /// With spaces between thousands: `1 234 567`.
    static func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "\u{202F}" }
            text.append(digit)
        }
        return number < 0 ? "\u{2212}\(text)" : text
    }

    static func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(count(number)) \(number == 1 ? singular : plural ?? "\(singular)s")"
    }

    /// In powers of 1000: `1.5 MB`.
    static func bytes(_ count: Int) -> String {
        let magnitude = Double(count.magnitude)
        let sign = count < 0 ? "\u{2212}" : ""
        for (unit, factor) in [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)] where magnitude >= factor {
            let value = magnitude / factor
            return "\(sign)\(value >= 100 ? String(Int(value.rounded())) : tenths(value)) \(unit)"
        }
        return "\(sign)\(count.magnitude) B"
    }

    /// A change of a size, always with its sign.
    static func change(_ count: Int) -> String { count > 0 ? "+\(bytes(count))" : bytes(count) }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
