/// Several `Set-Cookie` fields that a system has joined by commas, which also occur inside dates.
public enum SetCookieList {
    /// Splits the text into fields. A comma separates two cookies if a name and `=` follow it; in `Expires=Wed, 09
    /// Jun…` they do not.
    public static func split(_ joined: String) -> [String] {
        let bytes = Array(joined.utf8)
        var fields: [String] = []
        var start = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: ",") {
            guard beginsCookie(bytes[(index + 1)...]) else { continue }
            fields.append(text(bytes[start..<index]))
            start = index + 1
        }
        fields.append(text(bytes[start...]))
        return fields.filter { !$0.isEmpty }
    }

    /// Whether a token and `=` come next (RFC 9110 section 5.6.2).
    private static func beginsCookie(_ rest: ArraySlice<UInt8>) -> Bool {
        let name = rest.drop { $0 == 0x20 || $0 == 0x09 }
        guard let end = name.firstIndex(where: { !isToken($0) }) else { return false }
        return end > name.startIndex && name[end] == UInt8(ascii: "=")
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"()<>@,;:\\\"/[]?={}".utf8.contains(byte)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let trimmed = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        return String(decoding: trimmed, as: UTF8.self)
    }
}
