/// How a client reaches a repository. What it brings is not trusted: a transport may cache, bundle several files in
/// one answer or come from a mirror, and every byte is verified all the same.
public protocol TrustTransport: Sendable {
    /// Brings one file.
    ///
    /// - Parameters:
    ///   - path: Relative to the repository: `metadata/timestamp.json`, `targets/channels/HASH.beta.json`; see
    ///     ``RepositoryPath/urlPath(_:)`` for the form in a URL. The name of a target is whatever its role signed, and
    ///     may hold `..`: a transport that reads a folder must not be led out of it.
    ///   - maximumByteCount: Stop reading beyond it and throw ``TrustError/tooLarge(name:limit:)``.
    /// - Returns: nil if the repository does not have the file (404); asked for once, never again in one refresh.
    /// - Throws: Any error if the repository cannot be reached or is too slow.
    func fetch(_ path: String, maximumByteCount: Int) async throws -> [UInt8]?
}
