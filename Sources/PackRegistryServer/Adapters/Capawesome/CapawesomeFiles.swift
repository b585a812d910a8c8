import HTTPTypes
import Hummingbird
import PackFormat
import PackJSON
import PackRegistryAPI
import Synchronization

/// The files of a version as a Capawesome client fetches them: `PACKAGE/VERSION/files?href=PATH`. The list of them has
/// a path among them.
final class CapawesomeFiles: Sendable {
    /// Files of a list, which the client fetches one by one.
    private static let maximumFileCount = 4_000
    private static let folder = "files"
    /// Where clients look for the list, and keep it for the next update.
    private static let listPath = "capawesome-live-update-manifest.json"
    /// The client compares a file with it.
    private static let checksumField = HTTPField.Name("X-Checksum")

    private let tools: AdapterTools
    /// The texts of lists, which many devices ask for.
    private let lists = Mutex(RecentCache<VersionName, ServedFile>(maximumCount: 16))

    init(tools: AdapterTools) {
        self.tools = tools
    }

    static func path(of manifest: Manifest) -> String {
        let kind = AdapterKind.capawesome.rawValue
        return "\(AdapterController.folder)/\(kind)/\(manifest.package)/\(manifest.version)/\(folder)"
    }

    /// Whether the client can show it: it looks for a file of this name.
    static func hasPages(_ manifest: Manifest) -> Bool { manifest.entry?.text == "index.html" }

    /// Whether a client has the version's files after an update by a list.
    ///
    /// It does not fetch a file whose content it has anywhere. It copies the one of the same path instead, and does not
    /// look at its content: where two files swapped their contents it would keep both as they were.
    /// - Parameter base: the version that runs; nil for what the app brought.
    static func canList(_ manifest: Manifest, from base: Manifest?) -> Bool {
        guard hasPages(manifest), manifest.files.count <= maximumFileCount else { return false }
        guard let base else { return true }
        let contents = Set(base.files.values.map(\.digest))
        return manifest.files.allSatisfy { path, file in
            guard let old = base.files[path], old.digest != file.digest else { return true }
            return !contents.contains(file.digest)
        }
    }

    func response(to request: Request, path parts: [String]) async throws -> Response {
        guard parts.count == 3, parts[2] == Self.folder, let package = try? PackageID(parts[0]),
            let version = try? SemanticVersion(parts[1]),
            let manifest = try await tools.manifest(of: package, version), Self.canList(manifest, from: nil)
        else { throw Problem.notFound("there is nothing at this path, or the publisher withdrew the version") }
        guard request.method == .get || request.method == .head else { throw Problem.methodNotAllowed([.get, .head]) }
        guard let href = request.uri.queryParameters["href"].map(String.init), !href.isEmpty else {
            throw Problem.badRequest("href must be the path of a file")
        }
        if href == Self.listPath {
            let list = list(of: manifest)
            return try FileResponder.response(
                to: request, with: list, mediaType: MediaType("application/json"), fields: Self.fields(list.digest))
        }
        guard let path = try? PackagePath(href), let listed = manifest.files[path] else {
            throw Problem.notFound("\(package) \(version) has no such file")
        }
        return try await tools.view.response(to: request, with: listed, at: path, fields: Self.fields(listed.digest))
    }

    private static func fields(_ digest: Digest) -> HTTPFields {
        var fields: HTTPFields = [.cacheControl: CacheControl.immutable]
        if let checksumField { fields[checksumField] = digest.hex }
        return fields
    }

    private func list(of manifest: Manifest) -> ServedFile {
        let key = VersionName(manifest.package, manifest.version)
        if let known = lists.withLock({ $0.value(for: key) }) { return known }
        // A list that the publisher's own tools left among the pages would be copied over this one.
        let files = manifest.sortedPaths.filter { $0.text != Self.listPath }.compactMap { path -> JSONValue? in
            guard let file = manifest.files[path] else { return nil }
            return .object([
                "checksum": .string(file.digest.hex), "href": .string(path.text), "sizeInBytes": .integer(file.size),
            ])
        }
        let list = ServedFile(text: JSONValue.array(files).compactText)
        lists.withLock { $0.insert(list, for: key) }
        return list
    }
}
