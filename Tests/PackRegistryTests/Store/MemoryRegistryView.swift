import Foundation
import PackFormat
import PackTrust
import Synchronization

@testable import PackRegistry
@testable import PackRegistryAPI

/// The twin of the folder that devices read: files that follow from a memory store's rows as of the last update.
final class MemoryRegistryView: RegistryView {
    private let store: MemoryRegistryStore
    private let files = Mutex<[String: [UInt8]]>([:])

    init(of store: MemoryRegistryStore) { self.store = store }

    var paths: Set<String> { Set(files.withLock { $0.keys }) }

    func update() async throws {
        let state = store.state
        var files: [String: [UInt8]] = [:]
        for (role, versions) in state.documents {
            for (version, bytes) in versions where isKept(version, of: role, in: state) {
                files[ViewLayout.metadata(role, version: version)] = bytes
            }
        }
        for version in state.versions {
            guard let manifest = state.manifests[version.manifest] else { continue }
            let target = ViewLayout.manifestTarget(version.name.package, version.name.version)
            files[ViewLayout.file(ofTarget: target, digest: version.manifest)] = manifest.bytes
        }
        for document in state.channelDocuments {
            let target = ViewLayout.channelTarget(document.channel, format: document.format)
            files[ViewLayout.file(ofTarget: target, digest: Digest(of: document.bytes))] = document.bytes
        }
        self.files.withLock { $0 = files }
    }

    /// The timestamp has one name for all versions.
    private func isKept(_ version: Int, of role: String, in state: MemoryRegistryStore.State) -> Bool {
        role != TopLevelRole.timestamp.rawValue || version == state.newestVersion(role)
    }

    /// What only saves bytes is not made here.
    func addQuickDownload(ofManifest digest: Digest) async throws {}

    func read(_ path: String, maximumByteCount: Int) async throws -> [UInt8]? {
        guard let bytes = try bytes(path) else { return nil }
        guard bytes.count <= maximumByteCount else { throw RegistryError(.tooLarge, "\(path) is too large") }
        return bytes
    }

    func copy(_ path: String, to destination: URL) async throws -> Bool {
        guard let bytes = try bytes(path) else { return false }
        try Data(bytes).write(to: destination)
        return true
    }

    private func bytes(_ path: String) throws -> [UInt8]? {
        do {
            let name = try PackagePath(path).text
            return files.withLock { $0[name] }
        } catch {
            throw RegistryError(.invalid, "\(error)")
        }
    }
}
