import PackFormat

/// Encodes the headers of a zip.
struct ZipDirectoryEncoder {
    private var records: [UInt8] = []
    private var count = 0

    /// Bytes of the local header, which has no extra field.
    static func localHeaderSize(of entry: ArchiveWriter.Entry) -> Int {
        ZipFormat.localHeaderSize + entry.path.text.utf8.count
    }

    static func localHeader(of entry: ArchiveWriter.Entry) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(localHeaderSize(of: entry))
        bytes.append(littleEndian: ZipFormat.localHeaderSignature)
        bytes.append(littleEndian: ZipFormat.versionNeeded)
        appendFields(of: entry, to: &bytes)
        bytes.append(littleEndian: UInt16(0))
        bytes += entry.path.text.utf8
        return bytes
    }

    mutating func add(_ entry: ArchiveWriter.Entry, at offset: Int) {
        let needsZip64 = offset >= ZipFormat.saturated32
        records.append(littleEndian: ZipFormat.centralHeaderSignature)
        records.append(littleEndian: ZipFormat.versionMadeBy)
        records.append(littleEndian: needsZip64 ? ZipFormat.versionNeededZip64 : ZipFormat.versionNeeded)
        Self.appendFields(of: entry, to: &records)
        records.append(littleEndian: UInt16(needsZip64 ? 12 : 0))
        records.append(littleEndian: UInt16(0))  // comment
        records.append(littleEndian: UInt16(0))  // disk
        records.append(littleEndian: UInt16(0))  // internal attributes
        records.append(littleEndian: ZipFormat.externalAttributes)
        records.append(littleEndian: UInt32(min(offset, ZipFormat.saturated32)))
        records += entry.path.text.utf8
        if needsZip64 {
            records.append(littleEndian: UInt16(ZipFormat.Extra.zip64))
            records.append(littleEndian: UInt16(8))
            records.append(littleEndian: UInt64(offset))
        }
        count += 1
    }

    /// Takes over the entries that follow the ones so far.
    mutating func append(_ other: ZipDirectoryEncoder) {
        records += other.records
        count += other.count
    }

    /// The central directory and the end record, for the place where they will stand.
    func bytes(at offset: Int) -> [UInt8] {
        var bytes = records
        let needsZip64 =
            count >= ZipFormat.saturated16 || records.count >= ZipFormat.saturated32
            || offset >= ZipFormat.saturated32
        if needsZip64 {
            bytes.append(littleEndian: ZipFormat.zip64EndRecordSignature)
            bytes.append(littleEndian: UInt64(ZipFormat.zip64EndRecordSize - 12))
            bytes.append(littleEndian: ZipFormat.versionMadeBy)
            bytes.append(littleEndian: ZipFormat.versionNeededZip64)
            bytes.append(littleEndian: UInt32(0))
            bytes.append(littleEndian: UInt32(0))
            for number in [count, count, records.count, offset] { bytes.append(littleEndian: UInt64(number)) }
            bytes.append(littleEndian: ZipFormat.zip64LocatorSignature)
            bytes.append(littleEndian: UInt32(0))
            bytes.append(littleEndian: UInt64(offset + records.count))
            bytes.append(littleEndian: UInt32(1))
        }
        bytes.append(littleEndian: ZipFormat.endRecordSignature)
        bytes.append(littleEndian: UInt32(0))
        bytes.append(littleEndian: UInt16(min(count, ZipFormat.saturated16)))
        bytes.append(littleEndian: UInt16(min(count, ZipFormat.saturated16)))
        bytes.append(littleEndian: UInt32(min(records.count, ZipFormat.saturated32)))
        bytes.append(littleEndian: UInt32(min(offset, ZipFormat.saturated32)))
        bytes.append(littleEndian: UInt16(0))
        return bytes
    }

    /// What both headers share, up to and with the length of the name.
    private static func appendFields(of entry: ArchiveWriter.Entry, to bytes: inout [UInt8]) {
        bytes.append(littleEndian: UInt16(ZipFormat.Flag.utf8))
        bytes.append(littleEndian: UInt16(entry.content.method))
        bytes.append(littleEndian: ZipFormat.time)
        bytes.append(littleEndian: ZipFormat.date)
        bytes.append(littleEndian: entry.content.crc32)
        bytes.append(littleEndian: UInt32(entry.content.compressedSize))
        bytes.append(littleEndian: UInt32(entry.content.object.size))
        bytes.append(littleEndian: UInt16(entry.path.text.utf8.count))
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
