/// The place of an archive's central directory: the end record, with the zip64 one if sizes need it.
struct ZipEndRecord {
    private(set) var entryCount: Int
    private(set) var directorySize: Int
    private(set) var directoryOffset: Int
    /// The offset where the end records start, which is where the central directory must end.
    private(set) var offset: Int

    /// Finds the one end record of a file and judges it.
    init(of file: OpenFile, size: Int) throws {
        let tailSize = min(size, ZipFormat.endRecordSize + ZipFormat.saturated16)
        guard let tail = try file.bytes(at: size - tailSize, count: tailSize) else {
            throw ZipFaultSignal(.truncated("the end record"))
        }
        let found = try Self.locate(in: tail)
        let commentSize = tail.count - found - ZipFormat.endRecordSize
        offset = size - tailSize + found
        var reader = LittleEndianReader(tail[(found + 4)...])
        guard let disk = reader.uint16(), let directoryDisk = reader.uint16(), let diskEntries = reader.uint16(),
            let entries = reader.uint16(), let directorySize = reader.uint32(), let directoryOffset = reader.uint32()
        else { throw ZipFaultSignal(.notAZip) }
        guard disk == 0, directoryDisk == 0, diskEntries == entries else { throw ZipFaultSignal(.severalDisks) }
        entryCount = entries
        self.directorySize = directorySize
        self.directoryOffset = directoryOffset
        try readZip64(of: file)
        guard self.directoryOffset <= offset, self.directorySize <= offset - self.directoryOffset else {
            throw ZipFaultSignal(.truncated("the central directory"))
        }
        guard self.directoryOffset + self.directorySize == offset else {
            throw ZipFaultSignal(.misplacedDirectory)
        }
        // Whoever searches backwards for an end record must meet ours first; and nobody may meet another after ours.
        let directoryEnd = max(0, offset - (size - tailSize))
        let signatures = Self.signatures(in: tail).filter { $0 >= directoryEnd }
        guard signatures == [found] else { throw ZipFaultSignal(.severalEndRecords) }
        guard commentSize <= ZipFormat.maximumCommentSize else {
            throw ZipFaultSignal(.longComment(commentSize, limit: ZipFormat.maximumCommentSize))
        }
    }

    /// The record whose comment ends exactly where the file does.
    private static func locate(in tail: [UInt8]) throws(ZipFaultSignal) -> Int {
        let candidates = signatures(in: tail).compactMap { position -> (position: Int, end: Int)? in
            guard tail.count - position >= ZipFormat.endRecordSize else { return nil }
            let length = Int(tail[position + 20]) | Int(tail[position + 21]) << 8
            return (position, position + ZipFormat.endRecordSize + length)
        }
        guard let last = candidates.last else { throw ZipFaultSignal(.notAZip) }
        let exact = candidates.filter { $0.end == tail.count }
        if exact.count > 1 { throw ZipFaultSignal(.severalEndRecords) }
        guard let record = exact.first else {
            throw ZipFaultSignal(last.end > tail.count ? .truncated("the archive's comment") : .dataAfter)
        }
        return record.position
    }

    private static func signatures(in tail: [UInt8]) -> [Int] {
        guard tail.count >= 4 else { return [] }
        return (0...tail.count - 4).filter {
            tail[$0] == 0x50 && tail[$0 + 1] == 0x4b && tail[$0 + 2] == 0x05 && tail[$0 + 3] == 0x06
        }
    }

    /// Reads the zip64 records [4.3.14, 4.3.15], which must stand right before the end record, be needed, and say
    /// the same as every field of the end record that is not saturated.
    private mutating func readZip64(of file: OpenFile) throws {
        let saturated =
            entryCount == ZipFormat.saturated16 || directorySize == ZipFormat.saturated32
            || directoryOffset == ZipFormat.saturated32
        let locatorOffset = offset - ZipFormat.zip64LocatorSize
        guard locatorOffset >= 0,
            let locator = try file.bytes(at: locatorOffset, count: ZipFormat.zip64LocatorSize),
            locator.starts(with: [0x50, 0x4b, 0x06, 0x07])
        else {
            // 65,535 entries fit without zip64; a saturated size or offset does not.
            if directorySize == ZipFormat.saturated32 || directoryOffset == ZipFormat.saturated32 {
                throw ZipFaultSignal(.damagedDirectory("a zip64 record is needed and missing"))
            }
            return
        }
        guard saturated else { throw ZipFaultSignal(.zip64NotNeeded) }
        var reader = LittleEndianReader(locator[4...])
        guard let disk = reader.uint32(), let recordOffset = reader.uint64(), let disks = reader.uint32() else {
            throw ZipFaultSignal(.damagedDirectory("the zip64 locator"))
        }
        guard disk == 0, disks <= 1 else { throw ZipFaultSignal(.severalDisks) }
        guard recordOffset == locatorOffset - ZipFormat.zip64EndRecordSize,
            let record = try file.bytes(at: recordOffset, count: ZipFormat.zip64EndRecordSize)
        else { throw ZipFaultSignal(.contradictoryZip64("place of the end record")) }
        var fields = LittleEndianReader(record)
        guard fields.uint32() == Int(ZipFormat.zip64EndRecordSignature),
            fields.uint64() == ZipFormat.zip64EndRecordSize - 12, fields.uint32() != nil,
            fields.uint32() == 0, fields.uint32() == 0, let diskEntries = fields.uint64(),
            let entries = fields.uint64(), let size = fields.uint64(), let start = fields.uint64(),
            diskEntries == entries
        else { throw ZipFaultSignal(.damagedDirectory("the zip64 end record")) }
        for (short, long, limit, name) in [
            (entryCount, entries, ZipFormat.saturated16, "number of entries"),
            (directorySize, size, ZipFormat.saturated32, "directory size"),
            (directoryOffset, start, ZipFormat.saturated32, "directory offset"),
        ] {
            // Also a saturated field whose real value would have fitted: a reader without zip64 sees another archive.
            guard short == min(long, limit) else { throw ZipFaultSignal(.contradictoryZip64(name)) }
        }
        (entryCount, directorySize, directoryOffset, offset) = (entries, size, start, recordOffset)
    }
}
