/// A number of bytes in the forms that people write in a budget: `250000`, `"250 kB"`, `"1.5 MiB"`.
package enum ByteCount {
    private static let units: [(String, Int)] = [
        ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("kb", 1000), ("mb", 1_000_000), ("gb", 1_000_000_000),
        ("b", 1),
    ]

    /// Nil if the text is not a size.
    package static func parse(_ text: String) -> Int? {
        let lower = text.lowercased()
        guard let (unit, factor) = units.first(where: { lower.hasSuffix($0.0) }) else {
            return Int(lower).flatMap { $0 < 0 ? nil : $0 }
        }
        let number = lower.dropLast(unit.count).filter { $0 != " " }
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first.flatMap({ Int($0) }), whole >= 0, whole <= 1 << 30 else { return nil }
        guard parts.count == 2 else { return whole * factor }
        guard (1...6).contains(parts[1].count), let fraction = Int(parts[1]), fraction >= 0 else { return nil }
        let scale = (0..<parts[1].count).reduce(1) { value, _ in value * 10 }
        return whole * factor + fraction * factor / scale
    }

    /// A text such as `1.5 MB`, in powers of 1000.
    package static func text(_ count: Int) -> String {
        let magnitude = count.magnitude
        let sign = count < 0 ? "-" : ""
        for (unit, factor) in [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)] as [(String, UInt)]
        where magnitude >= factor {
            // The whole part is divided first: ten times the largest count has no room in 64 bits.
            let tenths = magnitude / factor * 10 + (magnitude % factor * 10 + factor / 2) / factor
            return tenths >= 1000 ? "\(sign)\(tenths / 10) \(unit)" : "\(sign)\(tenths / 10).\(tenths % 10) \(unit)"
        }
        return "\(sign)\(magnitude) B"
    }
}
