package import Foundation
package import PackFormat

/// A dist folder as the version that a build would make of it, without building: the manifest, and the place of each
/// object's bytes.
///
///     var preview = try DistPreview(URL(filePath: "dist"))
///     preview = try preview.refreshed() ?? preview   // nil: nothing changed
package struct DistPreview: Sendable {
    package let manifest: Manifest
    package let locations: [Digest: URL]
    /// The base that the entry page implies, if nobody has set one.
    package let guessedBase: BasePath?

    private struct Stamp: Hashable {
        let size: Int
        let modified: Date?
    }

    private let folder: URL
    private let settings: PackageSettings
    /// What the caller said; nil: the configuration's. Where that has none, the base is guessed anew each time.
    private let givenBase: BaseSetting?
    private let stamps: [PackagePath: Stamp]

    /// - Parameters:
    ///   - package: the id, else that of the configuration, else `preview`.
    ///   - base: where the build expects to be mounted; nil for the configuration's value.
    /// - Throws: ``BuildError``, `FormatError`
    package init(_ folder: URL, package: PackageID? = nil, base: BaseSetting? = nil) throws {
        let settings = try Self.settings(folder, package: package)
        try self.init(folder, settings: settings, givenBase: base, known: nil)
    }

    /// The folder and its configuration as they are now, under the same id; nil if nothing has changed. A file is read again only if
    /// its size or time differs.
    package func refreshed() throws -> DistPreview? {
        let settings = try Self.settings(folder, package: settings.id)
        let scan = try DistScanner(rules: settings.rules).scan(folder)
        if try Self.stamps(of: scan) == stamps, settings.configuration == self.settings.configuration { return nil }
        return try DistPreview(folder, settings: settings, givenBase: givenBase, known: self)
    }

    private init(
        _ folder: URL, settings: PackageSettings, givenBase: BaseSetting?, known: DistPreview?
    ) throws {
        let base = givenBase ?? settings.configuration.base
        let scan = try DistScanner(rules: settings.rules).scan(folder)
        let stamps = try Self.stamps(of: scan)
        var files: [PackagePath: Manifest.File] = [:]
        var locations: [Digest: URL] = [:]
        for file in scan.files {
            if let known, known.stamps[file.path] == stamps[file.path], let same = known.manifest.files[file.path] {
                files[file.path] = same
            } else {
                let data = try Data(contentsOf: file.url, options: .mappedIfSafe)
                files[file.path] = Manifest.File(digest: Digest(of: data), size: data.count)
            }
            if let digest = files[file.path]?.digest { locations[digest] = file.url }
        }
        let configuration = settings.configuration
        let index = try PackagePath("index.html")
        let entry = configuration.entry ?? index
        guessedBase = base == nil ? Self.guess(entry, in: scan) : nil
        manifest = try Manifest(
            package: settings.id, version: settings.version, entry: entry, files: files,
            origins: configuration.origins, isSinglePage: configuration.isSinglePage, headers: configuration.headers,
            base: base?.path ?? guessedBase, wantsServiceWorker: configuration.wantsServiceWorker,
            api: configuration.api)
        self.locations = locations
        self.folder = folder
        self.settings = settings
        self.givenBase = givenBase
        self.stamps = stamps
    }

    private static func settings(_ folder: URL, package: PackageID?) throws -> PackageSettings {
        let version = try SemanticVersion("0.0.0-preview")
        do {
            return try PackageSettings(dist: folder, package: package, version: version)
        } catch BuildError.noPackageID {
            return try PackageSettings(dist: folder, package: PackageID("preview"), version: version)
        }
    }

    private static func guess(_ entry: PackagePath, in scan: ScannedDist) -> BasePath? {
        guard let file = scan.files.first(where: { $0.path == entry }),
            let format = ReferenceFormat(fileExtension: entry.fileExtension),
            let data = try? Data(contentsOf: file.url, options: .mappedIfSafe)
        else { return nil }
        let references = data.withUnsafeBytes { format.references(in: $0) }
        return BaseSetting.guess(references, of: entry, paths: scan.files.lazy.map(\.path))
    }

    private static func stamps(of scan: ScannedDist) throws -> [PackagePath: Stamp] {
        var stamps: [PackagePath: Stamp] = [:]
        for file in scan.files {
            let attributes = try? FileManager.default.attributesOfItem(atPath: file.url.path)
            stamps[file.path] = Stamp(size: file.size, modified: attributes?[.modificationDate] as? Date)
        }
        return stamps
    }
}
