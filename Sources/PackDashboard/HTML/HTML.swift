/// A piece of a page. Text becomes markup nowhere: an element's and an attribute's name are literals of this program, and
/// every value is escaped when the page is written.
///
///     tag("p", .class("note")) { "Of "; name; tag("b") { "three" } }.text
package indirect enum HTML: Sendable {
    case text(String)
    case element(StaticString, [Attribute], [HTML])
    /// An element that has no content and no end, such as `input`.
    case void(StaticString, [Attribute])
    case group([HTML])

    package struct Attribute: Sendable {
        let name: StaticString
        /// Nil: the attribute is there or not, such as `required`.
        let value: String?
    }

    /// The piece as UTF-8 text.
    package var text: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package func write(to bytes: inout [UInt8]) {
        switch self {
        case .text(let text): Self.escape(text, into: &bytes)
        case .group(let parts): for part in parts { part.write(to: &bytes) }
        case .void(let name, let attributes): Self.open(name, attributes, &bytes)
        case .element(let name, let attributes, let content):
            Self.open(name, attributes, &bytes)
            for part in content { part.write(to: &bytes) }
            bytes += Array("</".utf8)
            Self.append(name, &bytes)
            bytes.append(UInt8(ascii: ">"))
        }
    }

    private static func open(_ name: StaticString, _ attributes: [Attribute], _ bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "<"))
        append(name, &bytes)
        for attribute in attributes {
            bytes.append(UInt8(ascii: " "))
            append(attribute.name, &bytes)
            guard let value = attribute.value else { continue }
            bytes += Array("=\"".utf8)
            escape(value, into: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
    }

    private static func append(_ name: StaticString, _ bytes: inout [UInt8]) {
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Escapes for text and for quoted attributes alike (HTML Living Standard §13.1.4, §13.1.2.3). Control characters, which no
    /// page may have (§13.1.4), are shown as U+FFFD.
    static func escape(_ text: String, into bytes: inout [UInt8]) {
        var isAfterC2 = false
        for byte in text.utf8 {
            if isAfterC2 {
                isAfterC2 = false
                // U+0080 to U+009F are control characters, too.
                if byte < 0xA0 {
                    bytes += [0xEF, 0xBF, 0xBD]
                } else {
                    bytes += [0xC2, byte]
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
            case UInt8(ascii: "'"): bytes += Array("&#39;".utf8)
            case 0x09, 0x0A: bytes.append(byte)
            case 0..<0x20, 0x7F: bytes += [0xEF, 0xBF, 0xBD]
            case 0xC2: isAfterC2 = true
            default: bytes.append(byte)
            }
        }
    }
}

/// Joins the parts of an element's content: text, pieces, lists of pieces, `if` and `for`.
@resultBuilder
package enum HTMLBuilder {
    package static func buildExpression(_ text: String) -> [HTML] { [.text(text)] }
    package static func buildExpression(_ html: HTML) -> [HTML] { [html] }
    package static func buildExpression(_ parts: [HTML]) -> [HTML] { parts }
    package static func buildBlock(_ parts: [HTML]...) -> [HTML] { parts.flatMap { $0 } }
    package static func buildOptional(_ parts: [HTML]?) -> [HTML] { parts ?? [] }
    package static func buildEither(first parts: [HTML]) -> [HTML] { parts }
    package static func buildEither(second parts: [HTML]) -> [HTML] { parts }
    package static func buildArray(_ parts: [[HTML]]) -> [HTML] { parts.flatMap { $0 } }
}

/// An element with content.
func tag(
    _ name: StaticString, _ attributes: HTML.Attribute..., @HTMLBuilder content: () -> [HTML] = { [] }
) -> HTML {
    .element(name, attributes, content())
}

/// An element without content or end.
func void(_ name: StaticString, _ attributes: HTML.Attribute...) -> HTML { .void(name, attributes) }

/// Text that somebody else wrote, set apart so that letters written from right to left do not reorder what is around it.
func foreign(_ text: String) -> HTML { tag("bdi") { text } }
