package import Foundation
package import PackFormat
import PackJSON
import PackTrust

/// Writes what an app embeds of some versions: the part of the published view by which a device installs them like a
/// download, and `preset.json`, which names them.
///
///     let writer = PresetWriter(registry: registry, root: root)
///     let preset = try await writer.write([checkout: version], to: folder)
///
/// The metadata is what a device's own client fetches on the way to those manifests: it is recorded while one walks it
/// here, verified, so nothing can be missing and nothing else comes along.
package struct PresetWriter: Sendable {
    /// The name of the list, and the format that this program writes.
    package static let listName = "preset.json"
    package static let currentFormat = 1

    package struct Preset: Hashable, Sendable {
        package let packages: [PackageID: SemanticVersion]
        package let fileCount: Int
        /// Bytes of all files.
        package let size: Int
    }

    private let registry: any RegistryReading
    private let root: [UInt8]
    private let now: @Sendable () -> Date

    /// - Parameter root: the root of trust that the app embeds.
    package init(registry: any RegistryReading, root: [UInt8], now: @escaping @Sendable () -> Date = { Date() }) {
        self.registry = registry
        self.root = root
        self.now = now
    }

    /// What the newest release of each package that is for everyone offers on a channel.
    package func versions(
        of packages: [PackageID], on channel: ChannelName
    ) async throws -> [PackageID: SemanticVersion] {
        let offered = try await registry.overview().channels[channel] ?? [:]
        var versions: [PackageID: SemanticVersion] = [:]
        for package in packages {
            let release = offered[package]?.first { $0.rollout.percent == 100 && $0.version != nil }
            guard let version = release?.version else {
                throw RegistryError(
                    .notFound, "\(channel) offers no version of \(package) to everyone: name one, \(package)@VERSION")
            }
            versions[package] = version
        }
        return versions
    }

    /// Writes the preset beside the folder and renames it into place. A preset that is there already is replaced; a folder with
    /// anything else is left alone.
    package func write(_ versions: [PackageID: SemanticVersion], to folder: URL) async throws -> Preset {
        try requireReplaceable(folder)
        let work = folder.deletingLastPathComponent().appending(
            path: ".\(folder.lastPathComponent)-\(UUID().uuidString)", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: work) }
        let view = work.appending(path: "view", directoryHint: .isDirectory)
        try await collect(versions, into: view, store: work.appending(path: "trust", directoryHint: .isDirectory))
        let files = FileManager.default.subpaths(atPath: view.path(percentEncoded: false)) ?? []
        let sizes = files.compactMap { SystemCall.size(of: view.appending(path: $0)) }
        if FileManager.default.fileExists(atPath: folder.path(percentEncoded: false)) {
            try FileManager.default.removeItem(at: folder)
        }
        try SystemCall.rename(view, to: folder)
        return Preset(packages: versions, fileCount: sizes.count, size: sizes.reduce(0, +))
    }

    private func collect(_ versions: [PackageID: SemanticVersion], into view: URL, store: URL) async throws {
        let transport = RecordingTransport(source: RegistryTransport(registry: registry), folder: view)
        let client = try TrustClient(
            store: FolderTrustStore(folder: store), transport: transport, trustedRoot: root, now: now)
        try await client.refresh()
        var list: JSONObject = [:]
        var waiting: [(PackageID, SemanticVersion)] = versions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        var seen: Set<Digest> = []
        while let (package, version) = waiting.popLast() {
            let name = ViewLayout.manifestTarget(package, version)
            guard let info = try await client.targetInfo(name) else {
                throw RegistryError(.notFound, "\(package) \(version) is not published, or was withdrawn")
            }
            let manifest = try Manifest(parsing: await client.target(name, info: info))
            let digest = manifest.digest
            if versions[package] == version {
                list[package.text] = .object(["version": .string(version.description), "manifest": .string(digest.hex)])
            }
            guard seen.insert(digest).inserted else { continue }
            let patch = ViewLayout.patch(from: nil, to: digest)
            let file = view.appending(path: patch)
            try Workspace.makeFolders(file.deletingLastPathComponent())
            guard try await registry.copyViewFile(patch, to: file) else {
                throw RegistryError(
                    .busy, "the registry has not made the download of \(package) \(version) yet: try again in a moment")
            }
            waiting += manifest.shared.map { ($0.key, $0.value.version) }
        }
        let document: JSONObject = ["format": .integer(Self.currentFormat), "packages": .object(list)]
        try Data(JSONValue.object(document).canonicalBytes).write(to: view.appending(path: Self.listName))
    }

    private func requireReplaceable(_ folder: URL) throws(RegistryError) {
        let path = folder.path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: path) else { return }
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        guard let names, names.isEmpty || names.contains(Self.listName) else {
            throw RegistryError(.conflict, "\(path) is there and is no preset: choose another folder")
        }
    }
}

/// Keeps what it fetches, at the path where a device will look for it.
private struct RecordingTransport: TrustTransport {
    let source: RegistryTransport
    let folder: URL

    func fetch(_ path: String, maximumByteCount: Int) async throws -> [UInt8]? {
        guard let bytes = try await source.fetch(path, maximumByteCount: maximumByteCount) else { return nil }
        // Names come from metadata; none may lead out of the folder.
        let file = try folder.appending(path: PackagePath(path).text)
        try Workspace.makeFolders(file.deletingLastPathComponent())
        try Data(bytes).write(to: file)
        return bytes
    }
}
