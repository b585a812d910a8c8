import Foundation
import PackFormat
import Synchronization

/// A segment that several threads are writing.
final class CacheSegmentWriter: Sendable {
    private struct State {
        var end = CacheSegment.magic.count
        var index: [UInt8] = []
        var keys: Set<CacheSegment.Key> = []
    }

    let file: OpenFile
    let path: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: exists.
    ///   - isPassing: it becomes no pack of a cache, so it loses its name at once and a killed build leaves nothing.
    init(in folder: String, isPassing: Bool = false) throws(SystemFault) {
        path = "\(folder)/.new-\(UInt64.random(in: 0...UInt64.max)).tmp"
        file = try OpenFile.creating(path)
        if isPassing { unlink(path) }
        let file = file
        let result = CacheSegment.magic.withUnsafeBytes { bytes in
            Result<Void, SystemFault> { () throws(SystemFault) in try file.write(bytes, at: 0) }
        }
        try result.get()
    }

    deinit {
        // Gone already when it became a pack of the cache.
        unlink(path)
    }

    var count: Int { state.withLock { $0.keys.count } }

    func lists(_ key: CacheSegment.Key) -> Bool { state.withLock { $0.keys.contains(key) } }

    /// Keeps room for `count` bytes and says where.
    func reserve(_ count: Int) -> Int {
        state.withLock { state in
            defer { state.end += count }
            return state.end
        }
    }

    /// Lists a content that has been written, for the index.
    func list(_ entry: CacheSegment.Entry) {
        state.withLock { state in
            guard state.keys.insert(entry.key).inserted else { return }
            for word in [
                entry.key.a, entry.key.b, entry.key.c, entry.key.d, UInt64(entry.size), UInt64(entry.offset),
                UInt64(entry.compressedSize), UInt64(entry.packedCRC32) << 32 | UInt64(entry.crc32),
            ] {
                withUnsafeBytes(of: word.littleEndian) { state.index.append(contentsOf: $0) }
            }
        }
    }

    /// Writes the index and gives the file its name.
    func publish(as destination: String) throws(SystemFault) {
        let (end, index) = state.withLock { ($0.end, $0.index) }
        var tail = index
        let crc = index.withUnsafeBytes { Deflater.crc32($0) }
        withUnsafeBytes(of: UInt64(index.count / CacheSegment.entrySize).littleEndian) { tail.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt64(end).littleEndian) { tail.append(contentsOf: $0) }
        withUnsafeBytes(of: crc.littleEndian) { tail.append(contentsOf: $0) }
        tail += CacheSegment.endMagic
        let file = file
        let result = tail.withUnsafeBytes { bytes in
            Result<Void, SystemFault> { () throws(SystemFault) in try file.write(bytes, at: end) }
        }
        try result.get()
        guard rename(path, destination) == 0 else { throw SystemFault() }
    }
}
