import PackFormat

/// The values that a skeleton is made of, over a coder for either direction: each function takes what an encoder writes and
/// gives what was written or read.
struct SkeletonCoder<Coder: BinaryCoder> {
    var coder: Coder
    private var flags = BitPredictor(inputCount: SkeletonCoder.contextCount, slotBits: 16)
    private var text: TextPredictor?

    /// How many contexts a flag has.
    private static var contextCount: Int { 4 }

    init(_ coder: Coder) { self.coder = coder }

    /// What a value is about: the first part of its contexts.
    enum Topic: UInt32 {
        case head, fate, content, delta, size, count, hash, index, path
    }

    /// A decision, in up to three contexts of its topic.
    mutating func flag(
        _ value: Bool, _ topic: Topic, _ first: UInt32 = 0, _ second: UInt32 = 0, _ third: UInt32 = 0
    ) throws(PatchError) -> Bool {
        let start = topic.rawValue &* 0x01F3_5A7D
        flags.setContext(0, start)
        flags.setContext(1, start &+ (first &+ 1) &* 0x1B87_3593)
        flags.setContext(2, start &+ (second &+ 1) &* 0x2745_937F)
        flags.setContext(3, start &+ (third &+ 1) &* 0x38B3_4AE5)
        return try flags.code(value, &coder)
    }

    /// A number from 0 to 2^50.
    mutating func number(_ value: Int, _ topic: Topic, _ context: UInt32 = 0) throws(PatchError) -> Int {
        let wanted = Int.bitWidth - (value + 1).leadingZeroBitCount
        var node: UInt32 = 1
        for shift in stride(from: 5, through: 0, by: -1) {
            let bit = try flag(wanted >> shift & 1 == 1, topic, node &+ 0x100, node &+ context &* 64 &+ 0x1000)
            node = node << 1 | (bit ? 1 : 0)
        }
        let length = Int(node & 63)
        guard (1...51).contains(length) else { throw .corrupt(reason: "a number is out of range") }
        var result = 1
        for shift in stride(from: length - 2, through: 0, by: -1) {
            let bit = (value + 1) >> shift & 1 == 1
            let isFirst = shift == length - 2
            let coded =
                isFirst
                ? try flag(bit, topic, 0x200 &+ UInt32(length), 0x2000 &+ UInt32(length) &+ context &* 64)
                : try coder.code(bit, probability: 1 << 15)
            result = result << 1 | (coded ? 1 : 0)
        }
        return result - 1
    }

    /// A number of `bits` bits that nothing predicts.
    mutating func direct(_ value: Int, bits: Int) throws(PatchError) -> Int {
        var result = 0
        for shift in stride(from: bits - 1, through: 0, by: -1) {
            let bit = try coder.code(value >> shift & 1 == 1, probability: 1 << 15)
            result = result << 1 | (bit ? 1 : 0)
        }
        return result
    }

    /// A number from 0 up to but without `limit`.
    mutating func index(_ value: Int, below limit: Int) throws(PatchError) -> Int {
        let result = try direct(value, bits: Int.bitWidth - max(limit - 1, 0).leadingZeroBitCount)
        guard result < limit else { throw .corrupt(reason: "it refers to something that does not exist") }
        return result
    }

    mutating func digest(_ value: Digest?) throws(PatchError) -> Digest {
        let bytes = value?.bytes ?? [UInt8](repeating: 0, count: 32)
        var hex = ""
        for byte in bytes {
            let byte = try direct(Int(byte), bits: 8)
            hex += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        do { return try Digest(hex: hex) } catch { throw .corrupt(reason: "\(error)") }
    }

    /// Bytes of their own kind, few of them.
    mutating func bytes(_ value: [UInt8], count: Int) throws(PatchError) -> [UInt8] {
        var result: [UInt8] = []
        for index in 0..<count {
            let byte = index < value.count ? Int(value[index]) : 0
            var node: UInt32 = 1
            for shift in stride(from: 7, through: 0, by: -1) {
                let bit = try flag(byte >> shift & 1 == 1, .head, node &+ 0x400)
                node = node << 1 | (bit ? 1 : 0)
            }
            result.append(UInt8(truncatingIfNeeded: node))
        }
        return result
    }

    /// A line of text: it has no line break.
    /// - Parameter learned: What both ends know of such lines; it is read before the first one.
    mutating func line(
        _ value: [UInt8], limit: Int, learned: () -> [[UInt8]]
    ) throws(PatchError) -> [UInt8] {
        var text: TextPredictor
        if let known = self.text { text = known } else { text = try TextPredictor(learning: learned()) }
        // One owner, or each line would copy its tables.
        self.text = nil
        defer { self.text = text }
        var result: [UInt8] = []
        while true {
            let next = result.count < value.count ? value[result.count] : UInt8(ascii: "\n")
            let byte = try text.code(next, &coder)
            if byte == UInt8(ascii: "\n") { return result }
            guard result.count < limit else { throw .corrupt(reason: "a path is too long") }
            result.append(byte)
        }
    }
}

extension TextPredictor {
    /// After this much text a device learns no more: it takes some microseconds for a byte.
    private static let learnedByteCount = 64 << 10

    init(learning lines: [[UInt8]]) throws(PatchError) {
        self.init()
        var training = BinaryTraining()
        var count = 0
        for line in lines {
            count += line.count + 1
            if count > Self.learnedByteCount { break }
            for byte in line { _ = try code(byte, &training) }
            _ = try code(UInt8(ascii: "\n"), &training)
        }
    }
}
