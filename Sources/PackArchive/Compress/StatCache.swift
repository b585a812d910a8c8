import Foundation
import PackFormat
import PackSystem
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Digests and checksums of files by their state, so that an unchanged file is not read again.
///
///     "PTKSTAT1" | records: 80 bytes each | count and CRC-32 of the records
///
/// It is one file of the compression cache for each set of folders. A file that has changed within the last seconds
/// is not remembered (see ``FileStamp``). A damaged cache file is not used; deleting it at any time is safe.
final class StatCache: Sendable {
    struct Record: Sendable {
        let object: Object
        let crc32: UInt32
    }

    private static let magic = Array("PTKSTAT1".utf8)
    private static let recordSize = 80
    private static let trailerSize = 12
    /// Bytes; the most files that a package can have take 16 MB.
    private static let maximumSize = 256 << 20

    private let path: String
    private let known: [FileStamp: Record]
    private let state: Mutex<(records: [FileStamp: Record], isChanged: Bool)>
    /// When the first file may have been read.
    private let start: Date

    init(path: String, start: Date) {
        self.path = path
        self.start = start
        known = Self.read(path) ?? [:]
        var records: [FileStamp: Record] = [:]
        records.reserveCapacity(known.count)
        state = Mutex((records, false))
    }

    /// What is known of a file in this state.
    func record(of stamp: FileStamp) -> Record? { known[stamp] }

    /// Remembers what is still so.
    func keep(_ stamps: some Sequence<FileStamp>) {
        state.withLock { state in
            for stamp in stamps { state.records[stamp] = known[stamp] }
        }
    }

    /// Remembers what a file that was opened in this state had.
    func add(_ record: Record, of stamp: FileStamp) {
        guard stamp.isSettled(at: start) else { return }
        state.withLock { state in
            state.records[stamp] = record
            state.isChanged = true
        }
    }

    /// Writes the records of this run in the place of those before.
    func save() {
        let (records, isChanged) = state.withLock { ($0.records, $0.isChanged) }
        guard isChanged || records.count != known.count else {
            utimensat(AT_FDCWD, path, nil, 0)
            return
        }
        var bytes = Self.magic
        bytes.reserveCapacity(Self.magic.count + records.count * Self.recordSize + Self.trailerSize)
        for (stamp, record) in records {
            let digest = record.object.digest.words
            for word in [
                stamp.device, stamp.inode, UInt64(bitPattern: Int64(stamp.size)), UInt64(bitPattern: stamp.modified),
                UInt64(bitPattern: stamp.changed), UInt64(record.crc32), digest.0.byteSwapped, digest.1.byteSwapped,
                digest.2.byteSwapped, digest.3.byteSwapped,
            ] {
                withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
            }
        }
        let crc = bytes.withUnsafeBytes { Deflater.crc32($0) }
        withUnsafeBytes(of: UInt64(records.count).littleEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: crc.littleEndian) { bytes.append(contentsOf: $0) }
        // A cache that cannot be written is no cache: the build does not depend on it.
        let temporary = "\(path).\(UInt64.random(in: 0...UInt64.max)).tmp"
        guard let file = try? OpenFile.creating(temporary) else { return }
        let isWritten = bytes.withUnsafeBytes { (try? file.write($0, at: 0)) != nil }
        if !isWritten || rename(temporary, path) != 0 { unlink(temporary) }
    }

    private static func read(_ path: String) -> [FileStamp: Record]? {
        guard let file = try? OpenFile.reading(path), file.size >= magic.count + trailerSize,
            file.size <= maximumSize,
            let bytes = try? file.bytes(at: 0, count: file.size), bytes.starts(with: magic)
        else { return nil }
        let end = bytes.count - trailerSize
        var trailer = LittleEndianReader(bytes[end...])
        guard let count = trailer.uint64(), let crc = trailer.uint32(), (end - magic.count) % recordSize == 0,
            count == (end - magic.count) / recordSize,
            bytes.withUnsafeBytes({ Deflater.crc32(UnsafeRawBufferPointer(rebasing: $0[..<end])) }) == UInt32(crc)
        else { return nil }
        var records: [FileStamp: Record] = [:]
        records.reserveCapacity(count)
        bytes.withUnsafeBytes { bytes in
            for start in stride(from: magic.count, to: end, by: recordSize) {
                func word(_ index: Int) -> UInt64 {
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + index * 8, as: UInt64.self))
                }
                guard let size = Int(exactly: word(2)) else { continue }
                let digest = PackFormat.Digest(
                    words: (
                        word(6).byteSwapped, word(7).byteSwapped, word(8).byteSwapped, word(9).byteSwapped
                    ))
                let stamp = FileStamp(
                    device: word(0), inode: word(1), size: size, modified: Int64(bitPattern: word(3)),
                    changed: Int64(bitPattern: word(4)))
                records[stamp] = Record(
                    object: Object(digest: digest, size: size), crc32: UInt32(truncatingIfNeeded: word(5)))
            }
        }
        return records
    }
}
