/// The fields that a local and a central header share, as they are in the bytes.
struct ZipHeader {
    var flags = 0
    var method = 0
    var time = 0
    var date = 0
    var crc32 = 0
    var compressedSize = 0
    var size = 0
    var name: [UInt8] = []
    var extra = ZipExtraFields()

    /// Reads what follows the version fields, up to and without the name's length.
    init?(_ reader: inout LittleEndianReader) {
        guard let flags = reader.uint16(), let method = reader.uint16(), let time = reader.uint16(),
            let date = reader.uint16(), let crc32 = reader.uint32(), let compressedSize = reader.uint32(),
            let size = reader.uint32()
        else { return nil }
        self.flags = flags
        self.method = method
        self.time = time
        self.date = date
        self.crc32 = crc32
        self.compressedSize = compressedSize
        self.size = size
    }
}

/// The extra fields of one header: only known ones, each once, of exactly their length.
struct ZipExtraFields {
    /// The body of the zip64 field.
    private(set) var zip64: [UInt8]?
    private var unicodePath: [UInt8]?
    private var unicodeComment: [UInt8]?

    init() {}

    init(_ bytes: ArraySlice<UInt8>) throws(ZipFaultSignal) {
        var reader = LittleEndianReader(bytes)
        var seen: Set<Int> = []
        while !reader.isAtEnd {
            guard let id = reader.uint16(), let length = reader.uint16(), let body = reader.slice(length),
                seen.insert(id).inserted
            else { throw ZipFaultSignal(.damagedExtraField) }
            switch id {
            case ZipFormat.Extra.zip64: zip64 = Array(body)
            case ZipFormat.Extra.unicodePath: unicodePath = Array(body)
            case ZipFormat.Extra.unicodeComment: unicodeComment = Array(body)
            case _ where ZipFormat.Extra.harmless.contains(id): break
            default: throw ZipFaultSignal(.forbiddenExtraField(id))
            }
        }
    }

    /// [4.6.9] A second name in an extra field must be the first one: readers differ in which they believe.
    func agrees(withName name: [UInt8]) -> Bool {
        guard let unicodePath else { return true }
        return unicodePath.first == 1 && unicodePath.dropFirst(5).elementsEqual(name)
    }

    /// [4.6.8] A second comment in an extra field is the first one in Unicode. Of an ASCII comment that is itself; of
    /// another one nobody knows the character set.
    func agrees(withComment comment: some Collection<UInt8>) -> Bool {
        guard let unicodeComment else { return true }
        guard unicodeComment.first == 1, unicodeComment.count >= 5 else { return false }
        let text = unicodeComment.dropFirst(5)
        return comment.allSatisfy { $0 < 0x80 }
            ? text.elementsEqual(comment) : String(validating: text, as: UTF8.self) != nil
    }
}

/// Passes a fault up to the code that knows the archive and the entry.
struct ZipFaultSignal: Error {
    let fault: ArchiveFault

    init(_ fault: ArchiveFault) {
        self.fault = fault
    }
}
