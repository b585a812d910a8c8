/// Finds `url(…)` and `@import "…"` in a style sheet (CSS Syntax Level 3, as far as URLs need it).
struct CSSScanner {
    private let bytes: UnsafeRawBufferPointer
    private var lines: LineCounter
    private(set) var references: [Reference] = []

    init(_ bytes: UnsafeRawBufferPointer, lines: LineCounter) {
        self.bytes = bytes
        self.lines = lines
    }

    mutating func scan(_ range: Range<Int>) {
        var position = range.lowerBound
        let end = range.upperBound
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: "/") where position + 1 < end && bytes[position + 1] == UInt8(ascii: "*"):
                position = afterComment(position + 2, end)
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                position = afterString(position, end)
            case UInt8(ascii: "@") where follows("import", at: position + 1, end):
                position = importRule(position + 7, end)
            case UInt8(ascii: "u"), UInt8(ascii: "U"):
                let isWord = position > range.lowerBound && Self.isName(bytes[position - 1])
                if !isWord, follows("url(", at: position, end) {
                    position = url(position + 4, end)
                } else {
                    position += 1
                }
            default: position += 1
            }
            // Most bytes begin nothing.
            while position < end, !Self.begins(bytes[position]) { position += 1 }
        }
    }

    /// Whether one of the cases above may begin with a byte: `"`, `'`, `/`, `@`, `U`, `u`.
    private static func begins(_ byte: UInt8) -> Bool {
        let bits: UInt64 = byte & 0x40 == 0 ? 1 << 0x22 | 1 << 0x27 | 1 << 0x2F : 1 | 1 << 0x15 | 1 << 0x35
        return byte < 0x80 && bits >> UInt64(byte & 0x3F) & 1 != 0
    }

    private func afterComment(_ start: Int, _ end: Int) -> Int {
        var position = start
        while position + 1 < end {
            if bytes[position] == UInt8(ascii: "*"), bytes[position + 1] == UInt8(ascii: "/") { return position + 2 }
            position += 1
        }
        return end
    }

    /// `@import "x"`; `@import url(x)` is met as any other `url`.
    private mutating func importRule(_ start: Int, _ end: Int) -> Int {
        let position = skipBlank(start, end)
        guard position < end, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") else {
            return position
        }
        let (text, next) = string(at: position, end)
        add(text, at: position)
        return next
    }

    private mutating func url(_ start: Int, _ end: Int) -> Int {
        let position = skipBlank(start, end)
        guard position < end else { return end }
        if bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") {
            let (text, next) = string(at: position, end)
            add(text, at: position)
            return next
        }
        var text: [UInt8] = []
        var next = position
        while next < end, bytes[next] != UInt8(ascii: ")"), !Self.isBlank(bytes[next]) {
            if bytes[next] == UInt8(ascii: "\\"), next + 1 < end { next += 1 }
            text.append(bytes[next])
            next += 1
        }
        add(text, at: position)
        return next
    }

    /// A quoted string: its content without escapes, and where it ends. A line break ends a broken one.
    private func string(at start: Int, _ end: Int) -> (text: [UInt8], next: Int) {
        let quote = bytes[start]
        var text: [UInt8] = []
        var position = start + 1
        while position < end, bytes[position] != quote, bytes[position] != UInt8(ascii: "\n") {
            if bytes[position] == UInt8(ascii: "\\"), position + 1 < end { position += 1 }
            text.append(bytes[position])
            position += 1
        }
        return (text, min(position + 1, end))
    }

    private func afterString(_ start: Int, _ end: Int) -> Int {
        let quote = bytes[start]
        var position = start + 1
        while position < end, bytes[position] != quote, bytes[position] != UInt8(ascii: "\n") {
            if bytes[position] == UInt8(ascii: "\\"), position + 1 < end { position += 1 }
            position += 1
        }
        return min(position + 1, end)
    }

    private mutating func add(_ text: [UInt8], at position: Int) {
        let url = String(decoding: text, as: UTF8.self)
        guard !url.isEmpty else { return }
        references.append(Reference(url: url, use: .resource, line: lines.line(at: position)))
    }

    private func follows(_ word: StaticString, at position: Int, _ end: Int) -> Bool {
        ASCIIText.follows(word, in: bytes, at: position, end: end)
    }

    private func skipBlank(_ start: Int, _ end: Int) -> Int {
        var position = start
        while position < end, Self.isBlank(bytes[position]) { position += 1 }
        return position
    }

    private static func isBlank(_ byte: UInt8) -> Bool { ASCIIText.isBlank(byte) }

    private static func isName(_ byte: UInt8) -> Bool {
        ASCIIText.isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte >= 0x80
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}

/// Compares bytes like HTML and CSS: ASCII letters without case.
enum ASCIIText {
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Whether a word in lower case stands at a position.
    static func follows(_ word: StaticString, in bytes: UnsafeRawBufferPointer, at position: Int, end: Int) -> Bool {
        let count = word.utf8CodeUnitCount
        guard position + count <= end else { return false }
        for index in 0..<count {
            let byte = bytes[position + index]
            if (isLetter(byte) ? byte | 0x20 : byte) != word.utf8Start[index] { return false }
        }
        return true
    }
}
