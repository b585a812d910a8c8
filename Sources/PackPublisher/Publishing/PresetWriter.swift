package import Foundation
import PackArchive
package import PackFormat
import PackJSON
import PackPatch
package import PackRegistryAPI
import PackSystem
import PackTrust

/// Writes a preset, which an app embeds so that it has pages on its first start: the signed metadata, the manifests
/// and the whole content of some versions, and `preset.json`, which names them. A device installs it like a download.
///
///     let report = try await PresetWriter(registry: registry, root: root)
///         .write([checkout: version], to: folder)
///
/// Everything is verified from the app's root while it is copied, so a registry that lies cannot get into an app.
package struct PresetWriter: Sendable {
    package static let listName = "preset.json"

    package struct Report: Hashable, Sendable {
        /// The requested versions, and the shared bundles that they pin.
        package let versions: [PackageID: SemanticVersion]
        /// The size of the folder in bytes.
        package let size: Int
    }

    private let registry: any RegistryReading
    private let root: [UInt8]

    package init(registry: any RegistryReading, root: [UInt8]) {
        self.registry = registry
        self.root = root
    }

    /// Writes the whole folder or nothing. It replaces an earlier preset, but no other folder.
    package func write(_ wanted: [PackageID: SemanticVersion], to folder: URL) async throws -> Report {
        let files = FileManager.default
        let path = folder.path(percentEncoded: false)
        if files.fileExists(atPath: path), try !files.contentsOfDirectory(atPath: path).isEmpty,
            !files.fileExists(atPath: folder.appending(path: Self.listName).path(percentEncoded: false))
        {
            throw RegistryError(.invalid, "\(path) is not empty and not a preset: give --out another folder")
        }
        let staging = folder.deletingLastPathComponent().appending(
            path: ".\(folder.lastPathComponent)-\(UUID().uuidString)", directoryHint: .isDirectory)
        defer { try? files.removeItem(at: staging) }
        let report = try await fill(staging, with: wanted)
        // The earlier preset goes only when the new one stands in its place.
        let aside = staging.appendingPathExtension("old")
        let replaces = files.fileExists(atPath: path)
        if replaces { try files.moveItem(at: folder, to: aside) }
        do {
            try files.moveItem(at: staging, to: folder)
        } catch {
            if replaces { try? files.moveItem(at: aside, to: folder) }
            throw error
        }
        if replaces { try? files.removeItem(at: aside) }
        return report
    }

    private func fill(_ folder: URL, with wanted: [PackageID: SemanticVersion]) async throws -> Report {
        let transport = RecordingTransport(base: RegistryTransport(registry: registry))
        let trustFolder = try WorkFolder()
        let client = TrustClient(
            store: try FolderTrustStore(folder: trustFolder.url), transport: transport, trustedRoot: root)
        try await client.refresh()

        var size = 0
        var listed: [(String, JSONValue)] = []
        var done: [PackageID: SemanticVersion] = [:]
        var queue = wanted.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        while let (package, version) = queue.popLast() {
            if done.updateValue(version, forKey: package) != nil { continue }
            let bytes = try await client.target(
                ViewLayout.manifestTarget(package, version), maximumByteCount: Manifest.maximumByteCount)
            let manifest = try Manifest(parsing: bytes)
            let digest = Digest(of: bytes)
            if wanted[package] != nil {
                let id: JSONObject = ["version": .string(version.description), "manifest": .string(digest.hex)]
                listed.append((package.text, .object(id)))
            }
            queue += manifest.shared.map { ($0.key, $0.value.version) }
            // A package may have all its files in bundles.
            if !manifest.ownObjects.isEmpty {
                size += try await copy(.patch(from: nil, to: digest), of: manifest, into: folder)
            }
        }
        for (path, bytes) in await transport.files { size += try Self.write(bytes, to: path, in: folder) }
        let list: JSONObject = ["format": 1, "packages": .object(JSONObject(listed))]
        size += try Self.write(JSONValue.object(list).canonicalBytes, to: Self.listName, in: folder)
        _ = consume trustFolder
        return Report(versions: done, size: size)
    }

    /// - Throws: ``RegistryError`` also if the bytes do not give the objects that the manifest lists.
    private func copy(_ path: ViewPath, of manifest: Manifest, into folder: URL) async throws -> Int {
        let name = "\(manifest.package) \(manifest.version)"
        let file = folder.appending(path: path.description)
        try SystemCall.makeFolders(file.deletingLastPathComponent())
        guard try await registry.copyViewFile(path, to: file) else {
            throw RegistryError(.notFound, "the registry has no download of \(name) yet: try again soon")
        }
        do {
            var sink = Discarded()
            try PatchDecoder(PatchPlan(from: nil, to: manifest)).apply(file, to: &sink) { _ in file }
        } catch let error as PatchError {
            throw RegistryError(
                .unusable, "the registry's download of \(name) is not what its publisher signed: \(error)")
        }
        return try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }

    private static func write(_ bytes: [UInt8], to path: String, in folder: URL) throws -> Int {
        let file = folder.appending(path: path)
        try SystemCall.makeFolders(file.deletingLastPathComponent())
        try SystemCall.replace(file, with: bytes)
        return bytes.count
    }
}

/// Accepts objects only to verify them.
private struct Discarded: ObjectSink {
    mutating func begin(_ object: Object) {}
    mutating func write(_ bytes: UnsafeRawBufferPointer) {}
    mutating func finish(_ object: Object) {}
}

/// Records what a trust client fetched: exactly what a device with the same root will request.
private actor RecordingTransport: TrustTransport {
    private let base: any TrustTransport
    private(set) var files: [String: [UInt8]] = [:]

    init(base: any TrustTransport) {
        self.base = base
    }

    func fetch(_ path: String, maximumByteCount: Int) async throws -> [UInt8]? {
        let bytes = try await base.fetch(path, maximumByteCount: maximumByteCount)
        if let bytes { files[path] = bytes }
        return bytes
    }
}
