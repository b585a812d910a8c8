#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Finds a private key or an access token in a text.
///
/// Libraries that parse keys contain the words of their frames, so only a frame with a key in it counts.
struct SecretScanner {
    struct Secret {
        let offset: Int
        /// What it is, for a person.
        let what: String
    }

    /// What a token begins with, the fewest characters that follow, and whether an underscore may be among them. The texts of
    /// compilers have names such as `npm_i_save_dev_types`.
    private static let tokens: [(prefix: [UInt8], length: Int, underscores: Bool, what: String)] = [
        ("ptk_", 40, true, "a packtool token"), ("ghp_", 36, false, "a GitHub token"),
        ("github_pat_", 60, true, "a GitHub token"), ("npm_", 36, false, "an npm token"),
        ("sk_live_", 24, false, "a Stripe key"),
    ].map { (Array($0.utf8), $1, $2, $3) }
    private static let escapedBreaks = ["\\u000a", "\\u000d", "\\u000A", "\\u000D"].map { Array($0.utf8) }
    private static let frame = Word("PRIVATE KEY-----", by: "K")
    private static let frameStart = Array("-----BEGIN ".utf8)
    /// An Ed25519 key, the shortest there is, has 64.
    private static let fewestKeyCharacters = 48

    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var first: Secret? { BinaryKey(bytes).map { Secret(offset: 0, what: $0.text) } ?? key ?? token }

    private var key: Secret? {
        var from = 0
        while let words = Self.frame.first(in: bytes, from: from) {
            from = words + Self.frame.count
            // `-----BEGIN ` and a word or two such as ENCRYPTED or EC.
            let before = bytes[max(0, words - 40)..<words]
            guard let dash = before.lastIndex(of: UInt8(ascii: "-")), dash >= 4, dash + 7 <= bytes.count,
                bytes[dash - 4..<min(dash + 7, bytes.count)].elementsEqual(Self.frameStart), holdsKey(from)
            else { continue }
            return Secret(offset: dash - 4, what: "a private key")
        }
        return nil
    }

    /// Whether a key follows: base64, also with line breaks as a script writes them, or the headers of an old form.
    private func holdsKey(_ start: Int) -> Bool {
        var count = 0
        var index = start
        let end = min(bytes.count, start + 400)
        while index < end {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\\"), index + 1 < end,
                bytes[index + 1] == UInt8(ascii: "n") || bytes[index + 1] == UInt8(ascii: "r")
            {
                index += 2
                continue
            }
            // As JSON may write a line break.
            if byte == UInt8(ascii: "\\"), Self.escapedBreaks.contains(where: bytes[index..<end].starts(with:)) {
                index += 6
                continue
            }
            if Self.isWord(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") {
                count += 1
                if count >= Self.fewestKeyCharacters { return true }
            } else if !ASCIIText.isBlank(byte), byte != UInt8(ascii: ":"), byte != UInt8(ascii: "-"),
                byte != UInt8(ascii: ",")
            {
                return false
            }
            index += 1
        }
        return false
    }

    /// All tokens have an underscore in what they begin with, which scripts seldom have.
    private var token: Secret? {
        guard let base = bytes.baseAddress else { return nil }
        var index = 0
        while index < bytes.count, let hit = memchr(base + index, Int32(UInt8(ascii: "_")), bytes.count - index) {
            let offset = UnsafeRawPointer(hit) - base
            index = offset + 1
            for token in Self.tokens {
                let start = index - token.prefix.count
                guard start >= 0, memcmp(base + start, token.prefix, token.prefix.count) == 0,
                    start == 0 || !Self.isWord(bytes[start - 1])
                else { continue }
                let rest = bytes[index..<min(bytes.count, index + token.length)]
                if rest.count == token.length,
                    rest.allSatisfy({ Self.isWord($0) || token.underscores && $0 == UInt8(ascii: "_") })
                {
                    return Secret(offset: start, what: token.what)
                }
            }
        }
        return nil
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        ASCIIText.isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
