/// How people read a count: `1 device`, `2 devices`, `50,000 devices`.
package enum CountText {
    /// - Parameter plural: nil for the noun with an s.
    package static func text(_ count: Int, _ noun: String, plural: String? = nil) -> String {
        "\(number(count)) \(count == 1 ? noun : plural ?? noun + "s")"
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
