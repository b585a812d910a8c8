import Foundation

/// One operation of the HTTP API. Its method and path are written here and nowhere else.
package struct Route: Hashable, Sendable {
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    package let method: Method
    /// The path with `{name}` for each value, such as `/v1/tokens/{id}`.
    package let path: String
    /// The right that a token needs; nil if no token is needed.
    package let right: TokenAction?
    /// A right that does in its place.
    package let otherRight: TokenAction?
    /// Whether repeating the request does no harm.
    package let isRepeatable: Bool
    /// One sentence for the reference page.
    package let summary: String

    /// - Parameter isRepeatable: By default, true for operations that only read.
    package init(
        _ method: Method, _ path: String, right: TokenAction? = nil, or otherRight: TokenAction? = nil,
        isRepeatable: Bool? = nil, _ summary: String
    ) {
        self.method = method
        self.path = path
        self.right = right
        self.otherRight = otherRight
        self.isRepeatable = isRepeatable ?? (method == .get)
        self.summary = summary
    }

    /// Method and path, such as `GET /v1/tokens`.
    package var text: String { "\(method.rawValue) \(path)" }

    /// The path with its values. Each value is encoded (RFC 3986 §3.3), so that none is read as two components.
    package func path(_ values: [String: String]) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            guard part.hasPrefix("{"), part.hasSuffix("}"), let value = values[String(part.dropFirst().dropLast())]
            else { return String(part) }
            return Self.encoded(value)
        }.joined(separator: "/")
    }

    /// Encodes one component of a path. A `+` in a version must not be read as a space.
    package static func encoded(_ value: String) -> String {
        value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? value
    }

    /// RFC 3986 section 2.3.
    private static let unreserved = CharacterSet(
        charactersIn: "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}
