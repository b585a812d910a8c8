import PackFormat

/// A range of versions as npm's semver writes it, which CodePush uses for the app's version: `1.2.x`, `^1.2.3`,
/// `>=1.2.0 <1.4.0`, `1.2.0 - 1.4.0`.
///
/// A part that is left out, or `x`, stands for all. The end of such a range is written `<1.3.0-0`, because pre-releases
/// of 1.3.0 are none of 1.2.
struct NodeRange {
    /// nil: every version.
    let range: VersionRange?

    private struct Partial {
        var numbers: [UInt64] = []
        var prerelease = ""

        /// The version with zeros for what is left out.
        var text: String { Self.text(numbers + Array(repeating: 0, count: 3 - numbers.count)) + prerelease }
        var isFull: Bool { numbers.count == 3 }

        /// The first version after all that have these numbers up to a place.
        func next(after place: Int) -> String? {
            var raised = Array(numbers.prefix(place + 1))
            guard let last = raised.last, last < UInt64.max else { return nil }
            raised[raised.count - 1] = last + 1
            return Self.text(raised + Array(repeating: 0, count: 3 - raised.count)) + "-0"
        }

        private static func text(_ numbers: [UInt64]) -> String { numbers.map(String.init).joined(separator: ".") }
    }

    /// - Throws: ``ImportError`` for several ranges (`||`), and for what is no range.
    init(_ text: String, place: String) throws(ImportError) {
        guard !text.contains("||") else { throw .alternatives(range: text, place: place) }
        guard let words = Self.words(text) else { throw .invalidRange(range: text, place: place) }
        guard !words.isEmpty else {
            range = nil
            return
        }
        do { range = try VersionRange(words.joined(separator: " ")) } catch {
            throw .invalidRange(range: text, place: place)
        }
    }

    /// The comparisons; nil for a text that is no range.
    private static func words(_ text: String) -> [String]? {
        var parts: [String] = []
        for part in text.split(whereSeparator: \.isWhitespace).map(String.init) {
            // `>= 1.2.0` is `>=1.2.0`.
            if let last = parts.last, !last.isEmpty, last.allSatisfy({ "<>=~^".contains($0) }) {
                parts[parts.count - 1] = last + part
            } else {
                parts.append(part)
            }
        }
        if parts.count == 3, parts[1] == "-" {
            guard let low = bounds(">=" + parts[0]), let high = bounds("<=" + parts[2]) else { return nil }
            return low + high
        }
        var words: [String] = []
        for part in parts {
            guard let found = bounds(part) else { return nil }
            words += found
        }
        return words
    }

    /// The comparisons of one word; none for every version.
    private static func bounds(_ word: String) -> [String]? {
        let operation = [">=", "<=", "~>", ">", "<", "=", "~", "^"].first { word.hasPrefix($0) } ?? ""
        guard let version = partial(word.dropFirst(operation.count)) else { return nil }
        // All versions, or none.
        if version.numbers.isEmpty { return operation == ">" || operation == "<" ? nil : [] }
        let last = version.numbers.count - 1
        switch operation {
        case ">=": return [">=\(version.text)"]
        case "<": return ["<\(version.text)\(version.isFull ? "" : "-0")"]
        case "<=":
            return version.isFull ? ["<=\(version.text)"] : version.next(after: last).map { ["<\($0)"] }
        case ">":
            return version.isFull
                ? [">\(version.text)"] : version.next(after: last).map { [">=\($0.dropLast(2))"] }
        case "~", "~>": return between(version, version.next(after: min(last, 1)))
        case "^":
            // The first number that is not 0 stays.
            let kept = version.numbers.firstIndex { $0 != 0 } ?? last
            return between(version, version.next(after: kept))
        default: return version.isFull ? ["=\(version.text)"] : between(version, version.next(after: last))
        }
    }

    private static func between(_ version: Partial, _ end: String?) -> [String]? {
        end.map { [">=\(version.text)", "<\($0)"] }
    }

    private static func partial(_ text: Substring) -> Partial? {
        var text = text
        if text.first == "v" || text.first == "=" { text.removeFirst() }
        let core = text.prefix { $0 != "-" && $0 != "+" }
        var partial = Partial()
        let parts = core.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var isOpen = false
        for part in parts {
            if ["x", "X", "*"].contains(part) {
                isOpen = true
            } else {
                guard !isOpen, let number = UInt64(part) else { return nil }
                partial.numbers.append(number)
            }
        }
        let suffix = text.dropFirst(core.count).prefix { $0 != "+" }
        guard suffix.isEmpty || partial.isFull else { return nil }
        partial.prerelease = String(suffix)
        return partial
    }
}
