package import Foundation
import PackFormat
import Synchronization

#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder of compressed contents, so that each content is compressed only once on a machine.
///
/// Contents are keyed by SHA-256, compressor and level. Segments (see `CacheSegment`) are immutable and appear by
/// rename, so any number of builds may share the folder without a lock; at worst they keep a content twice. Damaged
/// segments are not used. Deleting the folder at any time is safe.
package struct CompressionCache: Sendable {
    /// The size of the folder in bytes above which the least recently used segments are removed.
    package static let standardSize = 2 << 30
    /// Small packs, one for each build that met new content, are joined when there are more than this.
    static let maximumPackCount = 12
    private static let smallPackSize = 16 << 20
    /// Sets of folders whose files are known by their state.
    private static let maximumStatCount = 32

    package let folder: URL
    package let maximumSize: Int

    package init(folder: URL, maximumSize: Int = standardSize) {
        self.folder = folder
        self.maximumSize = maximumSize
    }

    /// `$XDG_CACHE_HOME/packtool`, or else `~/.cache/packtool`; nil if there is no home folder.
    package static func standard(environment: [String: String] = ProcessInfo.processInfo.environment) -> Self? {
        if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") {
            return Self(folder: URL(filePath: cache).appending(path: "packtool"))
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return Self(folder: URL(filePath: home).appending(path: ".cache/packtool"))
    }

    struct Pack {
        let path: String
        let file: OpenFile
        let entries: [CacheSegment.Entry]
        let size: Int
        let modified: Int
        let use = PackUse()

        /// Hands an entry's bytes over piece by piece; false if they are not what was written once.
        func read(_ entry: CacheSegment.Entry, _ body: (UnsafeRawBufferPointer) throws -> Void = { _ in }) throws
            -> Bool
        {
            let buffer = UnsafeMutableRawBufferPointer.allocate(
                byteCount: min(entry.compressedSize, 1 << 20), alignment: 16)
            defer { buffer.deallocate() }
            var crc: UInt32 = 0
            var done = 0
            while done < entry.compressedSize {
                let part = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[..<min(buffer.count, entry.compressedSize - done)])
                guard (try? file.read(into: part, at: entry.offset + done)) == part.count else { return false }
                crc = Deflater.crc32(UnsafeRawBufferPointer(part), after: crc)
                try body(UnsafeRawBufferPointer(part))
                done += part.count
            }
            return crc == entry.packedCRC32
        }

        func isWhole(_ entry: CacheSegment.Entry) -> Bool { (try? read(entry)) == true }
    }

    /// What a build met in a pack.
    final class PackUse: Sendable {
        let isUsed = Atomic(false)
        let isDamaged = Atomic(false)
    }

    /// Opens all whole packs of one compressor.
    func packs(of level: CompressionLevel) -> [Pack] {
        names().filter { $0.hasPrefix(level.compressorName + "-") && $0.hasSuffix(".pack") }.compactMap { name in
            let path = folder.appending(path: name).path
            guard let file = try? OpenFile.reading(path), let status = try? file.status(),
                let entries = CacheSegment.entries(of: file)
            else {
                // Torn by a power cut, or damaged: nobody can use it.
                unlink(path)
                return nil
            }
            return Pack(
                path: path, file: file, entries: entries, size: Int(status.st_size), modified: status.modifiedSeconds)
        }
    }

    /// What is known of the files of some folders by their state.
    func files(in folders: [URL], start: Date) -> StatCache {
        let names = folders.map { $0.absoluteURL.standardizedFileURL.path(percentEncoded: false) }.sorted()
        let name = PackFormat.Digest(of: Data(names.joined(separator: "\0").utf8)).hex.prefix(16)
        return StatCache(path: folder.appending(path: "files-\(name).stat").path, start: start)
    }

    /// Makes the folder if it is not there and starts a pack.
    func newPack() -> CacheSegmentWriter? {
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return try? CacheSegmentWriter(in: folder.path)
    }

    /// Adds a written pack, joins small ones into it and what is whole in damaged ones, and keeps the folder's size.
    func adopt(_ writer: CacheSegmentWriter, level: CompressionLevel, existing: [Pack]) {
        for pack in existing where pack.use.isUsed.load(ordering: .relaxed) { utimensat(AT_FDCWD, pack.path, nil, 0) }
        guard writer.count > 0 else { return trim() }
        let joinsSmall = existing.count >= Self.maximumPackCount
        let joined = existing.filter { pack in
            let isJoined = joinsSmall && pack.size <= Self.smallPackSize || pack.use.isDamaged.load(ordering: .relaxed)
            return isJoined && copy(pack, into: writer)
        }
        let name = "\(level.compressorName)-\(UInt64.random(in: 0...UInt64.max)).pack"
        // A cache that cannot be written is no cache: the build does not depend on it.
        guard (try? writer.publish(as: folder.appending(path: name).path)) != nil else { return }
        for pack in joined { unlink(pack.path) }
        trim()
    }

    private func copy(_ pack: Pack, into writer: CacheSegmentWriter) -> Bool {
        for entry in pack.entries where !writer.lists(entry.key) {
            let offset = writer.reserve(entry.compressedSize)
            var position = offset
            do {
                // What is damaged leaves a gap that no entry points to.
                guard
                    try pack.read(
                        entry,
                        { piece in
                            try writer.file.write(piece, at: position)
                            position += piece.count
                        })
                else { continue }
            } catch {
                return false
            }
            writer.list(
                CacheSegment.Entry(
                    key: entry.key, size: entry.size, compressedSize: entry.compressedSize, offset: offset,
                    crc32: entry.crc32, packedCRC32: entry.packedCRC32))
        }
        return true
    }

    /// Removes the packs used longest ago until the rest fits, what killed builds left behind, and what is known of
    /// folders that were not built for a month, or after many others.
    private func trim() {
        var packs: [(path: String, size: Int, modified: Int)] = []
        var unfinished: [(path: String, modified: Int)] = []
        var lists: [(path: String, modified: Int)] = []
        for name in names() {
            let path = folder.appending(path: name).path
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            if name.hasSuffix(".pack") {
                packs.append((path, Int(status.st_size), status.modifiedSeconds))
            } else if name.hasSuffix(".tmp") {
                unfinished.append((path, status.modifiedSeconds))
            } else if name.hasSuffix(".stat") {
                lists.append((path, status.modifiedSeconds))
            }
        }
        // The pack just written tells the time by the clock that the others were written by.
        let now = packs.map(\.modified).max() ?? 0
        for file in unfinished where file.modified < now - 86_400 { unlink(file.path) }
        for (age, list) in lists.sorted(by: { $0.modified > $1.modified }).enumerated()
        where age >= Self.maximumStatCount || list.modified < now - 30 * 86_400 { unlink(list.path) }
        var total = packs.reduce(0) { $0 + $1.size }
        for pack in packs.sorted(by: { $0.modified < $1.modified }) where total > maximumSize {
            unlink(pack.path)
            total -= pack.size
        }
    }

    private func names() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    }
}

extension stat {
    /// Seconds since 1970 of the last change of the content.
    var modifiedSeconds: Int {
        #if canImport(Darwin)
            Int(st_mtimespec.tv_sec)
        #else
            Int(st_mtim.tv_sec)
        #endif
    }
}
