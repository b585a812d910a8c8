import Foundation
import PackFormat
import PackWeb

/// An installed package of equal files, as a device keeps one.
struct MeasuredSite: SiteCatalog, SiteContent {
    let manifest: Manifest
    let urls: [String]
    /// Of the objects, in the folder and whole.
    let names: [String]
    let paths: [String]
    private let folder: URL

    init(_ folder: URL, fileCount: Int, fileSize: Int) throws {
        var files: [PackagePath: Manifest.File] = [:]
        var (urls, names): ([String], [String]) = ([], [])
        for number in 0..<fileCount {
            let bytes = (0..<fileSize).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251 &+ number) }
            let digest = Digest(of: bytes)
            try Data(bytes).write(to: folder.appendingPathComponent(digest.hex))
            files[try PackagePath("assets/file-\(number).js")] = Manifest.File(digest: digest, size: fileSize)
            urls.append("https://shop.package/assets/file-\(number).js")
            names.append(digest.hex)
        }
        manifest = try Manifest(
            package: PackageID("shop"), version: SemanticVersion("1.0.0"), entry: nil, files: files)
        self.folder = folder
        self.urls = urls
        self.names = names
        paths = names.map { folder.appendingPathComponent($0).path }
    }

    var settings: WebSettings { WebSettings(packages: [manifest.package: WebSettings.Package()]) }
    func content(of package: PackageID) throws -> (any SiteContent)? { self }
    func file(for digest: Digest) throws -> URL { folder.appendingPathComponent(digest.hex) }
}
