import Hummingbird

/// The beginning of absolute URLs in answers.
struct PublicAddress: Sendable {
    /// What an operator gave; without it, the address that the request came to.
    let url: String?
    /// Whether this server itself speaks TLS.
    let isSecure: Bool

    /// - Parameter path: without a slash at its start.
    func url(_ path: String, for request: Request) -> String {
        base(for: request) + "/" + path.replacing("+", with: "%2B")
    }

    func base(for request: Request) -> String {
        url ?? "\(isSecure ? "https" : "http")://\(request.head.authority ?? "localhost")"
    }
}
