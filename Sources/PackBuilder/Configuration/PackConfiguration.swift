package import Foundation
package import PackArchive
package import PackFormat

/// `packtool.json`: what a project says about its package, in JSON with comments.
///
///     {
///         // the id and version default to those of package.json
///         "package": "checkout",
///         "registry": "https://packages.example.com",
///         "shared": { "name": "web-common", "include": ["vendor/**"] },
///         "budget": { "total": "2 MB", "files": { "**/*.js": "300 kB" } }
///     }
package struct PackConfiguration: Sendable {
    package static let fileName = "packtool.json"

    package struct Shared: Hashable, Sendable {
        /// The bundle's package id; nil for `shared`.
        package var name: PackageID?
        /// Patterns of files that go to the bundle.
        package var include: [String] = []
        /// Whether files that several packages have go to the bundle.
        package var isAutomatic: Bool?
    }

    /// The most bytes that a package may have, unpacked and with its shared files.
    package struct Budget: Hashable, Sendable {
        package var total: Int?
        /// Of any one file.
        package var file: Int?
        /// Of the files that match a pattern, each.
        package var files: [Pattern] = []

        package struct Pattern: Hashable, Sendable {
            package let pattern: String
            package let limit: Int
        }
    }

    /// Where it was read; nil for no file.
    package var file: URL?
    package var app: String?
    package var package: PackageID?
    package var version: SemanticVersion?
    package var entry: PackagePath?
    /// A folder (relative to the file) or a URL.
    package var registry: String?
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
    package var audit = AuditLevels()
    /// The folder that the web build writes, relative to the file.
    package var dist: String?
    package var compression: CompressionLevel?
    /// The folder for built packages, relative to the file.
    package var out: String?

    package init() {}

    /// Where packages are written and looked for: `out`, else `packages`, beside the configuration, else in the working
    /// folder.
    package var outFolder: URL { Self.asWritten(resolve(out ?? "packages")) }

    /// A folder as a person in the working folder would write it.
    package static func asWritten(_ folder: URL) -> URL {
        let place = folder.absoluteURL.standardizedFileURL.path(percentEncoded: false)
        let here = URL.currentDirectory().standardizedFileURL.path(percentEncoded: false)
        let path = place.hasPrefix(here) ? String(place.dropFirst(here.count)) : place
        return URL(filePath: path.isEmpty ? "." : path, directoryHint: .isDirectory)
    }

    /// The configuration nearest to a folder: its own, or that of a folder above it; nil where there is none.
    /// - Throws: ``BuildError``
    package static func nearest(to folder: URL) throws -> PackConfiguration? {
        guard let file = NearestFile.named(fileName, from: folder) else { return nil }
        return try PackConfiguration(contentsOf: file)
    }

    /// A path of the configuration, relative to the folder that it stands in.
    package func resolve(_ path: String) -> URL {
        guard let file, !path.hasPrefix("/") else { return URL(filePath: path) }
        return file.deletingLastPathComponent().appending(path: path)
    }
}

/// Looks for a file in a folder and in those above it.
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
