/// How long an answer may be kept. Content is immutable under its name; only small pointers change.
enum CachePolicy {
    /// A file that never changes under its name (RFC 8246).
    static let immutable = "public, max-age=31536000, immutable"
    /// `metadata/timestamp.json`, the channel's pointer: kept, and asked about each time (304 when unchanged).
    static let pointer = "no-cache"
    /// Errors, and everything that depends on a token: an absent file may be there in a second.
    static let none = "no-store"
}
