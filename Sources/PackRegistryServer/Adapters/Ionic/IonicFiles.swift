import Foundation
import HTTPTypes
import Hummingbird
import PackFormat
import PackJSON
import PackRegistryAPI

/// The files of a version as an Appflow client fetches them: `PACKAGE/VERSION/files/` is a list of them, and each is at its
/// path below.
struct IonicFiles: Sendable {
    /// Files of a list, which the client fetches one by one.
    private static let maximumFileCount = 20_000
    private static let folder = "files"
    /// What a URL in a list would not lead to: the client resolves each path against the list's URL.
    private static let misleading: Set<UInt8> = Set("#?%:\\".utf8)

    let tools: AdapterTools

    static func path(of manifest: Manifest) -> String {
        "\(AdapterController.folder)/\(AdapterKind.ionic.rawValue)/\(manifest.package)/\(manifest.version)/\(folder)/"
    }

    /// Whether the client can fetch all files and show the entry.
    static func canList(_ manifest: Manifest) -> Bool {
        manifest.entry?.text == "index.html" && manifest.files.count <= maximumFileCount
            && manifest.files.keys.allSatisfy { path in path.text.utf8.allSatisfy { !misleading.contains($0) } }
    }

    func response(to request: Request, path parts: [String]) async throws -> Response {
        guard parts.count >= 4, parts[2] == Self.folder, let package = try? PackageID(parts[0]),
            let version = try? SemanticVersion(parts[1]),
            let manifest = try await tools.manifest(of: package, version), Self.canList(manifest)
        else { throw Problem.notFound("there is nothing at this path, or the publisher withdrew the version") }
        guard request.method == .get || request.method == .head else { throw Problem.methodNotAllowed([.get, .head]) }
        let text = parts.dropFirst(3).joined(separator: "/")
        if text.isEmpty { return list(of: manifest) }
        guard let path = try? PackagePath(text), let listed = manifest.files[path] else {
            throw Problem.notFound("\(package) \(version) has no such file")
        }
        guard let file = try await tools.view.object(listed.digest), file.size == listed.size else {
            throw RegistryError(.unusable, "the object of \(path) is not in the published view")
        }
        return try FileResponder.response(
            to: request, with: file, mediaType: MediaType(of: path), fields: [.cacheControl: CacheControl.immutable])
    }

    /// Clients compare entries as texts with those of their app, so the order of the fields counts.
    private func list(of manifest: Manifest) -> Response {
        let entries = manifest.sortedPaths.compactMap { path -> String? in
            guard let file = manifest.files[path] else { return nil }
            let integrity = "sha256-" + Data(file.digest.bytes).base64EncodedString()
            return
                #"{"href":\#(JSONValue.string(path.text).compactText),"size":\#(file.size),"integrity":"\#(integrity)"}"#
        }
        var response = Response.adapterJSON("[" + entries.joined(separator: ",") + "]")
        response.headers[.cacheControl] = CacheControl.immutable
        return response
    }
}
