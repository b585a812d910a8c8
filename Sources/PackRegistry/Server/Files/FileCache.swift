import Foundation
import NIOCore
import PackFormat
import Synchronization

/// A file as it is served: its content's digest, and its bytes where they are small enough to keep.
struct ServedFile: Sendable {
    enum Content: Sendable {
        case memory(ByteBuffer)
        case disk(OpenFile)
    }

    let digest: Digest
    let size: Int
    let content: Content
}

/// Keeps what was read of often asked files: digests, and the bytes of files that are not large.
///
/// Each use costs one `lstat`, so a file that was replaced is seen at once, and nothing is ever stale.
final class FileCache: Sendable {
    private struct Entry {
        let stamp: FileStamp
        let digest: Digest
        let bytes: ByteBuffer?
        var lastUse: UInt64
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var byteCount = 0
        var clock: UInt64 = 0
    }

    /// Bytes of a file that is still kept in memory.
    private let maximumFileByteCount: Int
    /// Bytes of all files kept in memory.
    private let maximumByteCount: Int
    private let maximumEntryCount: Int
    private let state = Mutex(State())

    init(maximumFileByteCount: Int = 8 << 20, maximumByteCount: Int = 128 << 20, maximumEntryCount: Int = 20_000) {
        self.maximumFileByteCount = maximumFileByteCount
        self.maximumByteCount = maximumByteCount
        self.maximumEntryCount = maximumEntryCount
    }

    /// nil where there is no such regular file.
    /// - Parameter known: the content's digest where the file's name says it; it is not computed then.
    func file(path: String, known: Digest?) async throws -> ServedFile? {
        guard let stamp = FileStamp(path: path) else { return nil }
        let entry = state.withLock { state -> Entry? in
            guard state.entries[path]?.stamp == stamp else { return nil }
            state.clock += 1
            state.entries[path]?.lastUse = state.clock
            return state.entries[path]
        }
        if let entry, let bytes = entry.bytes {
            return ServedFile(digest: entry.digest, size: stamp.size, content: .memory(bytes))
        }
        guard let file = OpenFile(path: path) else { return nil }
        if let entry, entry.stamp == file.stamp {
            return ServedFile(digest: entry.digest, size: stamp.size, content: .disk(file))
        }
        if file.stamp.size <= maximumFileByteCount {
            let bytes = try await file.contents()
            let digest = known ?? Digest(of: bytes.readableBytesView)
            keep(Entry(stamp: file.stamp, digest: digest, bytes: bytes, lastUse: 0), path: path)
            return ServedFile(digest: digest, size: file.stamp.size, content: .memory(bytes))
        }
        let digest = if let known { known } else { try await file.digest() }
        keep(Entry(stamp: file.stamp, digest: digest, bytes: nil, lastUse: 0), path: path)
        return ServedFile(digest: digest, size: file.stamp.size, content: .disk(file))
    }

    private func keep(_ entry: Entry, path: String) {
        state.withLock { state in
            state.clock += 1
            var entry = entry
            entry.lastUse = state.clock
            let old = state.entries.updateValue(entry, forKey: path)
            state.byteCount += (entry.bytes?.readableBytes ?? 0) - (old?.bytes?.readableBytes ?? 0)
            guard state.byteCount > maximumByteCount || state.entries.count > maximumEntryCount else { return }
            // A quarter at a time, so that the sort is paid once for many insertions.
            let byAge = state.entries.sorted { $0.value.lastUse < $1.value.lastUse }
            for (path, entry) in byAge {
                let isSmallEnough =
                    state.byteCount <= maximumByteCount / 4 * 3
                    && state.entries.count <= maximumEntryCount / 4 * 3
                if isSmallEnough { break }
                state.entries[path] = nil
                state.byteCount -= entry.bytes?.readableBytes ?? 0
            }
        }
    }
}
