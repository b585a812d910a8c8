/// The rule that package ids and channel names share (RFC 1123 section 2.1, lower case only).
enum DNSLabel {
    static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (1...63).contains(bytes.count), bytes.first != hyphen, bytes.last != hyphen else { return false }
        return bytes.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == hyphen
        }
    }

    private static let hyphen = UInt8(ascii: "-")
}
