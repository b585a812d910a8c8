/// The first bytes of a zstd frame (RFC 8878, section 3.1), parsed before anything is allocated for the frame.
struct FrameHeader: Equatable {
    static let magic: UInt32 = 0xFD2F_B528
    /// The longest header.
    static let maximumByteCount = 18

    /// What the decoder must keep of its output. Equal to the content's size for a frame of a single segment.
    let windowSize: UInt64
    /// What comes out of the frame, if it says so.
    let contentSize: UInt64?

    /// Reads the header at the start of `bytes`, which hold all of it unless the frame is cut off.
    init(_ bytes: some Collection<UInt8>) throws(PatchError) {
        var reader = ByteReader(bytes)
        guard let magic = reader.littleEndian(4) else { throw .truncated }
        guard magic == Self.magic else { throw .corrupt(reason: "it is not a zstd frame") }
        guard let descriptor = reader.byte() else { throw .truncated }
        guard descriptor & 0x08 == 0 else { throw .corrupt(reason: "a reserved bit is set") }
        guard descriptor & 0x03 == 0 else { throw .corrupt(reason: "it asks for a dictionary") }
        let isSingleSegment = descriptor & 0x20 != 0

        var window: UInt64 = 0
        if !isSingleSegment {
            guard let byte = reader.byte() else { throw .truncated }
            let base = UInt64(1) << (10 + UInt64(byte >> 3))
            window = base + (base / 8) * UInt64(byte & 7)
        }
        var content: UInt64?
        switch (descriptor >> 6, isSingleSegment) {
        case (0, false): content = nil
        case (0, true): content = try reader.required(1)
        case (1, _): content = try reader.required(2) + 256
        case (2, _): content = try reader.required(4)
        default: content = try reader.required(8)
        }
        contentSize = content
        windowSize = isSingleSegment ? content ?? 0 : window
    }
}

extension ByteReader {
    fileprivate mutating func required(_ count: Int) throws(PatchError) -> UInt64 {
        guard let value = littleEndian(count) else { throw .truncated }
        return value
    }
}
