/// The character references of an attribute's value (HTML standard, section 13.2.5.72 on): numbers, and the five names that
/// write what markup itself uses. The two thousand others stay as they are.
enum HTMLReferences {
    private static let names = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
    private static let maximumLength = 32

    /// Undoes the references, each once, and says which ones it does not know.
    static func decoded(_ value: String) -> (text: String, unknown: Set<String>) {
        guard value.utf8.contains(UInt8(ascii: "&")) else { return (value, []) }
        var text = ""
        var unknown: Set<String> = []
        var rest = Substring(value)
        while let mark = rest.utf8.firstIndex(of: UInt8(ascii: "&")) {
            text += rest[..<mark]
            rest = rest[mark...]
            let name = rest.utf8.dropFirst().prefix(maximumLength).prefix { $0 != UInt8(ascii: ";") }
            let end = rest.utf8.index(rest.startIndex, offsetBy: 1 + name.count)
            guard end < rest.endIndex, rest.utf8[end] == UInt8(ascii: ";"), isName(name) else {
                text += "&"
                rest = Substring(rest.utf8.dropFirst())
                continue
            }
            let reference = Substring(rest.utf8[...end])
            if let character = character(Substring(name)) {
                text += character
            } else {
                text += reference
                unknown.insert(String(reference))
            }
            rest = Substring(rest.utf8[end...].dropFirst())
        }
        return (text + rest, unknown)
    }

    /// A value between double quotes.
    /// - Parameter unknown: references that stand in the text and stay what they are.
    static func escaped(_ text: String, keeping unknown: Set<String>) -> String {
        var escaped = text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
        for reference in unknown { escaped = escaped.replacing("&amp;" + reference.dropFirst(), with: reference) }
        return escaped
    }

    private static func isName(_ bytes: Substring.UTF8View.SubSequence) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "#")
            }
    }

    private static func character(_ name: Substring) -> String? {
        guard name.hasPrefix("#") else { return names[String(name)] }
        let digits = name.dropFirst()
        let isHexadecimal = digits.hasPrefix("x") || digits.hasPrefix("X")
        let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let number, number != 0, let scalar = Unicode.Scalar(number) else { return nil }
        return String(Character(scalar))
    }
}
