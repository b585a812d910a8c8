/// Reads numbers from untrusted bytes; nil if the bytes end early.
struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: some Collection<UInt8>) {
        self.bytes = Array(bytes)
    }

    var remaining: Int { bytes.count - position }

    mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// A number of 1 to 8 bytes, the lowest first.
    mutating func littleEndian(_ count: Int) -> UInt64? {
        guard let bytes = take(count) else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The next `count` bytes.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= remaining else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// A number in groups of seven bits, the lowest first, the high bit set on all but the last (LEB128); at most
    /// 32 bits, so that no sum of a few of them overflows.
    mutating func variable() -> Int? {
        var value = 0
        for shift in stride(from: 0, through: 28, by: 7) {
            guard let byte = byte() else { return nil }
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value <= UInt32.max ? value : nil }
        }
        return nil
    }
}
