import HTTPTypes
import Hummingbird
import PackFormat
import PackRegistryAPI

/// `/adapters/archives/PACKAGE/VERSION/NAME.zip`: the files of a version as clients of other systems unpack them.
struct SiteArchiveController: Sendable {
    static let folder = "archives"

    let tools: AdapterTools

    /// The path of a zip, for a URL.
    static func path(of archive: SiteArchive) -> String {
        let name = archive.folder ?? "site"
        return
            "\(AdapterController.folder)/\(folder)/\(archive.manifest.package)/\(archive.manifest.version)/\(name).zip"
    }

    func response(to request: Request, path: ArraySlice<String>) async throws -> Response {
        let parts = Array(path)
        guard parts.count == 3, let package = try? PackageID(parts[0]), let version = try? SemanticVersion(parts[1]),
            let manifest = try await tools.manifest(of: package, version), manifest.entry != nil,
            let archive = Self.archive(parts[2], of: manifest)
        else { throw Problem.notFound("there is no such zip, or the publisher withdrew the version") }
        return try FileResponder.response(
            to: request, with: try await tools.archives.file(archive), mediaType: MediaType(fileExtension: "zip"),
            fields: [.cacheControl: CacheControl.immutable, .accessControlAllowOrigin: "*"])
    }

    private static func archive(_ name: String, of manifest: Manifest) -> SiteArchive? {
        name == "site.zip" ? SiteArchive(of: manifest) : nil
    }
}
