import PackFormat
import PackJSON

/// A file name that carries a hash of the file's content, as bundlers write it: `index-CumK2M5X.js`, `3.1f0c9a2b.css`.
struct HashedName {
    /// The hash.
    let hash: [UInt8]
    /// The path with a NUL for the hash: equal for the same file in two builds.
    let key: [UInt8]

    /// Nil if no part of the name looks like a hash.
    init?(_ path: PackagePath) {
        let bytes = Array(path.text.utf8)
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        guard let range = Self.hexRange(bytes, from: start) ?? Self.tailRange(bytes, from: start) else { return nil }
        hash = Array(bytes[range])
        key = bytes[..<range.lowerBound] + [0] + bytes[range.upperBound...]
    }

    /// The path with another hash in it.
    func path(with hash: [UInt8]) throws(PatchError) -> PackagePath {
        let bytes = Array(key.split(separator: 0, omittingEmptySubsequences: false).joined(separator: hash))
        guard let text = String(validUTF8: bytes[...]) else { throw .corrupt(reason: "a path is no UTF-8") }
        do { return try PackagePath(text) } catch { throw .corrupt(reason: "\(error)") }
    }

    /// The first run of at least 8 hexadecimal digits in lower case, one of them below 10, that is neither part of a
    /// longer word nor the end of the name.
    private static func hexRange(_ bytes: [UInt8], from start: Int) -> Range<Int>? {
        var position = start
        while position < bytes.count {
            let first = position
            while position < bytes.count, isAlphanumeric(bytes[position]) { position += 1 }
            let run = bytes[first..<position]
            if run.count >= 8, position < bytes.count, run.allSatisfy(isHex), run.contains(where: Tokenizer.isDigit) {
                return first..<position
            }
            position = max(position, first + 1)
        }
        return nil
    }

    /// The 8 characters of base64url before the last dot, behind `-` or `.`; a digit or two capitals among them tell
    /// them from a word.
    private static func tailRange(_ bytes: [UInt8], from start: Int) -> Range<Int>? {
        guard let dot = bytes[start...].lastIndex(of: Tokenizer.dot), dot - 9 >= start else { return nil }
        let range = dot - 8..<dot
        let hash = bytes[range]
        guard bytes[dot - 9] == UInt8(ascii: "-") || bytes[dot - 9] == Tokenizer.dot,
            hash.allSatisfy({ isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }),
            hash.contains(where: Tokenizer.isDigit) || hash.count(where: { (65...90).contains($0) }) >= 2
        else { return nil }
        return range
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        Tokenizer.isDigit(byte) || (byte | 0x20) &- 97 < 26
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        Tokenizer.isDigit(byte) || byte &- 97 < 6
    }
}
