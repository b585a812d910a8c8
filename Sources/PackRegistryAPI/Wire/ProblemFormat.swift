/// How an answer says what went wrong (RFC 9457).
package enum ProblemFormat {
    package static let mediaType = "application/problem+json"
    /// `type` is this and the kind: a URN, because no page of the web explains it better than `docs/HTTP-API.md`.
    package static let typePrefix = "urn:packtool:problem:"
}
