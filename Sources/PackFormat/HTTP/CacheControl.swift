/// How long caches may keep an answer. Content is immutable under its name; only small pointers change.
package enum CacheControl {
    /// A file that never changes under its name (RFC 8246).
    package static let immutable = "public, max-age=31536000, immutable"
    /// A full download: a publication leaves a quick one, which a smaller one with another ETag replaces. Either is
    /// correct, so a cache may keep the larger one for a while.
    package static let replaced = "public, max-age=3600"
    /// `metadata/timestamp.json`, the channel's pointer: kept, and asked about each time (304 when unchanged).
    package static let pointer = "no-cache"
    /// Errors, and everything that depends on a token: an absent file may be there in a second.
    package static let none = "no-store"
}
