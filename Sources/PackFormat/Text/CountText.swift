/// How people read a count: `1 device`, `2 devices`, `50,000 devices`.
package enum CountText {
    /// - Parameter plural: nil for the noun with an s.
    package static func text(_ count: Int, _ noun: String, plural: String? = nil) -> String {
        "\(number(count)) \(count == 1 ? noun : plural ?? noun + "s")"
    }

    /// `first`, `second`, `third`, then `4th`, `21st`.
    /// - Parameter place: from 1.
    package static func ordinal(_ place: Int) -> String {
        if (1...3).contains(place) { return ["first", "second", "third"][place - 1] }
        let ending =
            switch (place % 10, place % 100) {
            case (1, let tens) where tens != 11: "st"
            case (2, let tens) where tens != 12: "nd"
            case (3, let tens) where tens != 13: "rd"
            default: "th"
            }
        return number(place) + ending
    }

    /// Such as `12 %`, or `0.4 %` below ten and `99.6 %` above 99; `–` of nothing.
    package static func share(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "–" }
        let percent = Double(part) * 100 / Double(whole)
        if percent == 0 || percent >= 10 && percent <= 99 || percent >= 100 { return "\(Int(percent.rounded())) %" }
        // Never a tenth that is none or all.
        let tenths = min(max(Int((percent * 10).rounded()), 1), 999)
        return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
    }

    /// The number with a comma between thousands.
    package static func number(_ count: Int) -> String {
        let digits = String(count.magnitude)
        var text = count < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
