import HTTPTypes
import Hummingbird
import PackFormat
import PackRegistryAPI

/// `/adapters/archives/PACKAGE/VERSION/NAME.zip`: the files of a version as clients of other systems unpack them.
///
/// `site` has them at the root, and `www`, `public` and `CodePush` in a folder of that name. `www.from-1.3.0` has what
/// changed since that version.
struct SiteArchiveController: Sendable {
    static let folder = "archives"
    private static let rootName = "site"
    private static let fromWord = ".from-"

    let tools: AdapterTools

    /// The path of a zip, for a URL.
    static func path(of archive: SiteArchive) -> String {
        let manifest = archive.manifest
        let name = (archive.folder ?? rootName) + (archive.base.map { "\(fromWord)\($0.version)" } ?? "")
        return "\(AdapterController.folder)/\(folder)/\(manifest.package)/\(manifest.version)/\(name).zip"
    }

    func response(to request: Request, path: ArraySlice<String>) async throws -> Response {
        guard request.method == .get || request.method == .head else { throw Problem.methodNotAllowed([.get, .head]) }
        guard let archive = try await archive(Array(path)) else {
            throw Problem.notFound("there is no such zip, or the publisher withdrew the version")
        }
        var found = try await tools.archives.known(archive)
        // Anybody may ask, so what no client is sent to is not made.
        if found == nil, try await tools.isOffered(archive.manifest) { found = try await tools.archives.file(archive) }
        guard let found else { throw Problem.notFound("the version is not offered, so no zip of it is made") }
        return try FileResponder.response(
            to: request, with: found, mediaType: MediaType(fileExtension: "zip"),
            fields: [.cacheControl: CacheControl.immutable, .accessControlAllowOrigin: "*"])
    }

    private func archive(_ parts: [String]) async throws -> SiteArchive? {
        guard parts.count == 3, parts[2].hasSuffix(".zip"), let package = try? PackageID(parts[0]),
            let manifest = try await manifest(of: package, parts[1])
        else { return nil }
        let words = parts[2].dropLast(".zip".count)
            .split(separator: Self.fromWord, maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let name = words.first else { return nil }
        if name == Self.rootName { return words.count == 1 ? SiteArchive(of: manifest) : nil }
        guard CodePushKey.Folder(rawValue: name) != nil else { return nil }
        guard words.count == 2 else { return SiteArchive(of: manifest, in: name) }
        guard let base = try await self.manifest(of: package, words[1]), base.version != manifest.version else {
            return nil
        }
        return SiteArchive(of: manifest, in: name, from: base)
    }

    private func manifest(of package: PackageID, _ text: String) async throws -> Manifest? {
        guard let version = try? SemanticVersion(text), let manifest = try await tools.manifest(of: package, version)
        else { return nil }
        // A shared bundle has no pages.
        return manifest.entry == nil ? nil : manifest
    }
}
