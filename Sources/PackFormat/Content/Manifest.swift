/// The list of a version's files: the only thing about content that is signed.
///
///     let manifest = try Manifest(parsing: packJSON)
///     for (path, file) in manifest.files where file.from == nil { … file.digest … }
///
/// Its bytes are canonical JSON without time stamps (`pack.json` in the zip). So equal content gives an equal
/// manifest, and the SHA-256 of those bytes names the version's content for ever.
public struct Manifest: Hashable, Sendable {
    /// The newest format that this program reads and writes. A manifest is written in the lowest format that can hold
    /// it, see ``format``.
    public static let currentFormat = 3
    /// The manifest's name inside a package zip; a site cannot have a file of this name at its root.
    public static let fileName = "pack.json"
    /// The limits for a manifest from outside, checked before and while it is parsed.
    public static let maximumByteCount = 64 << 20
    public static let maximumFileCount = 200_000
    /// The most bytes of all files together: far above every real site, far below the point where sums of sizes
    /// overflow.
    public static let maximumTotalSize = 1 << 50

    public struct File: Hashable, Sendable {
        public let digest: Digest
        /// The size in bytes.
        public let size: Int
        /// The shared bundle that carries the file; nil for a file of this package's own zip.
        public let from: PackageID?

        public init(digest: Digest, size: Int, from: PackageID? = nil) {
            self.digest = digest
            self.size = size
            self.from = from
        }
    }

    public let package: PackageID
    public let version: SemanticVersion
    /// The page that `/` opens; nil for a shared bundle, which has no pages.
    public let entry: PackagePath?
    public let files: [PackagePath: File]
    /// The one version of each shared bundle that this version was built with.
    public let shared: [PackageID: VersionID]
    /// Absolute `https` URL prefixes whose pages and files this package answers.
    public let origins: [String]
    /// The app versions that can run this version; nil for all.
    public let requiredApp: VersionRange?
    /// Whether unknown paths without an extension open the entry (a single-page application).
    public let isSinglePage: Bool
    /// Response headers for every file, such as `Content-Security-Policy`, by lower-case name.
    public let headers: [String: String]
    /// Where the build expects to be mounted, besides `/`; nil for `/` only.
    public let base: BasePath?
    /// Whether the package's pages may register a service worker.
    public let wantsServiceWorker: Bool
    /// The services that answer paths of the package's own origin.
    public let api: APIRoutes
    /// What the pages store, and can read; nil if the version does not say.
    public let state: State?

    /// - Throws: ``FormatError/invalidDocument(_:reason:)`` for a manifest that contradicts itself: an entry
    ///   that is not among the files, a `from` without a pin or a pin that nothing uses, two paths that collide on a
    ///   case-insensitive file system, a path that is another one's folder, an origin that is no `https` prefix, a file
    ///   below a prefix of `api`, a base, a service worker, an `api` or a state of a shared bundle.
    public init(
        package: PackageID, version: SemanticVersion, entry: PackagePath?, files: [PackagePath: File],
        shared: [PackageID: VersionID] = [:], origins: [String] = [], requiredApp: VersionRange? = nil,
        isSinglePage: Bool = false, headers: [String: String] = [:], base: BasePath? = nil,
        wantsServiceWorker: Bool = false, api: APIRoutes = .none, state: State? = nil
    ) throws(FormatError) {
        self.package = package
        self.version = version
        self.entry = entry
        self.files = files
        self.shared = shared
        self.origins = origins
        self.requiredApp = requiredApp
        self.isSinglePage = isSinglePage
        self.headers = headers
        self.base = base
        self.wantsServiceWorker = wantsServiceWorker
        self.api = api
        self.state = state
        if let reason = fault {
            throw .invalidDocument("the manifest of \(package) \(version)", reason: reason)
        }
    }

    /// The lowest format that has all fields that are used. A device refuses formats that it does not read.
    public var format: Int {
        if state != nil { return 3 }
        return base == nil && !wantsServiceWorker && api.isEmpty ? 1 : 2
    }

    /// The paths in the order in which both ends derive a patch's content: by bytes.
    public var sortedPaths: [PackagePath] { files.keys.sorted() }

    /// The objects of this package's own zip, each once, in the order of their first path.
    public var ownObjects: [Object] {
        var seen: Set<Digest> = []
        return sortedPaths.compactMap { path in
            guard let file = files[path], file.from == nil, seen.insert(file.digest).inserted else { return nil }
            return Object(digest: file.digest, size: file.size)
        }
    }

    private var fault: String? {
        if files.isEmpty { return "it lists no files" }
        if files.count > Self.maximumFileCount { return "it lists more than \(Self.maximumFileCount) files" }
        if let entry, files[entry] == nil { return "the entry \"\(entry)\" is not among the files" }
        if entry == nil, isSinglePage { return "a single-page package needs an entry" }
        if entry == nil, format > 1 {
            return "a shared bundle has no pages: it takes no base, serviceWorker, api or state"
        }
        var sizes: [Digest: Int] = [:]
        var total = 0
        var used: Set<PackageID> = []
        sizes.reserveCapacity(files.count)
        for (path, file) in files {
            if path.text == Self.fileName { return "\"\(Self.fileName)\" is the manifest's own name" }
            if file.size < 0 { return "\"\(path)\" has a negative size" }
            // The total is within the limit before each addition, so neither side overflows.
            if file.size > Self.maximumTotalSize - total {
                return "the sizes add up to more than \(Self.maximumTotalSize) bytes"
            }
            total += file.size
            if let size = sizes.updateValue(file.size, forKey: file.digest), size != file.size {
                return "\"\(path)\" has the digest of a file of another size"
            }
            if let bundle = file.from {
                if shared[bundle] == nil { return "\"\(path)\" comes from \"\(bundle)\", which is not pinned" }
                used.insert(bundle)
            }
        }
        if let bundle = shared.keys.sorted().first(where: { !used.contains($0) }) {
            return "the shared bundle \"\(bundle)\" is pinned and not used"
        }
        if shared[package] != nil { return "it takes files from itself" }
        // The manifest stands beside the files: none may be in its place or below it, on any file system.
        let own = (try? PackagePath(Self.fileName)).map { [$0] } ?? []
        return PathCollisions.first(in: files.keys + own) ?? originFault ?? headerFault ?? apiFault
    }

    private var apiFault: String? {
        if api.isEmpty { return nil }
        // By its smallest path, so that the message is the same each time.
        let below = files.keys.filter { api.prefix(above: $0) != nil }.min()
        return below.map { "\"\($0)\" lies below \"\(api.prefix(above: $0) ?? "")\", which leads to a service" }
    }

    private var originFault: String? { origins.lazy.compactMap { Self.fault(ofOrigin: $0) }.first }

    package static func fault(ofOrigin origin: String) -> String? {
        let rest = origin.dropFirst("https://".count)
        let host = rest.prefix { $0 != "/" }
        let plain = origin.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard origin.hasPrefix("https://"), !host.isEmpty, origin.hasSuffix("/"), plain,
            !host.contains("@"), !origin.contains("?"), !origin.contains("#")
        else { return "the origin \"\(origin)\" is not an absolute https URL prefix that ends with /" }
        return nil
    }

    private var headerFault: String? {
        for (name, value) in headers {
            if let reason = Self.fault(ofHeaderName: name) { return reason }
            if !value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
                return "the header \"\(name)\" has a control character in its value"
            }
        }
        return nil
    }

    package static func fault(ofHeaderName name: String) -> String? {
        let isToken = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        }
        return name.isEmpty || !isToken ? "\"\(name)\" is not a lower-case header name" : nil
    }
}
