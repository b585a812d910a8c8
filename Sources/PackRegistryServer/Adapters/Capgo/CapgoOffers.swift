import HTTPTypes
import Hummingbird
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI
import Synchronization

/// What a Capgo client gets to fetch: a zip, and a list of files where the client can read one.
///
/// A list is the better of the two: the client fetches only what it does not have, and many small downloads come
/// through where one large one exceeds the client's time.
final class CapgoOffers: Sendable {
    /// Files of a list. A longer one would cost more at each check than it saves.
    private static let maximumFileCount = 4_000
    /// Bytes of a question about the sizes of so many files.
    private static let maximumByteCount = 4 << 20

    private struct ListKey: Hashable {
        let manifest: Digest
        let base: String
    }

    private let tools: AdapterTools
    /// The texts of lists, which many devices ask for.
    private let lists = Mutex(RecentCache<ListKey, String>(maximumCount: 16))

    init(tools: AdapterTools) {
        self.tools = tools
    }

    func offer(
        _ package: PackageID, _ version: SemanticVersion, to device: CapgoDevice, _ request: Request
    ) async throws -> Response {
        // A publisher can withdraw a version between two readings.
        guard let manifest = try await tools.manifest(of: package, version) else { return CapgoAdapter.upToDate }
        guard !device.wantsEncryption else {
            return CapgoAdapter.blocked(
                "encryption_not_supported", "The app has a publicKey, and this server has no encrypted bundles")
        }
        guard manifest.entry?.text == "index.html" else {
            return CapgoAdapter.blocked("no_index_html", "The entry of \(package) \(version) is not index.html")
        }
        let list = device.readsFileLists ? list(of: manifest, tools.address.base(for: request)) : nil
        let zip = try await tools.zip(of: manifest, isNeeded: list == nil)
        let document: JSONObject = [
            "version": .string(version.description), "url": .string(tools.address.url(zip.path, for: request)),
            "checksum": .string(device.verifiesDigests ? zip.digest?.hex ?? "" : ""),
        ]
        var text = JSONValue.object(document).compactText
        if let list { text = text.dropLast() + ",\"manifest\":\(list)}" }
        return .adapterJSON(text)
    }

    /// The files as a JSON array; nil where the clients would not understand them.
    private func list(of manifest: Manifest, _ base: String) -> String? {
        guard manifest.files.count <= Self.maximumFileCount,
            // Clients take such a name for a compressed file of a name without it.
            !manifest.files.keys.contains(where: { $0.text.hasSuffix(".br") })
        else { return nil }
        let key = ListKey(manifest: manifest.digest, base: base)
        if let known = lists.withLock({ $0.value(for: key) }) { return known }
        let files = manifest.sortedPaths.compactMap { path -> JSONValue? in
            guard let digest = manifest.files[path]?.digest else { return nil }
            return .object([
                "file_name": .string(path.text), "file_hash": .string(digest.hex),
                "download_url": .string("\(base)/\(ViewPath.object(digest))"),
            ])
        }
        let text = JSONValue.array(files).compactText
        lists.withLock { $0.insert(text, for: key) }
        return text
    }

    // MARK: Sizes

    /// How many bytes the files of a list have. The client asks before it fetches.
    func sizes(
        of package: PackageID, _ request: Request, _ context: RegistryRequestContext
    ) async throws -> Response {
        let body = try await tools.body(
            of: request, context, upTo: Self.maximumByteCount, values: 8 * Self.maximumFileCount
        ).object("the body")
        let version = body.looseText("version").flatMap { try? SemanticVersion($0) }
        let manifest = if let version { try await tools.manifest(of: package, version) } else { nil as Manifest? }
        var sizes: [String: Int] = [:]
        for file in manifest?.files.values ?? [:].values { sizes[file.digest.hex] = file.size }
        var (total, known) = (0, 0)
        let files = try body.array("manifest").map { value -> JSONValue in
            var file = try value.object("manifest")
            guard let size = file.looseText("file_hash").flatMap({ sizes[$0] }) else { return .object(file) }
            total += size
            known += 1
            file["size"] = .integer(size)
            return .object(file)
        }
        return .adapterJSON(
            [
                "totalSize": .integer(total), "knownFiles": .integer(known),
                "unknownFiles": .integer(files.count - known), "files": .array(files),
            ])
    }
}
