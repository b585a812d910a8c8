/// Computes which bytes of a text belong to words, one bit each, 64 at a time. It handles 8 bytes at once by
/// arithmetic on one number, because a table lookup for every byte takes most of the time of applying a patch.
enum WordMask {
    static let byteCount = 64

    /// The bits of up to 64 bytes from `start` on; 0 from `end` on.
    @inline(__always)
    static func bits(_ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> UInt64 {
        guard let base = text.baseAddress, start + byteCount <= end else { return lastBits(text, start, end) }
        let block = base + start
        // Written out: as a loop it is not unrolled.
        let low =
            eight(block.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
            | eight(block.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) << 8
            | eight(block.loadUnaligned(fromByteOffset: 16, as: UInt64.self)) << 16
            | eight(block.loadUnaligned(fromByteOffset: 24, as: UInt64.self)) << 24
        let high =
            eight(block.loadUnaligned(fromByteOffset: 32, as: UInt64.self))
            | eight(block.loadUnaligned(fromByteOffset: 40, as: UInt64.self)) << 8
            | eight(block.loadUnaligned(fromByteOffset: 48, as: UInt64.self)) << 16
            | eight(block.loadUnaligned(fromByteOffset: 56, as: UInt64.self)) << 24
        return low | high << 32
    }

    /// A bit for each of up to 64 bytes from `start` on that is `byte`; 0 from `end` on.
    @inline(__always)
    static func bits(of byte: UInt8, _ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> UInt64 {
        var bits: UInt64 = 0
        if start + byteCount <= end {
            for index in 0..<8 {
                let eight = text.loadUnaligned(fromByteOffset: start + 8 * index, as: UInt64.self)
                let difference = UInt64(littleEndian: eight) ^ every(byte)
                // The high bit of a byte says that it differs nowhere.
                let same = ~((difference & every(0x7F)) &+ every(0x7F) | difference) & every(0x80)
                bits |= gathered(same) &<< UInt64(8 * index)
            }
        } else {
            for index in start..<max(start, end) where text[index] == byte { bits |= 1 << UInt64(index - start) }
        }
        return bits
    }

    private static func lastBits(_ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> UInt64 {
        var bits: UInt64 = 0
        for index in start..<max(min(end, start + byteCount), start) where Tokenizer.isWord(text[index]) {
            bits |= 1 << UInt64(index - start)
        }
        return bits
    }

    /// The 8 bits of 8 bytes, the first byte the lowest.
    @inline(__always)
    private static func eight(_ stored: UInt64) -> UInt64 {
        let bytes = UInt64(littleEndian: stored)
        let low = bytes & every(0x7F)
        // All sums stay below 256, so that no byte carries into the next: the high bit of a byte says "at least".
        let digits = (low &+ every(0x80 - 0x30)) & ~(low &+ every(0x80 - 0x3A))
        let small = low | every(0x20)
        let letters = (small &+ every(0x80 - 0x61)) & ~(small &+ every(0x80 - 0x7B))
        let underscores = every(0x80) &- (low ^ every(0x5F))
        let dollars = every(0x80) &- (low ^ every(0x24))
        let words = (digits | letters | underscores | dollars) & ~bytes & every(0x80)
        return gathered(words)
    }

    /// The high bits of 8 bytes, whose other bits are 0.
    @inline(__always)
    private static func gathered(_ bytes: UInt64) -> UInt64 {
        // Moves the high bit of byte i to bit 56 + i; no two products meet.
        ((bytes >> 7) &* 0x0102_0408_1020_4080) >> 56
    }

    @inline(__always)
    private static func every(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}
