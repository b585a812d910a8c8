import Foundation
import PackArchive
import PackFormat
import TestSupport

/// A package built in code: its manifest and its zip.
struct Site {
    let manifest: Manifest
    let zip: URL

    var digest: Digest { manifest.digest }

    /// - Parameters:
    ///   - files: own files by path.
    ///   - shared: files that come from bundles, by path.
    init(
        _ package: String, _ version: String, _ files: [String: String], entry: String? = "index.html",
        bundles: [Site] = [], shared: [String: (bundle: String, content: String)] = [:], app: String? = nil,
        state: Manifest.State? = nil, in folder: TemporaryFolder
    ) throws {
        var listed: [PackagePath: Manifest.File] = [:]
        for (path, content) in files {
            listed[try PackagePath(path)] = Manifest.File(
                digest: Digest(of: Data(content.utf8)), size: content.utf8.count)
        }
        for (path, file) in shared {
            listed[try PackagePath(path)] = Manifest.File(
                digest: Digest(of: Data(file.content.utf8)), size: file.content.utf8.count,
                from: try PackageID(file.bundle))
        }
        var pins: [PackageID: VersionID] = [:]
        for bundle in bundles {
            pins[bundle.manifest.package] = .init(version: bundle.manifest.version, manifest: bundle.digest)
        }
        manifest = try Manifest(
            package: PackageID(package), version: SemanticVersion(version), entry: entry.map { try PackagePath($0) },
            files: listed, shared: pins, requiredApp: app.map { try VersionRange($0) }, state: state)
        zip = folder.url.appending(path: "\(package)-\(version)-\(UUID().uuidString).zip")
        var requests = try files.map { ContentRequest(.bytes(Array($1.utf8)), path: try PackagePath($0)) }
        requests.append(ContentRequest(.bytes(manifest.bytes), path: try PackagePath(Manifest.fileName)))
        try ArchiveWriter.write(requests, to: zip)
    }

    /// A one-page site whose text says which version it is.
    static func page(_ version: String, package: String = "checkout", in folder: TemporaryFolder) throws -> Site {
        try Site(
            package, version,
            [
                "index.html": "<h1>\(package) \(version)</h1>" + String(repeating: "<p>same in all</p>\n", count: 50),
                "app.js": String(repeating: "console.log('unchanged');\n", count: 40),
            ], in: folder)
    }
}
