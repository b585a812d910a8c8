import Foundation

/// How S3 writes names in URLs: "UriEncode" of Amazon S3's section on signatures. A path and a query that are encoded in any
/// other way have another signature.
enum S3Encoding {
    private static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Encodes everything but the slashes.
    static func path(_ text: String) -> String { encoded(text, keeping: UInt8(ascii: "/")) }

    static func component(_ text: String) -> String { encoded(text, keeping: nil) }

    /// Sorted by name, as it is signed and sent. A name without a value keeps its `=`.
    static func query(_ items: [(String, String)]) -> String {
        items.map { (component($0.0), component($0.1)) }.sorted { $0 < $1 }
            .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// Reads what a list with `encoding-type=url` has: percent signs, and a plus sign for a space.
    static func decoded(_ text: String) -> String? { text.replacing("+", with: " ").removingPercentEncoding }

    private static func encoded(_ text: String, keeping kept: UInt8?) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if unreserved.contains(byte) || byte == kept {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
