import Foundation

/// Certificates of private authorities in PEM form, as `openssl` and every browser export them (RFC 7468 section 5).
package struct AuthorityFile: Sendable {
    /// A list of a whole company; the system's own has a fifth of a megabyte.
    private static let maximumByteCount = 4 << 20
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// Only the certificates, without other text in the file.
    package let text: String
    package let count: Int

    /// - Throws: ``AuthorityError`` for a file that is unreadable or has no certificate.
    package init(_ path: String) throws {
        guard let file = FileHandle(forReadingAtPath: path) else { throw AuthorityError.unreadable(path) }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: Self.maximumByteCount + 1) ?? Data() else {
            throw AuthorityError.unreadable(path)
        }
        guard data.count <= Self.maximumByteCount else { throw AuthorityError.tooLong(path, Self.maximumByteCount) }
        try self.init(parsing: String(decoding: data, as: UTF8.self), from: path)
    }

    package init(parsing source: String, from path: String) throws {
        var blocks: [String] = []
        var rest = Substring(source.replacing("\r", with: ""))
        while let start = rest.range(of: Self.begin) {
            guard let stop = rest.range(of: Self.end, range: start.upperBound..<rest.endIndex) else {
                throw AuthorityError.damaged(path, number: blocks.count + 1)
            }
            let body = rest[start.upperBound..<stop.lowerBound].split(whereSeparator: \.isWhitespace).joined()
            guard let bytes = Data(base64Encoded: body), Self.isOneSequence(bytes) else {
                throw AuthorityError.damaged(path, number: blocks.count + 1)
            }
            let lines = bytes.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            blocks.append("\(Self.begin)\n\(lines)\n\(Self.end)\n")
            rest = rest[stop.upperBound...]
        }
        guard !blocks.isEmpty else { throw AuthorityError.empty(path) }
        text = blocks.joined()
        count = blocks.count
    }

    /// Whether the bytes are one DER sequence from end to end, which a certificate is (X.690 section 8.1.3): what was cut or
    /// pasted badly is found before the first request.
    private static func isOneSequence(_ bytes: Data) -> Bool {
        let head = Array(bytes.prefix(6))
        guard head.count > 2, head[0] == 0x30 else { return false }
        guard head[1] >= 0x80 else { return bytes.count == 2 + Int(head[1]) }
        let width = Int(head[1] & 0x7F)
        guard (1...4).contains(width), head.count >= 2 + width else { return false }
        let length = head[2..<2 + width].reduce(0) { $0 << 8 | Int($1) }
        return bytes.count == 2 + width + length
    }
}
