/// The numbers of the zip format (PKWARE APPNOTE 6.3.10; sections in brackets).
enum ZipFormat {
    static let localHeaderSignature: UInt32 = 0x0403_4b50
    static let centralHeaderSignature: UInt32 = 0x0201_4b50
    static let endRecordSignature: UInt32 = 0x0605_4b50
    static let zip64EndRecordSignature: UInt32 = 0x0606_4b50
    static let zip64LocatorSignature: UInt32 = 0x0706_4b50
    static let descriptorSignature: UInt32 = 0x0807_4b50

    static let localHeaderSize = 30
    static let endRecordSize = 22
    static let zip64EndRecordSize = 56
    static let zip64LocatorSize = 20

    /// [4.4.4] general purpose bits.
    enum Flag {
        static let encrypted = 1 << 0
        static let deflateHints = 1 << 1 | 1 << 2
        static let descriptor = 1 << 3
        static let utf8 = 1 << 11
    }

    /// [4.5] extra fields.
    enum Extra {
        static let zip64 = 0x0001
        static let unicodePath = 0x7075
        static let unicodeComment = 0x6375
        /// Times, owners and padding: nothing that changes what an entry is. Everything else is refused, because some
        /// readers take names, link targets, modes or keys from such fields.
        static let harmless: Set<Int> = [
            0x000a,  // NTFS times
            0x5455,  // Unix times
            0x5855, 0x7855, 0x7875,  // Unix owners
            0xcafe,  // the mark of a jar
            0xa220,  // padding of Office files
        ]
    }

    static let stored = 0
    static let deflated = 8

    /// [4.4.6] 1980-01-01 00:00:00, the same on every day and in every zone.
    static let time: UInt16 = 0
    static let date: UInt16 = 1 << 5 | 1
    /// [4.4.2] written as on Unix, so that the mode below counts.
    static let versionMadeBy: UInt16 = 3 << 8 | 30
    static let versionNeeded: UInt16 = 20
    static let versionNeededZip64: UInt16 = 45
    /// `-rw-r--r--`, a regular file.
    static let externalAttributes: UInt32 = 0o100644 << 16

    /// The longest archive comment: readers look for the end record in the last 16 KiB only, libarchive is one.
    static let maximumCommentSize = 16_000

    static let saturated16 = 0xFFFF
    static let saturated32 = 0xFFFF_FFFF
}
