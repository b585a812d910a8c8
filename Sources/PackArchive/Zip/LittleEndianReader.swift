/// Reads little-endian numbers from untrusted bytes. Past the end it returns nil and never traps.
struct LittleEndianReader {
    private let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    var isAtEnd: Bool { position == bytes.endIndex }
    var remaining: Int { bytes.endIndex - position }

    mutating func number(byteCount: Int) -> Int? {
        guard remaining >= byteCount else { return nil }
        var value: UInt64 = 0
        for index in 0..<byteCount { value |= UInt64(bytes[position + index]) << UInt64(8 * index) }
        position += byteCount
        return Int(exactly: value)
    }

    mutating func uint16() -> Int? { number(byteCount: 2) }
    mutating func uint32() -> Int? { number(byteCount: 4) }
    mutating func uint64() -> Int? { number(byteCount: 8) }

    mutating func slice(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, remaining >= count else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }
}
