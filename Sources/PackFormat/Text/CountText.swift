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
