/// A URL's path as rules compare it: percent-decoded, as a server decodes it, so that `/%61` is `/a`.
///
/// `%2F` has two readings, because some servers read it as a slash. A rule applies if it applies to one of the two. A
/// `%` that escapes nothing stays unchanged.
struct RulePath {
    private let readings: [[UInt8]]

    init(_ path: String) {
        guard path.utf8.contains(UInt8(ascii: "%")) else {
            readings = [Array(path.utf8)]
            return
        }
        let kept = Self.bytes(of: path, cutsSlashes: false).map(\.byte)
        let cut = Self.bytes(of: path, cutsSlashes: true).map(\.byte)
        readings = kept == cut ? [kept] : [kept, cut]
    }

    func matches(_ pattern: RuleGlob) -> Bool { readings.contains { pattern.matches($0) } }

    /// The bytes of a text whose percent-encoding is undone once, and whether each was encoded.
    /// - Parameter cutsSlashes: whether an encoded slash becomes one; else it stays `%2F`, in capitals.
    static func bytes(of text: String, cutsSlashes: Bool) -> [(byte: UInt8, wasEncoded: Bool)] {
        let sent = Array(text.utf8)
        var result: [(byte: UInt8, wasEncoded: Bool)] = []
        result.reserveCapacity(sent.count)
        var index = 0
        while index < sent.count {
            guard sent[index] == UInt8(ascii: "%"), index + 2 < sent.count,
                let high = Character(Unicode.Scalar(sent[index + 1])).hexDigitValue,
                let low = Character(Unicode.Scalar(sent[index + 2])).hexDigitValue
            else {
                result.append((sent[index], false))
                index += 1
                continue
            }
            let byte = UInt8(high << 4 | low)
            if byte == UInt8(ascii: "/"), !cutsSlashes {
                result += "%2F".utf8.map { ($0, true) }
            } else {
                result.append((byte, true))
            }
            index += 3
        }
        return result
    }
}
