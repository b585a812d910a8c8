public import Foundation
import PackFormat

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The URL-keyed cache of the older way: `{md5(url)}/{version}/{name}`, filled from an ``OfflineManifest``.
///
///     let cache = try OfflineCache(folder: caches.appending(path: "h5_offline_resources"))
///     try await cache.update(from: manifestURL)
///     let file = cache.file(for: "https://m.example.com/checkout/index.html")
///
/// Equal content is on the disk once, whatever URLs it has. A file is known only when it is there as a whole: a download that
/// fails leaves nothing, and the next update tries it again. A version that is replaced is removed. Prefer packages: their
/// files are signed, and a page's files are of one version.
public final class OfflineCache: Sendable {
    public struct File: Hashable, Sendable, Codable {
        public let version: String
        /// Below the cache's folder.
        public let path: String
        public let size: Int
    }

    public struct Report: Hashable, Sendable {
        public internal(set) var fetched: [URL] = []
        public internal(set) var failed: [URL: String] = [:]
        public internal(set) var removed: [URL] = []
        /// Whether the server said that the manifest is the one of the last time.
        public internal(set) var isUnchanged = false
    }

    /// Downloads side by side.
    static let parallelism = 4

    let folder: URL
    private let session: URLSession
    private let index: Locked<OfflineIndex>

    /// - Throws: faults of the file system.
    public init(folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("objects"), withIntermediateDirectories: true)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = configuration.protocolClasses?.filter { $0 != PackURLProtocol.self }
        configuration.urlCache = nil
        configuration.httpAdditionalHeaders = ["User-Agent": ProductVersion.userAgent("PackWeb")]
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = 15
        session = URLSession(configuration: configuration)
        index = Locked(OfflineIndex(in: folder))
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// The file of a URL; nil where the cache has none. One look into a dictionary.
    /// - Parameter url: as the page asked: a fragment does not count, a query does, and a custom scheme stands for https.
    public func file(for url: String) -> URL? {
        guard let key = Self.key(of: url), let file = index.withLock({ $0.files[key.absoluteString] }) else {
            return nil
        }
        return folder.appendingPathComponent(file.path)
    }

    /// Fetches what a manifest names and the cache lacks, and removes what it no longer names.
    /// - Throws: where the manifest cannot be had or read; nothing has changed then.
    @discardableResult
    public func update(from manifestURL: URL) async throws -> Report {
        var request = URLRequest(url: manifestURL)
        let known = index.withLock { $0 }
        if known.isComplete, known.manifestURL == manifestURL.absoluteString {
            request.setValue(known.manifestTag, forHTTPHeaderField: "If-None-Match")
        }
        let (data, response) = try await session.data(for: request)
        guard let http = response as? HTTPURLResponse else { throw WebError.notHTTP(manifestURL.absoluteString) }
        if http.statusCode == 304 {
            var report = Report()
            report.isUnchanged = true
            return report
        }
        guard http.statusCode == 200 else {
            throw WebError.invalidOfflineManifest("the server answered \(http.statusCode)")
        }
        let manifest = try OfflineManifest(parsing: data)
        let report = try await fill(from: manifest)
        try index.withLock { index in
            index.manifestURL = manifestURL.absoluteString
            index.manifestTag = http.value(forHTTPHeaderField: "ETag")
            index.isComplete = report.failed.isEmpty
            try index.write(in: folder)
        }
        return report
    }

    /// The same for a manifest that the app has already.
    public func fill(from manifest: OfflineManifest) async throws -> Report {
        let known = index.withLock { $0.files }
        let missing = manifest.assets.filter { asset in
            guard let file = known[asset.url.absoluteString], file.version == asset.version else { return true }
            return !FileManager.default.fileExists(atPath: folder.appendingPathComponent(file.path).path)
        }
        var report = Report()
        var rest = missing[...]
        await withTaskGroup(of: (OfflineManifest.Asset, Result<File, any Error>).self) { group in
            func startNext() {
                guard let asset = rest.popFirst() else { return }
                group.addTask {
                    do {
                        return (asset, .success(try await self.fetch(asset)))
                    } catch {
                        return (asset, .failure(error))
                    }
                }
            }
            for _ in 0..<Self.parallelism { startNext() }
            while let (asset, result) = await group.next() {
                switch result {
                case .success(let file):
                    index.withLock { $0.files[asset.url.absoluteString] = file }
                    report.fetched.append(asset.url)
                case .failure(let error): report.failed[asset.url] = "\(error)"
                }
                startNext()
            }
        }
        let named = Set(manifest.assets.map(\.url.absoluteString))
        try index.withLock { index in
            for url in index.files.keys.sorted() where !named.contains(url) {
                index.files[url] = nil
                if let url = URL(string: url) { report.removed.append(url) }
            }
            try index.write(in: folder)
            index.prune(in: folder)
        }
        return report
    }

    private func fetch(_ asset: OfflineManifest.Asset) async throws -> File {
        let (temporary, response) = try await session.download(for: URLRequest(url: asset.source ?? asset.url))
        defer { try? FileManager.default.removeItem(at: temporary) }
        guard let http = response as? HTTPURLResponse, http.statusCode == 200 else {
            throw URLError(.badServerResponse)
        }
        let bytes = try Data(contentsOf: temporary, options: .alwaysMapped)
        if http.expectedContentLength >= 0, http.value(forHTTPHeaderField: "Content-Encoding") == nil,
            Int64(bytes.count) != http.expectedContentLength
        {
            throw URLError(.networkConnectionLost)
        }
        let digest = Digest(of: Array(bytes))
        if let expected = asset.sha256, expected != digest.hex { throw WebError.wrongContent(asset.url.absoluteString) }
        let name = Self.fileName(suggested: http.suggestedFilename, url: asset.url)
        let path = "\(URLFingerprint.name(of: asset.url.absoluteString))/\(asset.version)/\(name)"
        try store(temporary, as: digest, linkedAt: path)
        return File(version: asset.version, path: path, size: bytes.count)
    }

    /// The content once under its digest, and a link to it where the older way looks for it.
    private func store(_ temporary: URL, as digest: Digest, linkedAt path: String) throws {
        let files = FileManager.default
        let object = folder.appendingPathComponent("objects/\(digest.hex)")
        if !files.fileExists(atPath: object.path) {
            // From another volume a move is a copy: the name must not show half a file.
            let near = folder.appendingPathComponent("objects/\(UUID().uuidString).part")
            try files.moveItem(at: temporary, to: near)
            do {
                try files.moveItem(at: near, to: object)
            } catch {
                try? files.removeItem(at: near)
                if !files.fileExists(atPath: object.path) { throw error }
            }
        }
        let place = folder.appendingPathComponent(path)
        try files.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? files.removeItem(at: place)
        try files.linkItem(at: object, to: place)
    }

    /// The URL under which a request is looked up; nil where it is none of the web's.
    static func key(of text: String) -> URL? {
        guard let url = WebURL(text), !url.host.isEmpty, !url.hasUserInfo else { return nil }
        let scheme = url.scheme == "http" ? "http" : "https"
        let port = url.port.map { ":\($0)" } ?? ""
        return SentAddress.url("\(scheme)://\(url.host)\(port)\(url.path)\(url.query.map { "?\($0)" } ?? "")")
    }

    /// A name for the file that a server cannot use to reach another folder.
    static func fileName(suggested: String?, url: URL) -> String {
        let last = url.lastPathComponent
        let wanted =
            suggested.flatMap { $0.isEmpty || $0 == "Unknown" ? nil : $0 } ?? (last == "/" ? "index.html" : last)
        let allowed = wanted.unicodeScalars.map { scalar -> Character in
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(Character(scalar)))
            return isPlain || "-_.".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
        }
        let name = String(String(allowed).drop { $0 == "." }.suffix(100))
        return name.isEmpty ? "file" : name
    }
}
