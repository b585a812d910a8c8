import Foundation
import PackRegistryAPI

/// How S3 writes names in URLs: "UriEncode" of Amazon S3's section on signatures. A path and a query that are encoded in any
/// other way have another signature.
enum S3Encoding {
    /// Encodes everything but the slashes.
    static func path(_ text: String) -> String {
        text.split(separator: "/", omittingEmptySubsequences: false).map { component(String($0)) }.joined(
            separator: "/")
    }

    static func component(_ text: String) -> String { Route.encoded(text) }

    /// Sorted by name, as it is signed and sent. A name without a value keeps its `=`.
    static func query(_ items: [(String, String)]) -> String {
        items.map { (component($0.0), component($0.1)) }.sorted { $0 < $1 }
            .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// Reads what a list with `encoding-type=url` has: percent signs, and a plus sign for a space.
    static func decoded(_ text: String) -> String? { text.replacing("+", with: " ").removingPercentEncoding }
}
