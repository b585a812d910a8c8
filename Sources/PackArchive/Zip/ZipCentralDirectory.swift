import PackFormat

/// The central directory. Every record is verified by itself, and the whole has no byte left over.
struct ZipCentralDirectory {
    struct Header {
        let fields: ZipHeader
        let path: PackagePath
        let isFolder: Bool
        /// Where the local header should be.
        let offset: Int
    }

    /// The largest directory that is read into memory: 200,001 entries of a usual length take a tenth of it.
    private static let maximumSize = 256 << 20

    let headers: [Header]

    /// - Parameter entry: the name of the entry under judgement, for the error message.
    init(of file: OpenFile, end: ZipEndRecord, entry: inout String?) throws {
        guard end.directorySize <= Self.maximumSize else {
            throw ZipFaultSignal(.damagedDirectory("it is larger than \(Self.maximumSize) bytes"))
        }
        guard let bytes = try file.bytes(at: end.directoryOffset, count: end.directorySize) else {
            throw ZipFaultSignal(.truncated("the central directory"))
        }
        var reader = LittleEndianReader(bytes)
        var headers: [Header] = []
        while !reader.isAtEnd {
            entry = nil
            guard headers.count < end.entryCount else { throw ZipFaultSignal(.wrongEntryCount) }
            headers.append(try Self.header(&reader, entry: &entry))
        }
        entry = nil
        guard headers.count == end.entryCount else { throw ZipFaultSignal(.wrongEntryCount) }
        self.headers = headers
    }

    private static func header(
        _ reader: inout LittleEndianReader, entry: inout String?
    ) throws(ZipFaultSignal) -> Header {
        guard reader.uint32() == Int(ZipFormat.centralHeaderSignature), reader.uint16() != nil, reader.uint16() != nil,
            var fields = ZipHeader(&reader), let nameLength = reader.uint16(), let extraLength = reader.uint16(),
            let commentLength = reader.uint16(), let disk = reader.uint16(), reader.uint16() != nil,
            let attributes = reader.uint32(), let offset = reader.uint32(), let name = reader.slice(nameLength),
            let extra = reader.slice(extraLength), let comment = reader.slice(commentLength)
        else { throw ZipFaultSignal(.damagedDirectory("a record is cut off or does not start where it should")) }
        entry = String(decoding: name, as: UTF8.self)
        fields.name = Array(name)
        fields.extra = try ZipExtraFields(extra)
        guard disk == 0 else { throw ZipFaultSignal(.severalDisks) }
        let headerOffset = try resolveZip64(&fields, offset: offset)
        try judgeKind(fields, attributes: attributes)
        guard fields.extra.agrees(withName: fields.name) else {
            throw ZipFaultSignal(.contradictoryHeaders("name in the Unicode path field"))
        }
        guard fields.extra.agrees(withComment: comment) else {
            throw ZipFaultSignal(.contradictoryComment)
        }
        let isFolder = name.last == UInt8(ascii: "/")
        let path = try path(of: isFolder ? name.dropLast() : name)
        try judgeContent(fields, isFolder: isFolder, attributes: attributes)
        return Header(fields: fields, path: path, isFolder: isFolder, offset: headerOffset)
    }

    /// [4.5.3] The zip64 field holds the saturated fields in order, and nothing else.
    private static func resolveZip64(_ fields: inout ZipHeader, offset: Int) throws(ZipFaultSignal) -> Int {
        guard let body = fields.extra.zip64 else {
            guard fields.size < ZipFormat.saturated32, fields.compressedSize < ZipFormat.saturated32,
                offset < ZipFormat.saturated32
            else { throw ZipFaultSignal(.damagedDirectory("a zip64 field is needed and missing")) }
            return offset
        }
        var reader = LittleEndianReader(body)
        var resolved = offset
        if fields.size == ZipFormat.saturated32 {
            guard let size = reader.uint64() else { throw ZipFaultSignal(.damagedExtraField) }
            fields.size = size
        }
        if fields.compressedSize == ZipFormat.saturated32 {
            guard let size = reader.uint64() else { throw ZipFaultSignal(.damagedExtraField) }
            fields.compressedSize = size
        }
        if offset == ZipFormat.saturated32 {
            guard let value = reader.uint64() else { throw ZipFaultSignal(.damagedExtraField) }
            resolved = value
        }
        guard reader.isAtEnd else { throw ZipFaultSignal(.contradictoryZip64("size or offset")) }
        return resolved
    }

    private static func judgeKind(_ fields: ZipHeader, attributes: Int) throws(ZipFaultSignal) {
        if fields.flags & ZipFormat.Flag.encrypted != 0 { throw ZipFaultSignal(.encrypted) }
        let allowed = ZipFormat.Flag.deflateHints | ZipFormat.Flag.descriptor | ZipFormat.Flag.utf8
        if fields.flags & ~allowed != 0 { throw ZipFaultSignal(.unsupportedFlags(fields.flags & ~allowed)) }
        guard fields.method == ZipFormat.stored || fields.method == ZipFormat.deflated else {
            throw ZipFaultSignal(.unsupportedMethod(fields.method))
        }
        // The upper half is a Unix mode whatever the host byte says: readers differ in when they believe it.
        switch attributes >> 16 & 0o170000 {
        case 0, 0o100000, 0o040000: break
        case 0o120000: throw ZipFaultSignal(.symbolicLink)
        case 0o020000: throw ZipFaultSignal(.specialFile("a character device"))
        case 0o060000: throw ZipFaultSignal(.specialFile("a block device"))
        case 0o010000: throw ZipFaultSignal(.specialFile("a FIFO"))
        case 0o140000: throw ZipFaultSignal(.specialFile("a socket"))
        default: throw ZipFaultSignal(.specialFile("of an unknown kind"))
        }
    }

    private static func judgeContent(
        _ fields: ZipHeader, isFolder: Bool, attributes: Int
    ) throws(ZipFaultSignal) {
        let mode = attributes >> 16 & 0o170000
        if isFolder {
            if fields.size != 0 || fields.crc32 != 0 { throw ZipFaultSignal(.folderWithContent) }
            if mode == 0o100000 { throw ZipFaultSignal(.contradictoryHeaders("kind")) }
        } else if mode == 0o040000 {
            throw ZipFaultSignal(.contradictoryHeaders("kind"))
        }
        if fields.method == ZipFormat.stored, fields.size != fields.compressedSize {
            throw ZipFaultSignal(.contradictoryHeaders("size of stored content"))
        }
    }

    private static func path(of name: ArraySlice<UInt8>) throws(ZipFaultSignal) -> PackagePath {
        guard let text = String(validating: name, as: UTF8.self) else { throw ZipFaultSignal(.nameNotUTF8) }
        do {
            return try PackagePath(text)
        } catch .invalidPath(_, let reason) {
            throw ZipFaultSignal(.unsafeName(reason))
        } catch {
            throw ZipFaultSignal(.unsafeName("\(error)"))
        }
    }
}
