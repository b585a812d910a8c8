/// The form in which an answer describes an error (RFC 9457).
package enum ProblemFormat {
    package static let mediaType = "application/problem+json"
    /// `type` is this prefix and the kind. It is a URN because no web page explains it better than
    /// `docs/HTTP-API.md`.
    package static let typePrefix = "urn:packtool:problem:"
}
