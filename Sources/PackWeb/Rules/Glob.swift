/// A pattern in which `*` stands for any characters, none included; everything else stands for itself.
struct Glob {
    private let pattern: [UInt8]

    init(_ pattern: String) {
        self.pattern = Array(pattern.utf8)
    }

    /// Linear but for the last star's restarts: at most pattern times text steps, whatever the input.
    func matches(_ text: String) -> Bool {
        let text = Array(text.utf8)
        var (p, t) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while t < text.count {
            if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
                star = (p + 1, t)
                p += 1
            } else if p < pattern.count, pattern[p] == text[t] {
                p += 1
                t += 1
            } else if let last = star {
                (p, t) = (last.pattern, last.text + 1)
                star = (last.pattern, t)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
