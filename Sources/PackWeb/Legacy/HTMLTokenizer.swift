/// Cuts a page into tags and what is between them, byte for byte: joined again, the parts are the page (HTML standard,
/// section 13.2.5, as far as tags, comments, and elements with raw text go).
struct HTMLTokenizer {
    struct Attribute {
        /// In lower case.
        let name: String
        /// As it is meant: with its character references undone, but for those that ``HTMLReferences`` does not know.
        let value: String
        /// From the name to the end of the value, quotes included.
        fileprivate(set) var bytes: [UInt8]
        fileprivate let nameBytes: [UInt8]
        /// The references that the value still has.
        fileprivate let unknown: Set<String>

        mutating func replace(_ new: String) {
            let escaped = HTMLReferences.escaped(new, keeping: unknown)
            bytes = nameBytes + Array("=\"\(escaped)\"".utf8)
        }
    }

    struct Tag {
        /// In lower case.
        let name: String
        let isEnd: Bool
        var attributes: [Attribute]
        fileprivate let start: [UInt8]
        /// What stands before each attribute, and after the last.
        fileprivate let gaps: [[UInt8]]

        var bytes: [UInt8] {
            var result = start
            for (index, attribute) in attributes.enumerated() { result += gaps[index] + attribute.bytes }
            return result + (gaps.last ?? [])
        }
    }

    enum Token {
        case text([UInt8])
        /// The content of a `style` element.
        case style([UInt8])
        case tag(Tag)
    }

    private let bytes: [UInt8]
    private var index = 0
    /// The element whose raw text comes next.
    private var rawElement: String?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() -> Token? {
        guard index < bytes.count else { return nil }
        if let element = rawElement {
            rawElement = nil
            let start = index
            while index < bytes.count, !startsEndTag(of: element) { index += 1 }
            if index > start {
                let content = Array(bytes[start..<index])
                return element == "style" ? .style(content) : .text(content)
            }
        }
        let start = index
        if bytes[index] == UInt8(ascii: "<"), let token = markup() { return token }
        index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") { index += 1 }
        return .text(Array(bytes[start..<index]))
    }

    private static let rawElements: Set<String> = [
        "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext",
    ]

    private func byte(_ offset: Int) -> UInt8? { index + offset < bytes.count ? bytes[index + offset] : nil }

    private func startsEndTag(of name: String) -> Bool {
        guard byte(0) == UInt8(ascii: "<"), byte(1) == UInt8(ascii: "/") else { return false }
        let count = name.utf8.count
        guard zip(0..<count, name.utf8).allSatisfy({ byte($0 + 2).map { $0 | 0x20 } == $1 }) else { return false }
        return byte(count + 2).map { Self.isSpace($0) || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "/") } ?? true
    }

    private mutating func markup() -> Token? {
        let start = index
        if byte(1) == UInt8(ascii: "!") || byte(1) == UInt8(ascii: "?") {
            let isComment = byte(2) == UInt8(ascii: "-") && byte(3) == UInt8(ascii: "-")
            index += isComment ? 4 : 2
            // "<!-->" and "<!--->" are whole comments.
            if isComment { index -= 2 }
            while index < bytes.count {
                if !isComment, bytes[index] == UInt8(ascii: ">") { break }
                if isComment, bytes[index] == UInt8(ascii: ">"), bytes[index - 1] == UInt8(ascii: "-"),
                    bytes[index - 2] == UInt8(ascii: "-")
                {
                    break
                }
                index += 1
            }
            index = min(bytes.count, index + 1)
            return .text(Array(bytes[start..<index]))
        }
        let isEnd = byte(1) == UInt8(ascii: "/")
        guard let first = byte(isEnd ? 2 : 1), Self.isLetter(first) else { return nil }
        index += isEnd ? 2 : 1
        let nameStart = index
        while index < bytes.count, !Self.isSpace(bytes[index]), bytes[index] != UInt8(ascii: ">"),
            bytes[index] != UInt8(ascii: "/")
        {
            index += 1
        }
        let name = String(decoding: bytes[nameStart..<index], as: UTF8.self).lowercased()
        let head = Array(bytes[start..<index])
        var attributes: [Attribute] = []
        var gaps: [[UInt8]] = []
        while true {
            let gap = index
            while index < bytes.count, Self.isSpace(bytes[index]) || bytes[index] == UInt8(ascii: "/") { index += 1 }
            if index >= bytes.count || bytes[index] == UInt8(ascii: ">") {
                index = min(bytes.count, index + 1)
                gaps.append(Array(bytes[gap..<index]))
                break
            }
            gaps.append(Array(bytes[gap..<index]))
            attributes.append(attribute())
        }
        if !isEnd, Self.rawElements.contains(name) { rawElement = name }
        return .tag(Tag(name: name, isEnd: isEnd, attributes: attributes, start: head, gaps: gaps))
    }

    private mutating func attribute() -> Attribute {
        let start = index
        // A "=" at the start belongs to the name.
        index += 1
        while index < bytes.count, !Self.isSpace(bytes[index]), !"=>/".utf8.contains(bytes[index]) { index += 1 }
        let nameBytes = Array(bytes[start..<index])
        let name = String(decoding: nameBytes, as: UTF8.self).lowercased()
        var after = index
        while after < bytes.count, Self.isSpace(bytes[after]) { after += 1 }
        guard after < bytes.count, bytes[after] == UInt8(ascii: "=") else {
            return Attribute(name: name, value: "", bytes: nameBytes, nameBytes: nameBytes, unknown: [])
        }
        index = after + 1
        while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
        let value: ArraySlice<UInt8>
        if index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") {
            let quote = bytes[index]
            index += 1
            let from = index
            while index < bytes.count, bytes[index] != quote { index += 1 }
            value = bytes[from..<index]
            index = min(bytes.count, index + 1)
        } else {
            let from = index
            while index < bytes.count, !Self.isSpace(bytes[index]), bytes[index] != UInt8(ascii: ">") { index += 1 }
            value = bytes[from..<index]
        }
        let read = HTMLReferences.decoded(String(decoding: value, as: UTF8.self))
        return Attribute(
            name: name, value: read.text, bytes: Array(bytes[start..<index]), nameBytes: nameBytes,
            unknown: read.unknown)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
