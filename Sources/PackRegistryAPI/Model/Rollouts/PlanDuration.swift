/// A length of time as plans write it: `30m`, `4h`, `1d12h`, `2w`. A day has 24 hours.
package struct PlanDuration: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let hour = PlanDuration(unchecked: 3_600)
    package static let day = PlanDuration(unchecked: 86_400)
    /// One year.
    package static let maximumSeconds = 366 * 86_400

    private static let units: [(letter: Character, seconds: Int)] = [
        ("w", 604_800), ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1),
    ]

    /// 1 to ``maximumSeconds``.
    package let seconds: Int

    /// Numbers with units, the largest unit first, each once.
    /// - Throws: ``FieldFault`` without a place.
    package init(_ text: String) throws(FieldFault) {
        let refusal = FieldFault("", "\"\(text.prefix(40))\" is no time: write 30m, 4h, 1d12h or 2w (s, m, h, d and w)")
        var seconds = 0
        var digits = ""
        var left = Self.units[...]
        for character in text {
            if character.isASCII, character.isNumber, digits.count < 9 {
                digits.append(character)
                continue
            }
            guard let index = left.firstIndex(where: { $0.letter == character }), let count = Int(digits) else {
                throw refusal
            }
            seconds += count * left[index].seconds
            left = left[(index + 1)...]
            digits = ""
        }
        guard digits.isEmpty, seconds > 0 else { throw refusal }
        guard seconds <= Self.maximumSeconds else { throw FieldFault("", "\"\(text)\" is longer than a year") }
        self.seconds = seconds
    }

    /// nil for less than a second.
    package init?(seconds: Int) {
        guard seconds > 0 else { return nil }
        self.seconds = seconds
    }

    private init(unchecked seconds: Int) { self.seconds = seconds }

    package var description: String {
        var rest = seconds
        return Self.units.reduce(into: "") { text, unit in
            // Two weeks are said as such; eight days are days.
            guard unit.letter != "w" || rest % unit.seconds == 0 else { return }
            if rest >= unit.seconds { text += "\(rest / unit.seconds)\(unit.letter)" }
            rest %= unit.seconds
        }
    }

    package static func < (left: PlanDuration, right: PlanDuration) -> Bool { left.seconds < right.seconds }
}
