package import Foundation
import PackFormat
import Synchronization

/// Hashes contents and compresses or stores them, on all cores, each once, for use in any number of zips.
///
///     try ContentCompressor.run(level: .standard, cache: .standard()) { compressor in
///         let contents = try compressor.prepare(requests)
///         try ArchiveWriter().write(zip(paths, contents)…, to: url)
///     }
///
/// Each file is read at most once by a compressor, so hash, checksum and compressed bytes are of the same content even if somebody
/// writes to the folder meanwhile. Compressed bytes wait in a file, not in memory: the peak depends on the largest
/// file, not on their number.
package final class ContentCompressor: Sendable {
    /// The largest content that is compressed in memory; larger ones go through zlib piece by piece.
    static let wholeFileLimit = 32 << 20
    /// Contents above this are compressed in memory one at a time, whatever the number of cores.
    private static let largeFileSize = 8 << 20

    let level: CompressionLevel
    private let cache: CompressionCache?
    private let packs: [CompressionCache.Pack]
    private let known: [CacheSegment.Key: (pack: Int, entry: Int)]
    private let files: StatCache?
    /// Whether the bytes of a cached content are checked before it counts as there, and not only while they are copied.
    private let checksCache: Bool
    private let writer: CacheSegmentWriter
    private let largeTurn = Mutex<Void>(())

    /// - Parameters:
    ///   - cache: nil to compress everything anew.
    ///   - folders: the folders of the files whose contents are remembered by their state.
    ///   - start: not later than the first file is read.
    ///   - checksCache: whether contents in the cache are read twice; see ``run(level:cache:folders:_:)``.
    /// - Throws: ``ArchiveError`` if there is no place for temporary files.
    package init(
        level: CompressionLevel, cache: CompressionCache?, folders: [URL] = [], start: Date = Date(),
        checksCache: Bool = false
    ) throws {
        self.level = level
        packs = cache?.packs(of: level) ?? []
        var known: [CacheSegment.Key: (pack: Int, entry: Int)] = [:]
        known.reserveCapacity(packs.reduce(0) { $0 + $1.entries.count })
        for (number, pack) in packs.enumerated() {
            for (index, entry) in pack.entries.enumerated() { known[entry.key] = (number, index) }
        }
        self.known = known
        if let writer = cache?.newPack() {
            self.writer = writer
            self.cache = cache
            self.checksCache = checksCache
            files = folders.isEmpty ? nil : cache?.files(in: folders, start: start)
        } else {
            let folder = FileManager.default.temporaryDirectory.path
            do {
                writer = try CacheSegmentWriter(in: folder, isPassing: true)
            } catch {
                throw ArchiveError(.unwritable(error.reason), file: folder)
            }
            self.cache = nil
            // What is damaged stays so where nothing can be written, and would be met again by each build.
            self.checksCache = true
            files = nil
        }
    }

    /// Makes zips with a compressor and saves its cache.
    ///
    /// A cached content is checked while it is copied into a zip, because reading it before as well would cost a
    /// third of a build with a warm cache. If one is damaged, everything is repeated once with a compressor that checks
    /// each content before its use and compresses damaged ones again. After that the cache is intact.
    ///
    /// - Parameters:
    ///   - body: makes the zips and commits them when all are written; may be called twice.
    /// - Throws: what `body` throws
    package static func run<Result>(
        level: CompressionLevel, cache: CompressionCache?, folders: [URL] = [],
        _ body: (ContentCompressor) throws -> Result
    ) throws -> Result {
        let compressor = try ContentCompressor(level: level, cache: cache, folders: folders)
        do {
            let result = try body(compressor)
            compressor.saveCache()
            return result
        } catch let error as ArchiveError where error.fault == .damagedCache && cache != nil {
            // What was compressed until then need not be compressed again.
            compressor.saveCache()
        }
        let checking = try ContentCompressor(level: level, cache: cache, folders: folders, checksCache: true)
        let result = try body(checking)
        checking.saveCache()
        return result
    }

    /// Prepares contents on all cores; the results have the order of the requests.
    ///
    /// - Parameters:
    ///   - inspect: sees the whole bytes of each content up to 32 MiB while they are in memory, on any thread; none
    ///     that is known by its stamp.
    ///   - progress: called with the number of finished contents, on any thread.
    /// - Throws: ``ArchiveError`` of the first request that failed.
    package func prepare(
        _ requests: [ContentRequest],
        inspect: @Sendable (_ index: Int, _ bytes: UnsafeRawBufferPointer) -> Void = { _, _ in },
        progress: @Sendable (_ done: Int) -> Void = { _ in }
    ) throws -> [PreparedContent] {
        var contents = try recall(requests)
        let missing = requests.indices.filter { contents[$0] == nil }
        let done = Atomic(requests.count - missing.count)
        if missing.count < requests.count { progress(requests.count - missing.count) }
        do {
            let prepared = try ConcurrentMap.run(missing.count, worker: { try CompressionWorker(level: level) }) {
                worker, number in
                let index = missing[number]
                let content = try prepare(requests[index], by: &worker) { inspect(index, $0) }
                progress(done.add(1, ordering: .relaxed).newValue)
                return content
            }
            for (index, content) in zip(missing, prepared) { contents[index] = content }
        } catch let fault as SystemFault {
            throw ArchiveError(.unwritable(fault.reason), file: writer.path)
        }
        return contents.compactMap { $0 }
    }

    /// Saves the compressed contents for the next build. The prepared contents stay usable.
    package func saveCache() {
        files?.save()
        cache?.adopt(writer, level: level, existing: packs)
    }

    private func prepare(
        _ request: ContentRequest, by worker: inout CompressionWorker, inspect: (UnsafeRawBufferPointer) -> Void
    ) throws -> PreparedContent {
        switch request.source {
        case .bytes(let bytes):
            return try bytes.withUnsafeBytes { bytes in
                inspect(bytes)
                return try prepare(whole: bytes, of: request, by: &worker)
            }
        case .path(let path):
            do {
                let file = try OpenFile.reading(path)
                if let expected = request.expected, expected.size != file.size {
                    throw ArchiveError(.sourceChanged, file: path)
                }
                let content = try prepare(file, of: request, by: &worker, inspect: inspect)
                if request.stamp != nil, let stamp = file.stamp {
                    files?.add(.init(object: content.object, crc32: content.crc32), of: stamp)
                }
                return content
            } catch let fault as SystemFault {
                throw ArchiveError(.sourceUnreadable(fault.reason), file: path)
            } catch let signal as ZipFaultSignal {
                throw ArchiveError(signal.fault, file: path)
            }
        }
    }

    /// The contents of files that are in a state in which they were read before, where the compressed form is there.
    private func recall(_ requests: [ContentRequest]) throws -> [PreparedContent?] {
        guard let files, requests.contains(where: { $0.stamp != nil }) else {
            return Array(repeating: nil, count: requests.count)
        }
        let partSize = 512
        let parts = try ConcurrentMap.run((requests.count + partSize - 1) / partSize) { part in
            requests[(part * partSize)..<min((part + 1) * partSize, requests.count)].map { recall($0, in: files) }
        }
        let contents = Array(parts.joined())
        files.keep(zip(requests, contents).lazy.compactMap { $1 == nil ? nil : $0.stamp })
        return contents
    }

    private func recall(_ request: ContentRequest, in files: StatCache) -> PreparedContent? {
        guard case .path = request.source, let stamp = request.stamp, let record = files.record(of: stamp),
            request.expected == nil || request.expected == record.object
        else { return nil }
        return record.object.size == 0
            ? stored(record.object, crc32: record.crc32, request)
            : find(CacheSegment.Key(record.object.digest), object: record.object, crc32: record.crc32, request: request)
    }

    private func prepare(
        _ file: OpenFile, of request: ContentRequest, by worker: inout CompressionWorker,
        inspect: (UnsafeRawBufferPointer) -> Void
    ) throws -> PreparedContent {
        let size = file.size
        if size > Self.wholeFileLimit {
            return try prepare(large: file, of: request, by: &worker)
        }
        if size > Self.largeFileSize {
            return try largeTurn.withLock { _ in
                let bytes = try worker.read(file, size: size)
                inspect(bytes)
                let content = try prepare(whole: bytes, of: request, by: &worker)
                worker.releaseMemory()
                return content
            }
        }
        let bytes = try worker.read(file, size: size)
        inspect(bytes)
        return try prepare(whole: bytes, of: request, by: &worker)
    }

    private func prepare(
        whole bytes: UnsafeRawBufferPointer, of request: ContentRequest, by worker: inout CompressionWorker
    ) throws -> PreparedContent {
        var hash = ContentHash()
        hash.update(bytes)
        let object = Object(digest: hash.finish(), size: bytes.count)
        try check(object, request)
        let crc32 = Deflater.crc32(bytes)
        if bytes.isEmpty { return stored(object, crc32: crc32, request) }
        let key = CacheSegment.Key(object.digest)
        if let found = find(key, object: object, crc32: crc32, request: request) { return found }
        let packed = worker.deflate(bytes)
        return try keep(packed, key: key, object: object, crc32: crc32, request: request)
    }

    /// Content that is too large for memory: read in pieces.
    private func prepare(
        large file: OpenFile, of request: ContentRequest, by worker: inout CompressionWorker
    ) throws -> PreparedContent {
        var hash = ContentHash()
        var crc32: UInt32 = 0
        var probe = try CompressionProbe()
        let size = try worker.forEachPiece(of: file) { piece, _ in
            hash.update(piece)
            crc32 = Deflater.crc32(piece, after: crc32)
            probe.look(at: piece)
        }
        // A read that ends early is no end of the file: the size is the one that was opened.
        guard size == file.size else { throw ZipFaultSignal(.sourceChanged) }
        let object = Object(digest: hash.finish(), size: size)
        try check(object, request)
        let key = CacheSegment.Key(object.digest)
        if let found = find(key, object: object, crc32: crc32, request: request) { return found }
        guard probe.findsSomething else {
            return try keep(nil, key: key, object: object, crc32: crc32, request: request)
        }
        return try largeTurn.withLock { _ in
            // The compressed size is not known before, so the content gets a file of its own first.
            let temporary = try CacheSegmentWriter(
                in: URL(filePath: writer.path).deletingLastPathComponent().path, isPassing: true)
            var deflater = try StreamDeflater()
            var (again, end, packedCRC): (UInt32, Int, UInt32) = (0, 0, 0)
            _ = try worker.forEachPiece(of: file) { piece, isLast in
                again = Deflater.crc32(piece, after: again)
                try deflater.deflate(piece, isLast: isLast) { block in
                    try temporary.file.write(block, at: end)
                    packedCRC = Deflater.crc32(block, after: packedCRC)
                    end += block.count
                }
            }
            guard again == crc32 else { throw ZipFaultSignal(.sourceChanged) }
            guard end < size else {
                return try keep(nil, key: key, object: object, crc32: crc32, request: request)
            }
            let offset = writer.reserve(end)
            try temporary.file.truncate(to: end)
            var position = offset
            _ = try worker.forEachPiece(of: temporary.file) { piece, _ in
                try writer.file.write(piece, at: position)
                position += piece.count
            }
            writer.list(
                CacheSegment.Entry(
                    key: key, size: size, compressedSize: end, offset: offset, crc32: crc32, packedCRC32: packedCRC))
            return PreparedContent(
                object: object, compressedSize: end, crc32: crc32, method: ZipFormat.deflated,
                place: .pack(writer.file, offset: offset, crc32: packedCRC))
        }
    }

    private func check(_ object: Object, _ request: ContentRequest) throws(ZipFaultSignal) {
        if let expected = request.expected, expected != object { throw ZipFaultSignal(.sourceChanged) }
    }

    private func stored(_ object: Object, crc32: UInt32, _ request: ContentRequest) -> PreparedContent {
        PreparedContent(
            object: object, compressedSize: object.size, crc32: crc32, method: ZipFormat.stored,
            place: .source(request.source))
    }

    /// Looks a content up in the cache; what is known to be damaged counts as none.
    private func find(
        _ key: CacheSegment.Key, object: Object, crc32: UInt32, request: ContentRequest
    ) -> PreparedContent? {
        guard let place = known[key] else { return nil }
        let pack = packs[place.pack]
        let entry = pack.entries[place.entry]
        guard entry.size == object.size, entry.crc32 == crc32 else { return nil }
        if entry.compressedSize == 0 { return stored(object, crc32: crc32, request) }
        if checksCache, !pack.isWhole(entry) {
            pack.use.isDamaged.store(true, ordering: .relaxed)
            return nil
        }
        pack.use.isUsed.store(true, ordering: .relaxed)
        return PreparedContent(
            object: object, compressedSize: entry.compressedSize, crc32: crc32, method: ZipFormat.deflated,
            place: .pack(pack.file, offset: entry.offset, crc32: entry.packedCRC32))
    }

    /// Keeps compressed bytes, or the fact that a content does not shrink.
    private func keep(
        _ packed: UnsafeRawBufferPointer?, key: CacheSegment.Key, object: Object, crc32: UInt32, request: ContentRequest
    ) throws(SystemFault) -> PreparedContent {
        let count = packed?.count ?? 0
        let packedCRC = packed.map { Deflater.crc32($0) } ?? 0
        let offset = writer.reserve(count)
        if let packed { try writer.file.write(packed, at: offset) }
        writer.list(
            CacheSegment.Entry(
                key: key, size: object.size, compressedSize: count, offset: offset, crc32: crc32,
                packedCRC32: packedCRC))
        guard packed != nil else { return stored(object, crc32: crc32, request) }
        return PreparedContent(
            object: object, compressedSize: count, crc32: crc32, method: ZipFormat.deflated,
            place: .pack(writer.file, offset: offset, crc32: packedCRC))
    }
}
