extension JSONValue {
    /// OLPC canonical JSON: keys by code point, no white space, only `"` and `\` escaped. Signatures and manifest
    /// digests are computed over these bytes.
    package var canonicalBytes: [UInt8] {
        var writer = JSONWriter(style: .canonical)
        writer.write(self)
        return writer.bytes
    }

    /// RFC 8259 JSON on one line, keys by code point.
    package var compactText: String {
        var writer = JSONWriter(style: .compact)
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// RFC 8259 JSON for people, two spaces a level, without a final line feed.
    package var prettyText: String {
        var writer = JSONWriter(style: .pretty)
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

struct JSONWriter {
    enum Style { case canonical, compact, pretty }

    let style: Style
    private(set) var bytes: [UInt8] = []
    private var depth = 0

    init(style: Style) {
        self.style = style
    }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let bool): bytes += (bool ? "true" : "false").utf8
        case .integer(let integer): bytes += String(integer).utf8
        case .string(let string): write(string: string)
        case .array(let elements):
            list(open: "[", close: "]", count: elements.count) { writer, index in writer.write(elements[index]) }
        case .object(let object):
            let style = style
            list(open: "{", close: "}", count: object.members.count) { writer, index in
                writer.write(string: object.members[index].key)
                writer.bytes.append(UInt8(ascii: ":"))
                if style == .pretty { writer.bytes.append(UInt8(ascii: " ")) }
                writer.write(object.members[index].value)
            }
        }
    }

    private mutating func list(
        open: Unicode.Scalar, close: Unicode.Scalar, count: Int, element: (inout JSONWriter, Int) -> Void
    ) {
        bytes.append(UInt8(ascii: open))
        depth += 1
        for index in 0..<count {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            newLine()
            element(&self, index)
        }
        depth -= 1
        if count > 0 { newLine() }
        bytes.append(UInt8(ascii: close))
    }

    private mutating func newLine() {
        guard style == .pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    private mutating func write(string: String) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        let isPlain = string.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        if isPlain {
            bytes.append(contentsOf: string.utf8)
            return
        }
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20 where style != .canonical:
                let digits = Array("0123456789abcdef".utf8)
                bytes += "\\u00".utf8
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default:
                bytes.append(byte)
            }
        }
    }
}
