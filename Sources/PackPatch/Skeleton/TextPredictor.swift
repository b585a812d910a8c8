/// Predicts the bytes of paths from the paths before them.
struct TextPredictor {
    private var bits = BitPredictor(inputCount: 8, slotBits: 18, sets: 3)
    private var history: [UInt8] = []
    /// Where the four bytes of a hash ended last.
    private var ends = [Int32](repeating: 0, count: 1 << 14)
    /// The place in the history whose byte is expected, and how many bytes before it agree.
    private var match = (place: 0, count: 0)
    private var component: UInt32 = 0

    mutating func code(_ byte: UInt8, _ coder: inout some BinaryCoder) throws(PatchError) -> UInt8 {
        let recent = history.suffix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let expected = match.count > 0 ? Int(history[match.place]) | 0x100 : 0
        var partial: UInt32 = 1
        for shift in stride(from: 7, through: 0, by: -1) {
            for (index, order) in [0, 1, 2, 3, 4, 6].enumerated() {
                let part = recent & (UInt64(1) << UInt64(8 * order) - 1)
                let mixed = (part ^ UInt64(order) << 56) &* 0x9E37_79B9_7F4A_7C15
                bits.setContext(index, UInt32(truncatingIfNeeded: mixed >> 32) &+ partial &* 0x0100_0193)
            }
            bits.setContext(6, component &+ partial &* 0x0100_0193)
            // While the byte agrees with the expected one so far.
            let agrees = expected >> (shift + 1) == Int(partial)
            let length = agrees ? min(match.count, 15) : 0
            let next = agrees ? UInt32(expected >> shift & 1) : 2
            bits.setContext(7, UInt32(length) << 2 | next)
            let bit = try bits.code(
                byte >> UInt8(shift) & 1 == 1, set: length == 0 ? 0 : length < 8 ? 1 : 2, &coder)
            partial = partial << 1 | (bit ? 1 : 0)
        }
        let coded = UInt8(truncatingIfNeeded: partial)
        append(coded)
        return coded
    }

    private mutating func append(_ byte: UInt8) {
        let isExpected = match.count > 0 && history[match.place] == byte
        history.append(byte)
        component =
            byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\n")
            ? 0 : (component &+ UInt32(byte) &+ 1) &* 0x2F0B_4C47
        match = isExpected ? (match.place + 1, match.count + 1) : (0, 0)
        guard history.count >= 4 else { return }
        let key = history.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let slot = Int((key &* 0x9E37_79B1) >> 18)
        if match.count == 0, ends[slot] > 0 { match = (Int(ends[slot]), 1) }
        ends[slot] = Int32(history.count)
    }
}
