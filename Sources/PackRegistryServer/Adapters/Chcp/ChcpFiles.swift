import HTTPTypes
import Hummingbird
import PackFormat
import PackRegistryAPI

/// A version's files beside the list of them, `chcp.manifest`.
struct ChcpFiles: Sendable {
    /// What a client writes beside the files itself. A package may have them from the protocol's own tools.
    static let configurationPath = "chcp.json"
    static let listPath = "chcp.manifest"
    static let own: Set = [configurationPath, listPath]

    /// Files of a list. Clients compare each with each.
    private static let maximumFileCount = 20_000
    /// What a URL in a list would not lead to: clients on Android append each path to the list's URL.
    private static let misleading: Set<UInt8> = Set("#?".utf8)

    private let tools: AdapterTools
    private let lists: ChcpLists

    init(tools: AdapterTools) {
        self.tools = tools
        lists = ChcpLists(view: tools.view)
    }

    /// Whether clients can fetch all files.
    static func canList(_ manifest: Manifest) -> Bool { fault(of: manifest) == nil }

    /// Why clients cannot fetch all files of a version, in words that follow its name; nil if they can.
    static func fault(of manifest: Manifest) -> String? {
        guard manifest.entry != nil else { return "has no page to begin with" }
        guard manifest.files.count <= maximumFileCount else { return "has more than \(maximumFileCount) files" }
        let misread = manifest.files.keys.filter { path in path.text.utf8.contains { misleading.contains($0) } }
        return misread.min().map { "has the file \"\($0)\", whose path they would cut at # or ?" }
    }

    /// - Parameters:
    ///   - name: what follows the folder of the version.
    ///   - isOffered: whether a channel is known to offer the version. Anybody may ask for the list of another, and it
    ///     is not made.
    func response(
        to request: Request, _ name: String, of manifest: Manifest, isOffered: Bool, cacheControl: String
    ) async throws -> Response {
        let fields: HTTPFields = [.cacheControl: cacheControl]
        if name == Self.listPath {
            let list = try await list(of: manifest, isOffered: isOffered)
            return try FileResponder.response(
                to: request, with: list, mediaType: MediaType("application/json"), fields: fields)
        }
        guard !Self.own.contains(name), let path = try? PackagePath(name), let listed = manifest.files[path] else {
            throw Problem.notFound("\(manifest.package) \(manifest.version) has no such file")
        }
        return try await tools.view.response(to: request, with: listed, at: path, fields: fields)
    }

    private func list(of manifest: Manifest, isOffered: Bool) async throws -> ServedFile {
        if let known = await lists.known(manifest) { return known }
        var isOffered = isOffered
        if !isOffered { isOffered = try await tools.isOffered(manifest) }
        guard isOffered else { throw Problem.notFound("the version is not offered, so no list of it is made") }
        return try await lists.list(of: manifest)
    }
}
