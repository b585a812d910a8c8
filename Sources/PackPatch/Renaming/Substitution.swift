/// Replaces the names in one object, piece by piece on all cores.
struct Substitution {
    private let vocabulary: Vocabulary
    /// What each name of the vocabulary becomes outside of the stretches; 0 if it stays.
    private let replacements: [UInt64]
    private let stretches: ResolvedStretches

    /// - Parameter images: What each name of the vocabulary becomes.
    init(_ vocabulary: Vocabulary, _ images: [NameKey], _ locals: [LocalRenaming]) throws(PatchError) {
        self.vocabulary = vocabulary
        replacements = zip(vocabulary.names, images).map { $0 == $1 ? 0 : $1.value }
        stretches = try ResolvedStretches(locals, vocabulary)
    }

    /// Gives `text` with the new names to `emit`, in order.
    /// - Parameter buffers: Where the pieces are put together, several at a time.
    func apply(
        to text: UnsafeRawBufferPointer, _ buffers: borrowing PieceBuffers,
        _ emit: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let ranges = vocabulary.places.pieces.ranges
        var piece = 0
        while piece < ranges.count {
            // A piece that has no border for long is too large for a buffer.
            if ranges[piece].count > PieceBuffers.pieceByteCount {
                let large = try MappedMemory(zeroed: PieceBuffers.outputByteCount(ranges[piece].count))
                let count = substitute(piece, in: text, into: large.mutableBytes)
                try emit(UnsafeRawBufferPointer(rebasing: large.bytes.prefix(count)))
                piece += 1
                continue
            }
            let count = ranges[piece...].prefix(PieceBuffers.count)
                .prefix { $0.count <= PieceBuffers.pieceByteCount }.count
            let first = piece
            let counts = buffers.fill(count) { substitute(first + $0, in: text, into: $1) }
            for (index, count) in counts.enumerated() {
                try emit(UnsafeRawBufferPointer(rebasing: buffers[index].prefix(count)))
            }
            piece += count
        }
    }

    /// - Returns: The bytes written to `output`, which has room for all that can become of the piece.
    private func substitute(
        _ piece: Int, in text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Int {
        let range = vocabulary.places.pieces.ranges[piece]
        guard let source = text.baseAddress, let target = output.baseAddress else { return 0 }
        var writer = GapWriter(source: source, end: text.count, target: target, copied: range.lowerBound)
        let names = vocabulary.names
        let occurrences = vocabulary.places.occurrences[piece]
        let (positions, places) = (occurrences.positions, occurrences.names)
        var walk = StretchWalk(
            stretches, names, replacements, at: vocabulary.places.firsts[piece])
        var start = 0
        while start < occurrences.count {
            // Up to where a stretch begins or ends nothing changes.
            let end = min(occurrences.count, start + walk.advance())
            walk.present.withUnsafeBufferPointer { present in
                for index in start..<end {
                    let name = Int(places[index])
                    let new = present[name]
                    guard new != 0 else { continue }
                    writer.replace(Int(positions[index]), names[name].count, NameKey(value: new))
                }
            }
            start = end
        }
        return writer.finish(range.upperBound)
    }
}

/// Tracks the new names along a text with stretches.
private struct StretchWalk {
    private let stretches: ResolvedStretches
    private let names: [NameKey]
    private let replacements: [UInt64]
    /// What the names become at the present place; 0 for those that stay.
    private(set) var present: [UInt64]
    private var index: Int
    private var occurrence: Int
    private var isInside = false

    init(_ stretches: ResolvedStretches, _ names: [NameKey], _ replacements: [UInt64], at occurrence: Int) {
        self.stretches = stretches
        self.names = names
        self.replacements = replacements
        self.occurrence = occurrence
        present = replacements
        index = stretches.index(at: occurrence)
    }

    /// Goes on to where a stretch begins or ends, with ``present`` for what is before.
    /// - Returns: How many occurrences that is, at least one.
    mutating func advance() -> Int {
        let start = occurrence
        while occurrence == start {
            guard index < stretches.stretches.count else { return Int.max / 2 }
            let stretch = stretches.stretches[index]
            if isInside, occurrence == stretch.range.upperBound {
                for change in stretches.changes[stretch.changes] { present[change.name] = replacements[change.name] }
                isInside = false
                index += 1
            } else if !isInside, occurrence < stretch.range.lowerBound {
                occurrence = stretch.range.lowerBound
            } else {
                if !isInside { enter(stretch) }
                occurrence = stretch.range.upperBound
            }
        }
        return occurrence - start
    }

    private mutating func enter(_ stretch: ResolvedStretches.Stretch) {
        for change in stretches.changes[stretch.changes] {
            present[change.name] = change.new == names[change.name] ? 0 : change.new.value
        }
        isInside = true
    }
}

/// Copies a text and replaces some of its words.
private struct GapWriter {
    let source: UnsafeRawPointer
    /// Of the whole text.
    let end: Int
    var target: UnsafeMutableRawPointer
    private let start: UnsafeMutableRawPointer
    private var copied: Int

    init(source: UnsafeRawPointer, end: Int, target: UnsafeMutableRawPointer, copied: Int) {
        self.source = source
        self.end = end
        self.target = target
        start = target
        self.copied = copied
    }

    @inline(__always)
    mutating func replace(_ start: Int, _ count: Int, _ name: NameKey) {
        copy(to: start)
        // Always 8 bytes: the next ones overwrite what is too much.
        target.storeBytes(of: name.value.littleEndian, as: UInt64.self)
        target += name.count
        copied = start + count
    }

    /// - Returns: The bytes written.
    mutating func finish(_ end: Int) -> Int {
        copy(to: end)
        return target - start
    }

    @inline(__always)
    private mutating func copy(to position: Int) {
        let count = position - copied
        if count <= 16, copied + 16 <= end {
            let bytes = (source + copied).loadUnaligned(as: SIMD16<UInt8>.self)
            target.storeBytes(of: bytes, as: SIMD16<UInt8>.self)
        } else {
            target.copyMemory(from: source + copied, byteCount: count)
        }
        target += count
        copied = position
    }
}

/// Memory for several pieces that are made at the same time. Only written pages become resident.
struct PieceBuffers: ~Copyable {
    /// How many pieces are made before they are written.
    static let count = 4
    static let pieceByteCount = 2 * TextPieces.pieceByteCount

    /// What can become of a piece at most: each byte a name of 8, and what ``GapWriter`` writes too much.
    static func outputByteCount(_ byteCount: Int) -> Int { NameKey.maximumByteCount * byteCount + 64 }

    private static let stride = outputByteCount(pieceByteCount)
    private let memory: MappedMemory

    init() throws(PatchError) {
        memory = try MappedMemory(zeroed: Self.count * Self.stride)
    }

    subscript(index: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(
            rebasing: memory.mutableBytes[index * Self.stride..<(index + 1) * Self.stride])
    }

    /// Fills the first `count` buffers on all cores.
    /// - Returns: For each, what `body` has returned: the bytes written.
    func fill(_ count: Int, _ body: (Int, UnsafeMutableRawBufferPointer) -> Int) -> [Int] {
        Cores.map(count) { body($0, self[$0]) }
    }
}
