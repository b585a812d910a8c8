import PackFormat

/// Writes a zip, or a part of one, from start to end in large pieces.
struct ArchiveOutput: ~Copyable {
    private static let capacity = 1 << 20

    /// Where the next byte goes.
    private(set) var offset: Int
    private let file: OpenFile
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
    private var used = 0

    init(_ file: OpenFile, at offset: Int = 0) {
        self.file = file
        self.offset = offset
    }

    deinit {
        buffer.deallocate()
    }

    mutating func append(_ bytes: [UInt8]) throws(SystemFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if used == buffer.count { try flush() }
            let part = rest.prefix(buffer.count - used)
            UnsafeMutableRawBufferPointer(rebasing: buffer[used...]).copyBytes(from: part)
            used += part.count
            offset += part.count
            rest = rest.dropFirst(part.count)
        }
    }

    /// Copies a content and checks on the way that it is still what was prepared.
    mutating func append(_ content: PreparedContent) throws {
        switch content.place {
        case .pack(let pack, let start, let crc32):
            do {
                guard try copy(pack, at: start, count: content.compressedSize) == crc32 else {
                    throw ZipFaultSignal(.damagedCache)
                }
            } catch is ZipFaultSignal {
                // What cannot be read is as good as damaged.
                throw ZipFaultSignal(.damagedCache)
            }
        case .source(.bytes(let bytes)):
            try append(bytes)
        case .source(.path(let path)):
            let source: OpenFile
            do {
                source = try OpenFile.reading(path)
            } catch {
                throw ZipFaultSignal(.sourceUnreadable(error.reason))
            }
            guard source.size == content.object.size,
                try copy(source, at: 0, count: content.object.size) == content.crc32
            else { throw ZipFaultSignal(.sourceChanged) }
        }
    }

    mutating func flush() throws(SystemFault) {
        try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<used]), at: offset - used)
        // The disk works meanwhile, so that little is left to wait for at the end.
        file.startWriting(offset - used, count: used)
        used = 0
    }

    /// Copies a part of a file and gives its CRC-32; nil if the file is shorter.
    private mutating func copy(_ source: OpenFile, at start: Int, count: Int) throws -> UInt32? {
        var crc: UInt32 = 0
        var done = 0
        while done < count {
            if used == buffer.count { try flush() }
            let room = min(buffer.count - used, count - done)
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[used..<used + room])
            let read: Int
            do {
                read = try source.read(into: part, at: start + done)
            } catch {
                throw ZipFaultSignal(.sourceUnreadable(error.reason))
            }
            guard read == room else { return nil }
            crc = Deflater.crc32(UnsafeRawBufferPointer(part), after: crc)
            used += room
            offset += room
            done += room
        }
        return crc
    }
}
