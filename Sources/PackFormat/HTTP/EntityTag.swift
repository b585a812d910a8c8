/// An entity tag (RFC 9110 section 8.8.3).
public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    public let isWeak: Bool
    /// The characters between the quotes.
    public let opaque: String

    /// The strong tag of content with this digest: equal tags mean equal bytes.
    public init(_ digest: Digest) {
        isWeak = false
        opaque = digest.hex
    }

    /// Parses one tag such as `"abc"` or `W/"abc"`; nil if the text is anything else.
    public init?(_ text: some StringProtocol) {
        var text = Substring(text).utf8
        isWeak = text.starts(with: "W/".utf8)
        if isWeak { text = text.dropFirst(2) }
        guard text.count >= 2, text.first == Self.quote, text.last == Self.quote else { return nil }
        let inner = text.dropFirst().dropLast()
        guard inner.allSatisfy({ $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }) else { return nil }
        opaque = String(decoding: inner, as: UTF8.self)
    }

    /// Strong comparison (section 8.8.3.2): both are strong and have the same characters. Ranges need it.
    public func stronglyMatches(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Weak comparison (section 8.8.3.2): both have the same characters. `If-None-Match` needs it.
    public func weaklyMatches(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    public var description: String { (isWeak ? "W/\"" : "\"") + opaque + "\"" }

    private static let quote = UInt8(ascii: "\"")
}

extension EntityTag {
    /// The value of `If-Match` or `If-None-Match` (sections 13.1.1 and 13.1.2).
    public enum List: Hashable, Sendable {
        /// `*`: any representation.
        case any
        case tags([EntityTag])

        /// Nil if the text is not a list of tags. A condition that cannot be parsed never holds.
        public init?(_ text: String) {
            let whitespace: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t")]
            var rest = text.utf8[...]
            func skipBlanks(_ rest: inout Substring.UTF8View) { rest = rest.drop { whitespace.contains($0) } }
            skipBlanks(&rest)
            if rest.first == UInt8(ascii: "*") {
                rest = rest.dropFirst()
                skipBlanks(&rest)
                guard rest.isEmpty else { return nil }
                self = .any
                return
            }
            // A tag may hold commas, so the list is cut at the quotes; empty members are allowed (section 5.6.1).
            var tags: [EntityTag] = []
            while true {
                rest = rest.drop { whitespace.contains($0) || $0 == UInt8(ascii: ",") }
                if rest.isEmpty { break }
                guard let opening = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
                guard let closing = rest[rest.index(after: opening)...].firstIndex(of: UInt8(ascii: "\"")) else {
                    return nil
                }
                guard let tag = EntityTag(Substring(rest[...closing])) else { return nil }
                tags.append(tag)
                rest = rest[rest.index(after: closing)...]
                skipBlanks(&rest)
                guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
            }
            guard !tags.isEmpty else { return nil }
            self = .tags(tags)
        }
    }
}
