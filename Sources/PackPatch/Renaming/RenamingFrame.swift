/// The skippable zstd frame (RFC 8878, section 3.1.2) in front of a patch that carries its renaming map.
enum RenamingFrame {
    /// One of the 16 magic numbers that the RFC sets aside.
    private static let magic: UInt32 = 0x184D_2A57
    private static let headerByteCount = 8
    /// More bytes than any map that pays.
    static let maximumByteCount = 4 << 20

    static func bytes(around map: [UInt8]) -> [UInt8] {
        [magic, UInt32(map.count)].flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
            + map
    }

    /// The map at the start of a patch; nil if it has none.
    static func read(from source: inout ChunkReader) throws(PatchError) -> [UInt8]? {
        var header = ByteReader(try source.bytes(atLeast: headerByteCount).prefix(headerByteCount))
        guard header.littleEndian(4) == UInt64(magic) else { return nil }
        guard let count = header.littleEndian(4) else { throw .truncated }
        guard count <= maximumByteCount else { throw .invalidMap(reason: "it is too large") }
        source.consume(headerByteCount)
        return try source.take(Int(count))
    }
}
