import PackFormat
import Synchronization

@testable import PackRegistry

/// The twin of the folder that devices read: its files in memory.
final class MemoryViewStore: ViewStore {
    private let files = Mutex<[ViewPath: [UInt8]]>([:])

    var paths: Set<ViewPath> { Set(files.withLock { $0.keys }) }

    @discardableResult
    func put(_ files: [ViewFile]) async throws -> Set<ViewPath> {
        let there = paths
        var missing: Set<ViewPath> = []
        for file in files where !there.contains(file.path) {
            let bytes = try await file.bytes()
            self.files.withLock { $0[file.path] = $0[file.path] ?? bytes }
            missing.insert(file.path)
        }
        return missing
    }

    func show(_ timestamp: [UInt8], replacing shown: [UInt8]?) async throws {
        try files.withLock { files in
            guard files[.timestamp] == shown else { throw StaleView() }
            files[.timestamp] = timestamp
        }
    }

    func read(_ path: ViewPath, from offset: Int, maximumByteCount: Int) async throws -> ViewPart? {
        files.withLock { $0[path] }.map {
            ViewPart(Array($0.dropFirst(offset).prefix(maximumByteCount)), size: $0.count)
        }
    }

    func remove(_ paths: [ViewPath]) async throws {
        files.withLock { files in for path in paths { files[path] = nil } }
    }
}

/// What only saves bytes is not made.
struct NoDownloads: DownloadBuilder {
    func buildQuickDownload(ofManifest digest: Digest) async throws {}
    func wake() {}
}
