/// Predicts bits from several contexts at once: each has a probability that follows what it saw, and a mixer weighs them by
/// how well they did (logistic mixing, as in context-mixing compressors). Integers only, so that all machines agree.
struct BitPredictor {
    private var probabilities: [UInt16]
    private var counts: [UInt8]
    private var weights: [Int32]
    private let inputCount: Int
    private let mask: UInt32
    private var slots: [Int]
    private var inputs: [Int32]

    /// - Parameter inputCount: How many contexts each bit has.
    /// - Parameter slotBits: The table has two to the power of this places. Contexts that share one only predict worse.
    /// - Parameter sets: The mixer has so many sets of weights.
    init(inputCount: Int, slotBits: Int, sets: Int = 1) {
        self.inputCount = inputCount
        mask = UInt32(1 << slotBits) - 1
        probabilities = [UInt16](repeating: 1 << 15, count: 1 << slotBits)
        counts = [UInt8](repeating: 0, count: 1 << slotBits)
        weights = [Int32](repeating: Int32((1 << 16) * 4 / (3 * inputCount) + (1 << 14)), count: inputCount * sets)
        slots = [Int](repeating: 0, count: inputCount)
        inputs = [Int32](repeating: 0, count: inputCount)
    }

    /// Sets one of the contexts of the next bit.
    mutating func setContext(_ index: Int, _ context: UInt32) {
        var hash = (context ^ UInt32(truncatingIfNeeded: index) &* 0x9E37_79B1) &* 0x85EB_CA6B
        hash ^= hash >> 15
        hash = hash &* 0xC2B2_AE35
        slots[index] = Int((hash ^ hash >> 16) & mask)
    }

    /// Codes a bit in the contexts that were set, and learns from it.
    mutating func code(
        _ bit: Bool, set: Int = 0, _ coder: inout some BinaryCoder
    ) throws(PatchError) -> Bool {
        let first = set * inputCount
        var sum = 0
        for index in 0..<inputCount {
            let slot = slots[index]
            // What was never seen says nothing.
            let input = counts[slot] == 0 ? 0 : Logistic.stretch(Int(probabilities[slot] >> 4))
            inputs[index] = Int32(input)
            sum += input * Int(weights[first + index])
        }
        let mixed = Logistic.squash(sum >> 16)
        let bit = try coder.code(bit, probability: UInt32(min(max(mixed * 16 + 8, 24), 65_512)))
        let error = ((bit ? 4095 : 0) - mixed) * Self.learningRate
        for index in 0..<inputCount {
            let change = (Int(inputs[index]) * error + 0x8000) >> 16
            weights[first + index] = Int32(clamping: Int(weights[first + index]) + change)
            let slot = slots[index]
            let count = Int(counts[slot])
            let (old, target) = (Int(probabilities[slot]), bit ? 65_535 : 0)
            probabilities[slot] = UInt16(clamping: old + (target - old) * 2 / (2 * count + 3))
            if count < Self.longestMemory { counts[slot] = UInt8(count + 1) }
        }
        return bit
    }

    private static let learningRate = 10
    private static let longestMemory = 60
}

/// The logistic function and its inverse in integers: probabilities of 4,096 parts, logarithms of odds in 1/256.
enum Logistic {
    static func squash(_ value: Int) -> Int {
        if value > 2047 { return 4095 }
        if value < -2047 { return 0 }
        let (place, weight) = ((value >> 7) + 16, value & 127)
        return (curve[place] * (128 - weight) + curve[place + 1] * weight + 64) >> 7
    }

    /// - Parameter probability: 0 to 4,095.
    static func stretch(_ probability: Int) -> Int { Int(inverse[probability]) }

    /// 4096 / (1 + e^-x) for x from -8 to 8, in steps of one half.
    private static let curve = [
        1, 2, 3, 6, 10, 16, 27, 45, 73, 120, 194, 310, 488, 747, 1101, 1546, 2047, 2549, 2994, 3348, 3607, 3785, 3901,
        3975, 4022, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094,
    ]

    private static let inverse: [Int16] = {
        var table = [Int16](repeating: 2047, count: 4096)
        var next = 0
        for value in -2047...2047 {
            let end = squash(value)
            while next <= end {
                table[next] = Int16(value)
                next += 1
            }
        }
        return table
    }()
}
