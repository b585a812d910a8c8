/// A pattern in which `*` matches any characters, including none. All other characters match themselves.
struct RuleGlob {
    /// Nil is a star.
    private let pattern: [UInt8?]

    init(_ pattern: String) {
        self.pattern = pattern.utf8.map { $0 == UInt8(ascii: "*") ? nil : $0 }
    }

    /// A pattern for ``RulePath``: its percent-encoding is undone too, so that a path may be written either way in it.
    /// `%2A` stands for itself and is no star.
    init(path pattern: String) {
        self.pattern = RulePath.bytes(of: pattern, cutsSlashes: false).map { byte, wasEncoded in
            byte == UInt8(ascii: "*") && !wasEncoded ? nil : byte
        }
    }

    func matches(_ text: String) -> Bool { matches(Array(text.utf8)) }

    /// Linear but for the last star's restarts: at most pattern times text steps, whatever the input.
    func matches(_ text: [UInt8]) -> Bool {
        var (p, t) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while t < text.count {
            if p < pattern.count, pattern[p] == nil {
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
        return pattern[p...].allSatisfy { $0 == nil }
    }
}
