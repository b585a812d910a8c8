import PackFormat

/// Checks that the local entries fill the file from its first byte to the central directory, and that each agrees
/// with its central header.
struct ZipTiling {
    private(set) var entries: [ZipStructure.Entry] = []

    init(
        headers: [ZipCentralDirectory.Header], file: OpenFile, end: Int, entry current: inout String?
    ) throws {
        let ordered = headers.sorted { $0.offset < $1.offset }
        var position = 0
        for (index, header) in ordered.enumerated() {
            current = header.path.text
            if header.offset < position { throw ZipFaultSignal(.overlap) }
            if header.offset > position { throw ZipFaultSignal(index == 0 ? .dataBefore : .gap) }
            let next = index + 1 < ordered.count ? ordered[index + 1].offset : end
            guard next <= end else { throw ZipFaultSignal(.overlap) }
            position = try Self.judge(header, file: file, next: next)
            entries.append(
                ZipStructure.Entry(
                    path: header.path, isFolder: header.isFolder, compressedSize: header.fields.compressedSize,
                    size: header.fields.size,
                    isNameMarked: header.fields.flags & ZipFormat.Flag.utf8 != 0
                        || header.fields.name.allSatisfy { $0 < 0x80 }))
        }
        if position != end {
            current = nil
            throw ZipFaultSignal(entries.isEmpty ? .dataBefore : .gap)
        }
    }

    /// Judges one local header and says where its entry ends. `next` is where the following one starts.
    private static func judge(_ header: ZipCentralDirectory.Header, file: OpenFile, next: Int) throws -> Int {
        let central = header.fields
        guard let start = try file.bytes(at: header.offset, count: ZipFormat.localHeaderSize) else {
            throw ZipFaultSignal(.damagedLocalHeader)
        }
        var reader = LittleEndianReader(start)
        guard reader.uint32() == Int(ZipFormat.localHeaderSignature), reader.uint16() != nil,
            let local = ZipHeader(&reader), let nameLength = reader.uint16(), let extraLength = reader.uint16()
        else { throw ZipFaultSignal(.damagedLocalHeader) }
        let dataOffset = header.offset + ZipFormat.localHeaderSize + nameLength + extraLength
        guard dataOffset <= next,
            let variable = try file.bytes(
                at: header.offset + ZipFormat.localHeaderSize, count: nameLength + extraLength)
        else { throw ZipFaultSignal(.overlap) }
        guard variable.prefix(nameLength).elementsEqual(central.name) else {
            throw ZipFaultSignal(.contradictoryHeaders("name"))
        }
        guard local.flags == central.flags else { throw ZipFaultSignal(.contradictoryHeaders("flags")) }
        guard local.method == central.method else { throw ZipFaultSignal(.contradictoryHeaders("compression method")) }
        guard local.time == central.time, local.date == central.date else {
            throw ZipFaultSignal(.contradictoryHeaders("time"))
        }
        let extra = try ZipExtraFields(variable.dropFirst(nameLength))
        guard extra.agrees(withName: central.name) else {
            throw ZipFaultSignal(.contradictoryHeaders("name in the Unicode path field"))
        }
        try judgeSizes(local, zip64: extra.zip64, central: central)
        guard central.compressedSize <= next - dataOffset else { throw ZipFaultSignal(.overlap) }
        let dataEnd = dataOffset + central.compressedSize
        guard central.flags & ZipFormat.Flag.descriptor != 0 else { return dataEnd }
        return try judgeDescriptor(at: dataEnd, next: next, central: central, file: file)
    }

    private static func judgeSizes(
        _ local: ZipHeader, zip64: [UInt8]?, central: ZipHeader
    ) throws(ZipFaultSignal) {
        var size = local.size
        var compressedSize = local.compressedSize
        if let zip64 {
            // [4.5.3] In a local header the field holds both sizes; zip writes it also where they are not saturated.
            var reader = LittleEndianReader(zip64)
            guard let longSize = reader.uint64(), let longCompressedSize = reader.uint64(), reader.isAtEnd,
                size == ZipFormat.saturated32 || size == longSize,
                compressedSize == ZipFormat.saturated32 || compressedSize == longCompressedSize
            else { throw ZipFaultSignal(.contradictoryZip64("size")) }
            size = longSize
            compressedSize = longCompressedSize
        }
        // Before a data descriptor the local header may leave a field 0, which says nothing.
        let mayBeZero = central.flags & ZipFormat.Flag.descriptor != 0
        func agree(_ local: Int, _ central: Int) -> Bool { local == central || mayBeZero && local == 0 }
        guard agree(local.crc32, central.crc32) else { throw ZipFaultSignal(.contradictoryHeaders("CRC-32")) }
        guard agree(compressedSize, central.compressedSize) else {
            throw ZipFaultSignal(.contradictoryHeaders("compressed size"))
        }
        guard agree(size, central.size) else { throw ZipFaultSignal(.contradictoryHeaders("size")) }
    }

    /// [4.3.9] The descriptor's form (with or without signature, 32 or 64 bits) follows from the room it has.
    private static func judgeDescriptor(
        at offset: Int, next: Int, central: ZipHeader, file: OpenFile
    ) throws -> Int {
        let room = next - offset
        guard [12, 16, 20, 24].contains(room), let bytes = try file.bytes(at: offset, count: room) else {
            throw ZipFaultSignal(.contradictoryDescriptor)
        }
        var reader = LittleEndianReader(bytes)
        if room == 16 || room == 24 {
            guard reader.uint32() == Int(ZipFormat.descriptorSignature) else {
                throw ZipFaultSignal(.contradictoryDescriptor)
            }
        }
        let width = room >= 20 ? 8 : 4
        guard reader.uint32() == central.crc32, reader.number(byteCount: width) == central.compressedSize,
            reader.number(byteCount: width) == central.size, reader.isAtEnd
        else { throw ZipFaultSignal(.contradictoryDescriptor) }
        return next
    }
}
