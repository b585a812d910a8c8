/// Codes one binary decision after the other, each at a probability that both ends know: an encoder takes the bit, a
/// decoder gives it. What is built on it is written once for both directions.
protocol BinaryCoder {
    /// - Parameter bit: What an encoder writes; a decoder does not look at it.
    /// - Parameter probability: That the bit is set, as a part of 65,536; 1 to 65,535.
    /// - Returns: The bit that is written or read.
    mutating func code(_ bit: Bool, probability: UInt32) throws(PatchError) -> Bool
}

/// Writes decisions (arithmetic coding, carryless, in 32 bits).
struct BinaryEncoder: BinaryCoder {
    private var low: UInt32 = 0
    private var high: UInt32 = .max
    private var bytes: [UInt8] = []

    mutating func code(_ bit: Bool, probability: UInt32) throws(PatchError) -> Bool {
        let middle = low + UInt32((UInt64(high - low) * UInt64(probability)) >> 16)
        if bit { high = middle } else { low = middle + 1 }
        while (low ^ high) & 0xFF00_0000 == 0 {
            bytes.append(UInt8(high >> 24))
            low <<= 8
            high = high << 8 | 0xFF
        }
        return bit
    }

    /// All bytes.
    consuming func end() -> [UInt8] { bytes + Self.ending(low: low, high: high) }

    /// What ends a code: as few bytes as still lie between both bounds whatever follows.
    fileprivate static func ending(low: UInt32, high: UInt32) -> [UInt8] {
        for count in 0..<4 {
            let mask = UInt64(UInt32.max) >> UInt64(8 * count)
            let value = (UInt64(low) + mask) & ~mask
            guard value + mask <= UInt64(high) else { continue }
            return (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(24 - 8 * $0)) }
        }
        return (0..<4).map { UInt8(truncatingIfNeeded: low >> UInt32(24 - 8 * $0)) }
    }
}

/// Reads decisions from bytes that come from outside.
struct BinaryDecoder: BinaryCoder {
    private var low: UInt32 = 0
    private var high: UInt32 = .max
    private var value: UInt32 = 0
    private let bytes: ArraySlice<UInt8>
    /// The bytes that were read, counted on beyond the end.
    private var position = 0

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        for _ in 0..<4 { readByte() }
    }

    mutating func code(_ bit: Bool, probability: UInt32) throws(PatchError) -> Bool {
        let middle = low + UInt32((UInt64(high - low) * UInt64(probability)) >> 16)
        let bit = value <= middle
        if bit { high = middle } else { low = middle + 1 }
        while (low ^ high) & 0xFF00_0000 == 0 {
            // The encoder wrote a byte here.
            guard position < bytes.count + 4 else { throw .truncated }
            low <<= 8
            high = high << 8 | 0xFF
            readByte()
        }
        return bit
    }

    /// - Throws: ``PatchError/trailingData`` where the bytes do not end as an encoder ends them.
    func end() throws(PatchError) {
        guard bytes.dropFirst(position - 4).elementsEqual(BinaryEncoder.ending(low: low, high: high)) else {
            throw .trailingData
        }
    }

    private mutating func readByte() {
        let byte = position < bytes.count ? bytes[bytes.startIndex + position] : 0
        value = value << 8 | UInt32(byte)
        position += 1
    }
}

/// Lets a model learn from what both ends know.
struct BinaryTraining: BinaryCoder {
    mutating func code(_ bit: Bool, probability: UInt32) throws(PatchError) -> Bool { bit }
}
