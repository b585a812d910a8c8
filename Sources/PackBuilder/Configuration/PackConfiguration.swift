package import Foundation
package import PackArchive
package import PackFormat

/// `packtool.json`: the settings of a project for its packages, in JSON with comments.
///
///     {
///         // the id and version default to those of package.json
///         "package": "checkout",
///         "registry": "https://packages.example.com",
///         "shared": { "name": "web-common", "include": ["vendor/**"] },
///         "budget": { "total": "2 MB", "files": { "**/*.js": "300 kB" } }
///     }
package struct PackConfiguration: Hashable, Sendable {
    package static let fileName = "packtool.json"

    package struct Shared: Hashable, Sendable {
        /// The bundle's package id; nil means `shared`.
        package var name: PackageID?
        /// The patterns of files that go to the bundle.
        package var include: [String] = []
        /// Whether files that several packages have in common go to the bundle.
        package var isAutomatic: Bool?
    }

    /// The largest size of a package in bytes, unpacked and with its shared files.
    package struct Budget: Hashable, Sendable {
        package var total: Int?
        /// The largest size of any one file.
        package var file: Int?
        /// The largest size of each file that matches a pattern.
        package var files: [Pattern] = []

        package struct Pattern: Hashable, Sendable {
            package let pattern: String
            package let limit: Int
        }
    }

    /// The file that was read; nil if there is none.
    package var file: URL?
    package var app: String?
    package var package: PackageID?
    package var version: SemanticVersion?
    package var entry: PackagePath?
    /// The registry: a folder (relative to the file) or a URL.
    package var registry: String?
    /// The bucket of the registry's files: `s3://BUCKET/PREFIX`.
    package var storage: String?
    package var channel: ChannelName?
    package var ignore: [String] = []
    package var shared = Shared()
    package var budget = Budget()
    package var origins: [String] = []
    package var requiredApp: VersionRange?
    package var isSinglePage = false
    package var headers: [String: String] = [:]
    /// Where the web build expects to be mounted, besides `/`.
    package var base: BaseSetting?
    package var wantsServiceWorker = false
    package var api = APIRoutes.none
    package var state: Manifest.State?
    package var audit = AuditLevels()
    /// The folder that the web build writes, relative to the file.
    package var dist: String?
    package var compression: CompressionLevel?
    /// The folder for built packages, relative to the file.
    package var out: String?

    package init() {}

    /// The folder where packages are written and looked for: `out`, or else `packages`, beside the configuration, or
    /// else in the working folder.
    package var outFolder: URL { Self.asWritten(resolve(out ?? "packages")) }

    /// A folder, as a person in the working folder would write it.
    package static func asWritten(_ folder: URL) -> URL {
        let place = folder.absoluteURL.standardizedFileURL.path(percentEncoded: false)
        let here = URL.currentDirectory().standardizedFileURL.path(percentEncoded: false)
        let path = place.hasPrefix(here) ? String(place.dropFirst(here.count)) : place
        return URL(filePath: path.isEmpty ? "." : path, directoryHint: .isDirectory)
    }

    /// The nearest configuration: in a folder, or in a folder above it; nil if there is none.
    /// - Throws: ``BuildError``
    package static func nearest(to folder: URL) throws -> PackConfiguration? {
        guard let file = NearestFile.named(fileName, from: folder) else { return nil }
        return try PackConfiguration(contentsOf: file)
    }

    /// Resolves a path in the configuration relative to its folder.
    package func resolve(_ path: String) -> URL {
        guard let file, !path.hasPrefix("/") else { return URL(filePath: path) }
        return file.deletingLastPathComponent().appending(path: path)
    }
}

/// Looks for a file in a folder and in the folders above it.
enum NearestFile {
    static func named(_ name: String, from folder: URL) -> URL? {
        var folder = folder.absoluteURL.standardizedFileURL
        while true {
            let file = folder.appending(path: name)
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue {
                return file
            }
            guard folder.pathComponents.count > 1 else { return nil }
            folder = folder.deletingLastPathComponent().standardizedFileURL
        }
    }
}
