/// An element of the small XML documents that a store answers with. They have elements, text and the five entities: nothing else
/// is read, and a document type is refused.
struct S3Element: Sendable {
    struct Malformed: Error {}

    let name: String
    fileprivate(set) var text = ""
    fileprivate(set) var children: [S3Element] = []

    private static let maximumDepth = 16

    /// The text of the first child of this name.
    subscript(name: String) -> String? { children.first { $0.name == name }?.text }

    init(parsing bytes: [UInt8]) throws(Malformed) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
        var open: [S3Element] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            if !open.isEmpty { open[open.count - 1].text += try Self.unescaped(rest[..<start]) }
            guard let end = rest[start...].firstIndex(of: ">") else { throw Malformed() }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("?") { continue }
            guard !tag.hasPrefix("!") else { throw Malformed() }
            if tag.hasPrefix("/") {
                guard let element = open.popLast(), element.name == tag.dropFirst() else { throw Malformed() }
                guard !open.isEmpty else {
                    self = element
                    return
                }
                open[open.count - 1].children.append(element)
                continue
            }
            let isEmpty = tag.hasSuffix("/")
            let name = tag.prefix { !$0.isWhitespace && $0 != "/" }
            guard !name.isEmpty, open.count < Self.maximumDepth else { throw Malformed() }
            let element = S3Element(name: String(name))
            if !isEmpty {
                open.append(element)
            } else if open.isEmpty {
                self = element
                return
            } else {
                open[open.count - 1].children.append(element)
            }
        }
        throw Malformed()
    }

    private init(name: String) {
        self.name = name
    }

    private static func unescaped(_ text: Substring) throws(Malformed) -> String {
        guard text.contains("&") else { return String(text) }
        var result = ""
        var rest = text
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            guard let end = rest[start...].firstIndex(of: ";") else { throw Malformed() }
            guard let character = character(rest[rest.index(after: start)..<end]) else { throw Malformed() }
            result.append(character)
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> Character? {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst()
            let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap { Unicode.Scalar($0) }.map { Character($0) }
        }
    }

    /// Text as it is written into a document.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
