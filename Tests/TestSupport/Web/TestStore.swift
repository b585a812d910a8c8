package import Foundation
package import PackFormat

/// A folder with the objects of some versions, removed with its last user.
package final class TestStore: Sendable {
    package let folder: URL

    package init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("packweb-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    package func file(for digest: Digest) -> URL { folder.appendingPathComponent(digest.hex) }

    package func content(
        _ package: String = "shop", _ version: String = "1.0.0", entry: String? = "index.html",
        origins: [String] = [], spa: Bool = false, headers: [String: String] = [:],
        serviceWorker: Bool = false, _ files: [String: String]
    ) throws -> TestContent {
        try content(
            package, version, entry: entry, origins: origins, spa: spa, headers: headers, serviceWorker: serviceWorker,
            data: files.mapValues { Data($0.utf8) })
    }

    package func content(
        _ package: String = "shop", _ version: String = "1.0.0", entry: String? = "index.html",
        origins: [String] = [], spa: Bool = false, headers: [String: String] = [:],
        serviceWorker: Bool = false, data files: [String: Data]
    ) throws -> TestContent {
        var listed: [PackagePath: Manifest.File] = [:]
        for (path, data) in files {
            let digest = Digest(of: Array(data))
            try data.write(to: file(for: digest))
            listed[try PackagePath(path)] = Manifest.File(digest: digest, size: data.count)
        }
        let manifest = try Manifest(
            package: PackageID(package), version: SemanticVersion(version), entry: entry.map { try PackagePath($0) },
            files: listed, origins: origins, isSinglePage: spa, headers: headers,
            wantsServiceWorker: serviceWorker)
        return TestContent(manifest: manifest, store: self)
    }
}
