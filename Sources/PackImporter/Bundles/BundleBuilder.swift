package import Foundation
package import PackArchive
package import PackBuilder
package import PackFormat
import PackRegistryAPI

/// Makes packages of the zips of another system. All files come over, so that its clients know the version by its content.
package struct BundleBuilder {
    /// What no client of the other systems counts as a part of the site.
    private static let rules = PathRules(text: "!*\n.DS_Store\n.codepushrelease\n/__MACOSX/")

    private let package: PackageID
    private let configuration: PackConfiguration
    private let cache: CompressionCache?

    /// - Parameter configuration: the project's: its rules for requests, headers and the entry are those of the versions too. The
    ///   app's versions are the export's.
    package init(package: PackageID, configuration: PackConfiguration?, cache: CompressionCache? = nil) {
        var kept = PackConfiguration()
        if let configuration {
            kept.entry = configuration.entry
            kept.origins = configuration.origins
            kept.isSinglePage = configuration.isSinglePage
            kept.headers = configuration.headers
            kept.base = configuration.base
            kept.wantsServiceWorker = configuration.wantsServiceWorker
            kept.api = configuration.api
        }
        self.package = package
        self.configuration = kept
        self.cache = cache
    }

    /// - Parameter folder: where the package goes, and where the zip is unpacked meanwhile.
    /// - Returns: the package, and what to know of its files.
    /// - Throws: ``ImportError``, `ArchiveError`
    package func build(_ version: ImportPlan.Version, in folder: URL) throws -> (
        package: BuiltPackage, secrets: [String]
    ) {
        if case .zip(let expected) = version.content { try check(version, expected) }
        let unpacked = try unpack(version)
        let dist = folder.appending(path: "site", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: dist, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: dist) }
        try unpacked.write(to: dist)
        var request = BuildRequest(dists: [dist])
        request.packages = [package]
        request.versions = [version.version]
        request.requiredApp = version.requiredApp
        request.configuration = configuration
        request.rules = Self.rules
        // They are on devices already.
        request.allowsSecrets = true
        request.allowsProjects = true
        request.out = folder.appending(path: "packages", directoryHint: .isDirectory)
        request.cache = cache
        func shown(_ text: String) -> String { text.replacing(dist.relativePath, with: version.file.path) }
        let report: BuildReport
        do {
            report = try Builder(request).build()
        } catch let error as BuildError {
            throw ImportError.refused(shown("\(error)"))
        }
        guard let built = report.packages.first else { throw ImportError.nothing(version.file.path) }
        if case .codePush(let expected) = version.content { try check(version, expected, built.manifest, unpacked) }
        return (built, report.findings.filter { $0.kind == .secret }.map { shown(Self.warning($0)) })
    }

    /// What a build refuses is on devices already.
    private static func warning(_ finding: Finding) -> String {
        "\(finding.file ?? ""):\(finding.line ?? 1): warning: there is a private key or an access token in the file, which "
            + "devices have had already: revoke it"
    }

    private func unpack(_ version: ImportPlan.Version) throws -> UnpackedZip {
        let entry = try configuration.entry ?? PackagePath("index.html")
        do {
            return try UnpackedZip(version.file, entry: entry)
        } catch let error as ArchiveError where version.content == .encrypted {
            throw ImportError.encrypted(file: version.file.path, reason: "\(error.fault)")
        }
    }

    private func check(_ version: ImportPlan.Version, _ expected: Digest) throws {
        let data: Data
        do { data = try Data(contentsOf: version.file.url, options: .mappedIfSafe) } catch {
            throw ImportError.unreadable(version.file.path, reason: error.localizedDescription)
        }
        let found = Digest(of: data)
        guard found == expected else {
            throw ImportError.otherContent(
                file: version.file.path, origin: version.name, expected: expected.hex, found: found.hex)
        }
    }

    /// CodePush's server counted the signature of a signed update, which its clients leave out.
    private func check(
        _ version: ImportPlan.Version, _ expected: String, _ manifest: Manifest, _ unpacked: UnpackedZip
    ) throws {
        var files = manifest.files.map { (path: unpacked.root.prefix + $0.text, digest: $1.digest) }
        let found = CodePushHash.hash(of: files)
        if found == expected { return }
        let signature = unpacked.root.prefix + ".codepushrelease"
        if let path = try? PackagePath(signature),
            let bytes = try unpacked.archive.bytes(of: path, maximumByteCount: 1 << 20)
        {
            files.append((signature, Digest(of: bytes)))
            if CodePushHash.hash(of: files, ignoring: []) == expected { return }
        }
        throw ImportError.otherContent(
            file: version.file.path, origin: version.name, expected: expected, found: found)
    }
}
