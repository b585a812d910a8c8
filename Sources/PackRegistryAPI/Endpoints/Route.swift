import Foundation

/// One operation of the HTTP API: its method and path are spelt here and nowhere else.
package struct Route: Hashable, Sendable {
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    package let method: Method
    /// With `{name}` where a value stands, such as `/v1/tokens/{id}`.
    package let path: String
    /// What a token must be allowed; nil: no token is needed.
    package let right: TokenAction?
    /// Whether asking twice does no harm.
    package let isRepeatable: Bool
    /// One sentence for the reference.
    package let summary: String

    /// - Parameter isRepeatable: where it is not said, what only reads is.
    package init(
        _ method: Method, _ path: String, right: TokenAction? = nil, isRepeatable: Bool? = nil, _ summary: String
    ) {
        self.method = method
        self.path = path
        self.right = right
        self.isRepeatable = isRepeatable ?? (method == .get)
        self.summary = summary
    }

    /// Such as `GET /v1/tokens`.
    package var text: String { "\(method.rawValue) \(path)" }

    /// The path with its values, each of them encoded (RFC 3986 §3.3), so that none is read as two components.
    package func path(_ values: [String: String]) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            guard part.hasPrefix("{"), part.hasSuffix("}"), let value = values[String(part.dropFirst().dropLast())]
            else { return String(part) }
            return Self.encoded(value)
        }.joined(separator: "/")
    }

    /// One component of a path, in which a `+` of a version must not be read as a space.
    package static func encoded(_ value: String) -> String {
        value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? value
    }

    /// RFC 3986 section 2.3.
    private static let unreserved = CharacterSet(
        charactersIn: "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}
