/// The client's connection to a repository. Its answers are not trusted: a transport may cache, bundle several files
/// in one answer or use a mirror, because every byte is verified.
public protocol TrustTransport: Sendable {
    /// Fetches one file.
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
