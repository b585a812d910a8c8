import Foundation
import NIOCore
import PackFormat
import PackSystem
import Synchronization

/// Caches frequently requested files of the view: their digests, and the bytes of small files.
///
/// A file that changes under its name (the timestamp, a full download) costs one `lstat` a use, so its replacement is seen by
/// the next use; a connection's reads share one for ``FileCache/sharedLookAge``. An immutable file costs one a second, in case it
/// was removed.
final class FileCache: Sendable {
    /// A class with atomic counters, so that a use needs the lock for one look only.
    private final class Entry: Sendable {
        /// Where the file is.
        let location: String
        let stamp: FileStamp
        let file: ServedFile
        /// The bytes kept here; 0 for a file that is opened anew for each use.
        let byteCount: Int
        let isImmutable: Bool
        /// When the disk was last asked, in nanoseconds of the uptime.
        let checked: Atomic<UInt64>
        let lastUse: Atomic<Int>

        init(
            _ file: ServedFile, at location: String, _ stamp: FileStamp, byteCount: Int, isImmutable: Bool, lastUse: Int
        ) {
            self.location = location
            self.stamp = stamp
            self.file = file
            self.byteCount = byteCount
            self.isImmutable = isImmutable
            checked = Atomic(NIODeadline.now().uptimeNanoseconds)
            self.lastUse = Atomic(lastUse)
        }
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var byteCount = 0
        /// Files that are being read: who asks for the same meanwhile gets the same.
        var loading: [String: (stamp: FileStamp, task: Task<ServedFile?, any Error>)] = [:]
        /// Of files whose bytes nobody asked for.
        var digests: RecentCache<String, (stamp: FileStamp, digest: Digest)>
    }

    private let hits = Counter()
    private let reads = Counter()

    /// Nanoseconds for which an immutable file is taken to be there.
    private static let trustedTime: UInt64 = 1_000_000_000
    /// Nanoseconds for which one look at a changing file serves all connections. A publication needs longer to answer: its file
    /// is synchronized first.
    static let sharedLookAge: UInt64 = 100_000

    /// The view's folder, with a slash at the end.
    private let root: String
    /// Brings a file into the folder; false if there is none.
    private let fetch: @Sendable (String) async throws -> Bool
    /// Bytes of a file that is still kept in memory. Larger ones are sent from the disk: each answer that a slow client has not
    /// read yet would hold them.
    private let maximumFileByteCount: Int
    /// Bytes of all files kept in memory.
    private let maximumByteCount: Int
    private let maximumEntryCount: Int
    private let state: Mutex<State>
    private let useCount = Counter()

    /// - Parameter fetch: brings a file into the folder that is not there, if it is elsewhere.
    init(
        root: URL, maximumFileByteCount: Int = 1 << 20, maximumByteCount: Int = 128 << 20,
        maximumEntryCount: Int = 20_000, fetch: @escaping @Sendable (String) async throws -> Bool = { _ in false }
    ) {
        self.fetch = fetch
        let path = root.path(percentEncoded: false)
        self.root = path.hasSuffix("/") ? path : path + "/"
        self.maximumFileByteCount = maximumFileByteCount
        self.maximumByteCount = maximumByteCount
        self.maximumEntryCount = maximumEntryCount
        state = Mutex(State(digests: RecentCache(maximumCount: maximumEntryCount)))
    }

    /// What is known of a file already; nil if it has to be read, or is not there. It looks at the file's stamp, and reads nothing.
    /// - Parameters:
    ///   - path: relative to the view.
    ///   - age: the nanoseconds for which the last look at a changing file holds.
    func known(_ path: String, trusting age: UInt64 = 0) -> ServedFile? {
        guard let entry = state.withLock({ $0.entries[path] }) else { return nil }
        let now = NIODeadline.now().uptimeNanoseconds
        if entry.checked.load(ordering: .relaxed) + (entry.isImmutable ? Self.trustedTime : age) < now {
            // Outside of the lock: only this event loop waits for the disk.
            guard FileStamp(path: entry.location) == entry.stamp else {
                state.withLock { state in
                    guard state.entries[path] === entry else { return }
                    state.byteCount -= entry.byteCount
                    state.entries[path] = nil
                }
                return nil
            }
            entry.checked.store(now, ordering: .relaxed)
        }
        entry.lastUse.store(useCount.next(), ordering: .relaxed)
        hits.add()
        if case .memory = entry.file.content { return entry.file }
        guard let open = try? OpenFile(path: entry.location), open.stamp == entry.stamp else { return nil }
        return ServedFile(
            digest: entry.file.digest, size: entry.file.size, content: .disk(open), heads: entry.file.heads)
    }

    /// nil if there is no such regular file.
    /// - Throws: ``RegistryError`` if one could not be opened.
    /// - Parameters:
    ///   - path: relative to the view.
    ///   - digest: the content's, where the file's name says it; it is not computed then.
    func file(_ path: String, digest known: Digest?) async throws -> ServedFile? {
        if let file = self.known(path) { return file }
        // Of a file as it is now: one that was replaced meanwhile is another.
        guard let stamp = FileStamp(path: root + path) else {
            _ = try await fetch(path)
            return try await load(path, digest: known)
        }
        let (task, isFirst) = state.withLock { state in
            if let (known, task) = state.loading[path], known == stamp { return (task, false) }
            let task = Task { try await self.load(path, digest: known) }
            state.loading[path] = (stamp, task)
            return (task, true)
        }
        defer {
            if isFirst {
                state.withLock { if $0.loading[path]?.task == task { $0.loading[path] = nil } }
            }
        }
        return try await task.value
    }

    private func load(_ path: String, digest known: Digest?) async throws -> ServedFile? {
        guard let open = try OpenFile(path: root + path) else { return nil }
        reads.add()
        let size = open.stamp.size
        let place = ViewPath(path)
        if size <= maximumFileByteCount {
            let bytes = try await open.contents()
            let digest = known ?? Digest(of: bytes.readableBytesView)
            let heads = ServedFile.Heads(place, digest: digest, size: size)
            let file = ServedFile(digest: digest, size: size, content: .memory(bytes), heads: heads)
            keep(file, open.stamp, size, place, path)
            return file
        }
        let digest = if let known { known } else { try await self.digest(of: open, path) }
        let heads = ServedFile.Heads(place, digest: digest, size: size)
        let file = ServedFile(digest: digest, size: size, content: .disk(open), heads: heads)
        // Not the open file: many large ones would be as many descriptors.
        let kept = ServedFile(digest: digest, size: size, content: .disk(OpenFile.none(open.stamp)), heads: heads)
        keep(kept, open.stamp, 0, place, path)
        return file
    }

    /// A file's digest and size; nil if there is none. Its bytes are not kept: who asks about many large files would push
    /// out everything else, and have each read again and again.
    func facts(_ path: String) async throws -> (digest: Digest, size: Int)? {
        if let stamp = FileStamp(path: root + path), let digest = knownDigest(path, stamp) {
            return (digest, stamp.size)
        }
        if FileStamp(path: root + path) == nil { _ = try await fetch(path) }
        guard let open = try OpenFile(path: root + path) else { return nil }
        return (try await digest(of: open, path), open.stamp.size)
    }

    /// What a monitor asks about the cache: files that were known when they were asked for, files that were read, and what is
    /// kept now.
    var use: (hits: Int, reads: Int, byteCount: Int, fileCount: Int) {
        let (byteCount, fileCount) = state.withLock { ($0.byteCount, $0.entries.count) }
        return (hits.value, reads.value, byteCount, fileCount)
    }

    private func knownDigest(_ path: String, _ stamp: FileStamp) -> Digest? {
        state.withLock { state in
            if let entry = state.entries[path], entry.stamp == stamp { return entry.file.digest }
            return state.digests.value(for: path).flatMap { $0.stamp == stamp ? $0.digest : nil }
        }
    }

    private func digest(of open: OpenFile, _ path: String) async throws -> Digest {
        if let known = knownDigest(path, open.stamp) { return known }
        let digest = try await open.digest()
        state.withLock { state in
            state.digests.insert((open.stamp, digest), for: path)
        }
        return digest
    }

    private func keep(_ file: ServedFile, _ stamp: FileStamp, _ byteCount: Int, _ place: ViewPath?, _ path: String) {
        let entry = Entry(
            file, at: root + path, stamp, byteCount: byteCount,
            isImmutable: place?.cacheControl == CacheControl.immutable, lastUse: useCount.next())
        state.withLock { state in
            let old = state.entries.updateValue(entry, forKey: path)
            state.byteCount += entry.byteCount - (old?.byteCount ?? 0)
            guard state.byteCount > maximumByteCount || state.entries.count > maximumEntryCount else { return }
            // A quarter at a time, so that the sort is paid once for many insertions.
            let byAge = state.entries.map { ($0.key, $0.value, $0.value.lastUse.load(ordering: .relaxed)) }
                .sorted { $0.2 < $1.2 }
            for (path, entry, _) in byAge {
                let isSmallEnough =
                    state.byteCount <= maximumByteCount / 4 * 3
                    && state.entries.count <= maximumEntryCount / 4 * 3
                if isSmallEnough { break }
                state.entries[path] = nil
                state.byteCount -= entry.byteCount
            }
        }
    }
}
