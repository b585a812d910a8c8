/// The path of a request, split at `/` and percent-decoded once.
///
/// Nothing is normalised: a path with an empty component, `.`, `..`, a backslash, a control character, an encoded
/// slash or NUL, or bytes that are not UTF-8 is no path of ours, however it is written.
struct RequestPath: Equatable {
    /// Without the leading slash. The last one is empty if the path ends with `/`.
    let components: [String]

    private static let maximumByteCount = 4096

    /// nil for a path that is refused.
    init?(_ target: some StringProtocol) {
        guard target.utf8.first == UInt8(ascii: "/"), target.utf8.count <= Self.maximumByteCount else { return nil }
        var components: [String] = []
        let parts = target.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            guard let component = Self.decoded(part) else { return nil }
            if component.isEmpty, index < parts.count - 1 { return nil }
            components.append(component)
        }
        self.components = components
    }

    /// The first components of a path that may be refused, up to the first that cannot be read: by them it is known who
    /// says that it is refused.
    static func beginning(of target: some StringProtocol, maximumCount: Int) -> [String] {
        guard target.utf8.first == UInt8(ascii: "/") else { return [] }
        let parts = target.utf8.dropFirst().prefix(maximumByteCount)
            .split(separator: UInt8(ascii: "/"), maxSplits: maximumCount, omittingEmptySubsequences: false)
        var components: [String] = []
        for part in parts.prefix(maximumCount) {
            guard let component = decoded(part), !component.isEmpty else { break }
            components.append(component)
        }
        return components
    }

    private static func decoded(_ part: some Sequence<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var iterator = part.makeIterator()
        while let byte = iterator.next() {
            var byte = byte
            if byte == UInt8(ascii: "%") {
                guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else {
                    return nil
                }
                byte = high << 4 | low
            }
            guard byte >= 0x20, byte != 0x7F, byte != UInt8(ascii: "/"), byte != UInt8(ascii: "\\") else { return nil }
            bytes.append(byte)
        }
        guard let text = String(validating: bytes, as: UTF8.self), text != ".", text != ".." else { return nil }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
