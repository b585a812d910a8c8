import Foundation

@testable import PackArchive

/// Builds zips byte by byte, so that a test can get any field wrong.
struct CraftedZip {
    /// One header's fields; those of the local and the central header can differ.
    struct Header {
        var name: [UInt8]
        var flags = 0x800
        var method = 0
        var time = 0
        var date = 0x21
        var crc32: UInt32
        var compressedSize: Int
        var size: Int
        var extra: [UInt8] = []
    }

    struct Entry {
        var local: Header
        var central: Header
        var data: [UInt8]
        var attributes: UInt32 = 0o100644 << 16
        var host = 3
        var disk = 0
        var comment: [UInt8] = []
        /// Bytes between this entry's data and the next entry.
        var after: [UInt8] = []
        /// Bytes before the local header that no entry claims.
        var before: [UInt8] = []
        /// Added to the offset that the central directory gives.
        var offsetShift = 0
        var localSignature: UInt32 = 0x0403_4b50
        var centralSignature: UInt32 = 0x0201_4b50

        init(_ name: String, _ content: String = "hello") {
            self.init(name: Array(name.utf8), content: Array(content.utf8))
        }

        init(name: [UInt8], content: [UInt8]) {
            data = content
            local = Header(
                name: name, crc32: content.withUnsafeBytes { Deflater.crc32($0) }, compressedSize: content.count,
                size: content.count)
            central = local
        }

        static func folder(_ name: String) -> Entry {
            var entry = Entry(name, "")
            entry.attributes = 0o040755 << 16
            return entry
        }

        /// Sets a field in both headers.
        mutating func both<Value>(_ field: WritableKeyPath<Header, Value>, _ value: Value) {
            local[keyPath: field] = value
            central[keyPath: field] = value
        }

        mutating func deflate() throws {
            let deflater = try Deflater(CompressionLevel.standard.deflateLevel)
            var output = [UInt8](repeating: 0, count: data.count)
            let count = data.withUnsafeBytes { input in
                output.withUnsafeMutableBytes { deflater.deflate(input, into: $0) }
            }
            guard let count else { throw CocoaError(.featureUnsupported) }
            data = Array(output.prefix(count))
            both(\.method, 8)
            both(\.compressedSize, count)
        }
    }

    var entries: [Entry]
    var prefix: [UInt8] = []
    /// Bytes between the central directory and the end record.
    var beforeEnd: [UInt8] = []
    var suffix: [UInt8] = []
    var comment: [UInt8] = []
    var commentLength: Int?
    var entryCount: Int?
    var diskEntryCount: Int?
    var disk = 0
    var directorySize: Int?
    var directoryOffset: Int?
    var endSignature: UInt32 = 0x0605_4b50

    init(_ entries: Entry...) {
        self.entries = entries
    }

    var bytes: [UInt8] {
        var bytes = prefix
        var offsets: [Int] = []
        for entry in entries {
            bytes += entry.before
            offsets.append(bytes.count + entry.offsetShift)
            bytes += Self.number(entry.localSignature) + Self.number(UInt16(20)) + Self.fields(entry.local)
            bytes += Self.number(UInt16(entry.local.extra.count)) + entry.local.name + entry.local.extra
            bytes += entry.data + entry.after
        }
        let start = bytes.count
        for (entry, offset) in zip(entries, offsets) {
            bytes += Self.number(entry.centralSignature) + Self.number(UInt16(entry.host << 8 | 30))
            bytes += Self.number(UInt16(20)) + Self.fields(entry.central)
            bytes += Self.number(UInt16(entry.central.extra.count)) + Self.number(UInt16(entry.comment.count))
            bytes += Self.number(UInt16(entry.disk)) + Self.number(UInt16(0)) + Self.number(entry.attributes)
            bytes += Self.number(UInt32(offset)) + entry.central.name + entry.central.extra + entry.comment
        }
        let size = bytes.count - start
        bytes += beforeEnd
        bytes += Self.number(endSignature) + Self.number(UInt16(disk)) + Self.number(UInt16(disk))
        bytes += Self.number(UInt16(diskEntryCount ?? entryCount ?? entries.count))
        bytes += Self.number(UInt16(entryCount ?? entries.count))
        bytes += Self.number(UInt32(directorySize ?? size)) + Self.number(UInt32(directoryOffset ?? start))
        bytes += Self.number(UInt16(commentLength ?? comment.count)) + comment
        return bytes + suffix
    }

    static func number(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    static func extra(_ id: Int, _ body: [UInt8]) -> [UInt8] {
        number(UInt16(id)) + number(UInt16(body.count)) + body
    }

    private static func fields(_ header: Header) -> [UInt8] {
        number(UInt16(header.flags)) + number(UInt16(header.method)) + number(UInt16(header.time))
            + number(UInt16(header.date)) + number(header.crc32) + number(UInt32(header.compressedSize))
            + number(UInt32(header.size)) + number(UInt16(header.name.count))
    }
}
