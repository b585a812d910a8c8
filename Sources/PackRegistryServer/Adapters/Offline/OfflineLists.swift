import PackFormat
import PackJSON
import PackRegistryAPI
import Synchronization

/// The lists of files that older plugins read. `common` has the files of shared bundles, `business` each package's own,
/// each with its URL and a version.
///
/// A list is not signed: a client that wants more than the connection's word uses the updater.
final class OfflineLists: Sendable {
    /// Bytes of a list that is kept for others who get the same. A longer one is made for each request.
    private static let maximumKeptByteCount = 1 << 20

    /// What makes two lists the same.
    private struct Key: Hashable {
        let base: String
        let versions: [VersionName]
    }

    private let tools: AdapterTools
    private let known = Mutex(RecentCache<Key, ServedFile>(maximumCount: 16))

    init(tools: AdapterTools) {
        self.tools = tools
    }

    /// - Parameters:
    ///   - answers: about all packages. What is switched off or goes back to what the app brought is not listed.
    ///   - base: the beginning of all URLs.
    func list(of answers: [UpdateAnswer], _ base: String) async throws -> ServedFile {
        let versions = answers.compactMap { answer -> VersionName? in
            guard answer.offer.isEnabled, let version = answer.decision.release?.version else { return nil }
            return VersionName(answer.query.package, version)
        }
        let key = Key(base: base, versions: versions)
        if let list = known.withLock({ $0.value(for: key) }) { return list }
        let (list, isComplete) = try await tools.reads.pass { try await make(versions, base) }
        if isComplete, list.size <= Self.maximumKeptByteCount { known.withLock { $0.insert(list, for: key) } }
        return list
    }

    /// - Returns: the list, and whether all versions are in it: a publisher can withdraw one between two readings.
    private func make(_ versions: [VersionName], _ base: String) async throws -> (ServedFile, isComplete: Bool) {
        var manifests: [Manifest] = []
        for name in versions {
            if let manifest = try await tools.manifest(of: name.package, name.version) { manifests.append(manifest) }
        }
        return (ServedFile(text: Self.text(of: manifests, base)), manifests.count == versions.count)
    }

    private static func text(of manifests: [Manifest], _ base: String) -> String {
        var common: [String: JSONValue] = [:]
        var business: [JSONValue] = []
        for manifest in manifests {
            var assets: [JSONValue] = []
            for path in manifest.sortedPaths {
                guard let file = manifest.files[path] else { continue }
                let (url, asset) = asset(path, file, of: manifest, base: base)
                if file.from == nil { assets.append(asset) } else { common[url] = asset }
            }
            business.append(
                .object([
                    "package": .string(manifest.package.text), "version": .string(manifest.version.description),
                    "assets": .array(assets),
                ]))
        }
        let shared = common.sorted { $0.key < $1.key }.map(\.value)
        return JSONValue.object(["common": .array(shared), "business": .array(business)]).compactText
    }

    /// The URL is the one that pages ask for: under the package's first origin, else the online copy's.
    private static func asset(
        _ path: PackagePath, _ file: Manifest.File, of manifest: Manifest, base: String
    ) -> (String, JSONValue) {
        let place = String(SitePath.requestPath(of: path).drop { $0 == "/" })
        let copy =
            "\(base)/\(ViewLayout.site(manifest.package, manifest.version, ""))".replacing("+", with: "%2B") + place
        let url = manifest.origins.first.map { $0 + place } ?? copy
        return (
            url,
            .object([
                // Of the content: a file that did not change is not fetched again.
                "url": .string(url), "version": .string(String(file.digest.hex.prefix(16))), "source": .string(copy),
                "sha256": .string(file.digest.hex), "size": .integer(file.size),
            ])
        )
    }
}
