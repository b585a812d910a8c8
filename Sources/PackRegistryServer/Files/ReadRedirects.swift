import PackFormat
import PackRegistry
import Synchronization

/// Where large files are read instead: URLs of the registry's storage that anybody may use for a while. So the server sends none of
/// their bytes. What devices ask for first (metadata, channel files, manifests, update files) stays here, because it is small, and
/// another request would cost more than its bytes.
final class ReadRedirects: Sendable {
    /// Seconds for which a URL begins a download. One that has begun goes on.
    static let validity = 900
    /// How long one URL is given out.
    private static let reuse: Duration = .seconds(300)
    private static let maximumCount = 20_000

    private let host: any RegistryHost
    private let urls = Mutex(
        RecentCache<ViewPath, (url: String, end: ContinuousClock.Instant)>(maximumCount: maximumCount))

    init(host: any RegistryHost) {
        self.host = host
    }

    /// Whether a file of this kind is read from the storage.
    static func concern(_ path: ViewPath) -> Bool {
        switch path {
        case .object, .patch, .archive: true
        case .timestamp, .metadata, .recent, .manifest, .channelFile, .channelHead, .channelPart, .group,
            .manifestPatch, .updateFile:
            false
        }
    }

    /// - Returns: nil for a file that is not in the storage.
    /// - Throws: ``RegistryError`` if the storage cannot be asked.
    func url(of path: ViewPath) async throws -> String? {
        if let known = urls.withLock({ $0.value(for: path) }), known.end > .now { return known.url }
        guard let url = try await host.readingURL(of: path, seconds: Self.validity) else { return nil }
        urls.withLock { $0.insert((url, .now + Self.reuse), for: path) }
        return url
    }
}
