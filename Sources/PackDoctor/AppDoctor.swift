package import Foundation
import PackFormat
import PackJSON
import PackTrust
import PackWeb

/// Looks at the folder of an app: the root that it embeds, its presets, and what its `Info.plist` allows.
package struct AppDoctor: Sendable {
    private static let rootWarningDays = 180
    private static let maximumFileCount = 200_000
    private static let skippedFolders: Set = [
        "node_modules", "Pods", ".git", ".build", "DerivedData", "build", ".gradle", ".packtool",
    ]

    private let folder: URL
    /// The project's root; nil outside of a project.
    private let projectRoot: [UInt8]?
    /// The addresses that the app loads.
    private let addresses: [URL]
    private let now: Date

    package init(_ folder: URL, projectRoot: [UInt8]?, addresses: [URL], now: Date) {
        self.folder = folder
        self.projectRoot = projectRoot
        self.addresses = addresses
        self.now = now
    }

    package func examine() -> [DoctorFinding] {
        let files = files()
        return roots(files) + presets(files) + propertyLists(files)
    }

    private func files() -> [URL] {
        var found: [URL] = []
        let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
        var count = 0
        while let file = walk?.nextObject() as? URL, count < Self.maximumFileCount {
            count += 1
            if Self.skippedFolders.contains(file.lastPathComponent) { walk?.skipDescendants() }
            if ["root.json", "preset.json"].contains(file.lastPathComponent)
                || file.lastPathComponent.hasSuffix("Info.plist")
            {
                found.append(file)
            }
        }
        return found.sorted { $0.path < $1.path }
    }

    // MARK: The root of trust

    private func roots(_ files: [URL]) -> [DoctorFinding] {
        let roots = files.filter { $0.lastPathComponent == "root.json" }
        guard !roots.isEmpty else {
            return [
                .error(
                    .appRoot, folder.path(percentEncoded: false),
                    "it embeds no root.json, so no update can be verified",
                    fix: "copy .packtool/root.json into the app's resources")
            ]
        }
        return roots.flatMap { root($0) }
    }

    private func root(_ file: URL) -> [DoctorFinding] {
        let name = shown(file)
        let bytes = Array(FileManager.default.contents(atPath: file.path(percentEncoded: false)) ?? Data())
        do {
            let root = try SignedDocument<RootMetadata>(parsing: bytes, name: "root")
            var findings: [DoctorFinding] = []
            if let projectRoot, projectRoot != bytes,
                let own = try? SignedDocument<RootMetadata>(parsing: projectRoot, name: "root")
            {
                if root.body.version >= own.body.version {
                    findings.append(
                        .error(
                            .appRoot, name, "it is not the root of this project's app",
                            fix: "copy .packtool/root.json over it; devices with the wrong root refuse every update"))
                } else {
                    findings.append(
                        .ok(
                            .appRoot, name,
                            "version \(root.body.version), and the project has \(own.body.version): devices follow"))
                }
            } else {
                findings.append(.ok(.appRoot, name, "version \(root.body.version)"))
            }
            findings.append(
                Expiry(date: root.body.header.expires, now: now, warningDays: Self.rootWarningDays).finding(
                    .appRootExpiry, name,
                    fix:
                        "embed the newest root.json in the next release; an installed app needs it only if it was never online"
                ))
            return findings
        } catch {
            return [.error(.appRoot, name, "it is no root of trust: \(error)", fix: "copy .packtool/root.json over it")]
        }
    }

    // MARK: Presets

    private func presets(_ files: [URL]) -> [DoctorFinding] {
        let lists = files.filter { $0.lastPathComponent == "preset.json" }
        guard !lists.isEmpty else {
            return [
                .warning(
                    .preset, folder.path(percentEncoded: false),
                    "it embeds no preset, so the first start needs a network",
                    fix: "packtool preset PACKAGE --channel NAME --out DIR, and add DIR to the app's resources")
            ]
        }
        return lists.map { preset($0) }
    }

    private func preset(_ file: URL) -> DoctorFinding {
        let name = shown(file)
        let fix = "write it anew: packtool preset PACKAGE --channel NAME --out DIR"
        do {
            let data = try Data(contentsOf: file)
            let packages = try JSONValue(parsing: Array(data)).object("preset").object("packages").members
            let home = file.deletingLastPathComponent()
            var names: [String] = []
            for package in packages {
                let id = try package.value.object(package.key)
                let (version, digest) = try (id.string("version"), Digest(hex: id.string("manifest")))
                let manifest = try ViewPath.manifest(PackageID(package.key), SemanticVersion(version), digest)
                guard
                    let bytes = FileManager.default.contents(
                        atPath: home.appending(path: manifest.description).path(percentEncoded: false))
                else {
                    return .error(.preset, name, "the manifest of \(package.key) \(version) is not there", fix: fix)
                }
                guard Digest(of: bytes) == digest else {
                    return .error(.preset, name, "the manifest of \(package.key) \(version) was changed", fix: fix)
                }
                let content = home.appending(path: ViewPath.patch(from: nil, to: digest).description)
                let hasOwn = try !Manifest(parsing: Array(bytes)).ownObjects.isEmpty
                if hasOwn, !FileManager.default.fileExists(atPath: content.path(percentEncoded: false)) {
                    return .error(.preset, name, "the content of \(package.key) \(version) is not there", fix: fix)
                }
                names.append("\(package.key) \(version)")
            }
            return .ok(.preset, name, names.joined(separator: ", "))
        } catch {
            return .error(.preset, name, "it cannot be read: \(error)", fix: fix)
        }
    }

    // MARK: Info.plist

    private func propertyLists(_ files: [URL]) -> [DoctorFinding] {
        files.filter { $0.lastPathComponent.hasSuffix("Info.plist") }.flatMap { file -> [DoctorFinding] in
            let name = shown(file)
            guard let data = FileManager.default.contents(atPath: file.path(percentEncoded: false)),
                let values = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
            else {
                return [
                    .error(.infoPlist, name, "it is no property list", fix: "open it in Xcode, or run plutil -lint")
                ]
            }
            let faults = TransportSecurity(values).faults(of: addresses)
            guard !faults.isEmpty else {
                return [.ok(.infoPlist, name, "App Transport Security loads what packages need")]
            }
            return faults.map { fault in
                fault.contains("is not loaded")
                    ? .error(.infoPlist, name, fault, fix: "serve the address by https")
                    : .warning(.infoPlist, name, fault, fix: "remove the exception")
            }
        }
    }

    private func shown(_ url: URL) -> String {
        let (path, root) = (url.path(percentEncoded: false), folder.path(percentEncoded: false))
        return path.hasPrefix(root) ? String(path.dropFirst(root.count).drop { $0 == "/" }) : path
    }
}
