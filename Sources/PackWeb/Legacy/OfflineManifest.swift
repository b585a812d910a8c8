public import Foundation

/// A manifest of the older way: URLs with versions, those that all pages need first. Written by `packtool serve` under
/// `/offline/manifest.json`, or by somebody else's server.
///
///     {"common": [{"url": "https://…/vendor.js", "version": "3"}],
///      "business": [{"assets": [{"url": "https://…/index.html", "version": "7"}]}]}
///
/// Unknown keys are ignored; an entry whose URL or version cannot be used is left out and counted.
public struct OfflineManifest: Hashable, Sendable {
    public struct Asset: Hashable, Sendable {
        /// What pages ask for.
        public let url: URL
        public let version: String
        /// Where exactly this content is found; nil: under the URL.
        public let source: URL?
        /// Of the content, in hexadecimal; nil where the server does not say.
        public let sha256: String?
    }

    /// Bounds on a document from outside.
    public static let maximumByteCount = 8 << 20
    public static let maximumAssetCount = 50_000
    static let maximumVersionLength = 64

    /// Those of all pages first, each URL once.
    public let assets: [Asset]
    public let refusedCount: Int

    /// - Throws: ``WebError/invalidOfflineManifest(_:)``
    public init(parsing data: Data) throws(WebError) {
        guard data.count <= Self.maximumByteCount else {
            throw .invalidOfflineManifest("it is larger than \(Self.maximumByteCount) bytes")
        }
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: data)
        } catch {
            throw .invalidOfflineManifest("\(error)")
        }
        let entries = (document.common ?? []) + (document.business ?? []).flatMap { $0.assets ?? [] }
        guard entries.count <= Self.maximumAssetCount else {
            throw .invalidOfflineManifest("it has more than \(Self.maximumAssetCount) files")
        }
        var seen: Set<URL> = []
        var assets: [Asset] = []
        var refusedCount = 0
        for entry in entries {
            guard let asset = Asset(entry) else {
                refusedCount += 1
                continue
            }
            if seen.insert(asset.url).inserted { assets.append(asset) }
        }
        self.assets = assets
        self.refusedCount = refusedCount
    }

    fileprivate struct Document: Decodable {
        let common: [Entry]?
        let business: [Business]?
    }

    fileprivate struct Business: Decodable {
        let assets: [Entry]?
    }

    fileprivate struct Entry: Decodable {
        let url: String?
        let version: String?
        let source: String?
        let sha256: String?

        private enum CodingKeys: String, CodingKey {
            case url, version, source, sha256
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            url = try? container.decode(String.self, forKey: .url)
            // Servers write it as a number as well.
            version =
                (try? container.decode(String.self, forKey: .version))
                ?? (try? container.decode(Int.self, forKey: .version)).map { "\($0)" }
            source = try? container.decode(String.self, forKey: .source)
            sha256 = try? container.decode(String.self, forKey: .sha256)
        }
    }
}

extension OfflineManifest.Asset {
    fileprivate init?(_ entry: OfflineManifest.Entry) {
        guard let text = entry.url, let url = OfflineCache.key(of: text), let version = entry.version, !version.isEmpty,
            version.utf8.count <= OfflineManifest.maximumVersionLength, !version.hasPrefix("."),
            version.utf8.allSatisfy({ byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-._+".utf8.contains(byte)
            })
        else { return nil }
        self.url = url
        self.version = version
        source = entry.source.flatMap { URL(string: $0) }.flatMap { ["http", "https"].contains($0.scheme) ? $0 : nil }
        sha256 = entry.sha256?.lowercased()
    }
}
