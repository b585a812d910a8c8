/// Applies a renaming map to the lost objects, one after the other.
struct Renamer: ~Copyable {
    private let map: RenamingMap
    private let rules: RuleTable
    private let buffers: PieceBuffers
    private var index = 0
    private var alphabet = Alphabet.standard
    private var left: Int

    /// - Parameter byteCount: The bytes of all lost objects.
    init(_ map: RenamingMap, _ names: NamePairs, byteCount: Int) throws(PatchError) {
        self.map = map
        rules = RuleTable(names.rules(with: map.pairs) + map.rules)
        buffers = try PieceBuffers()
        left = RenamingMap.maximumByteCount(byteCount)
    }

    /// Gives what the next object becomes to `emit`, in pieces.
    /// - Parameter object: Is overwritten.
    mutating func rename(
        next object: UnsafeMutableRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let identifiers = map.identifiers[index]
        index += 1
        var text = try RuledText(object, limit: left)
        try rules.forEachMatch(in: UnsafeRawBufferPointer(object)) { try text.replace($0, with: rules[$0].new) }
        try rename(text.end(), identifiers, emit)
    }

    /// - Parameter text: The object after the rules.
    private mutating func rename(
        _ text: UnsafeRawBufferPointer, _ identifiers: IdentifierMap?,
        _ emit: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard let identifiers else { return try count(text, emit) }
        // No encoder works on so much, and places are kept in 32 bits.
        guard text.count <= PatchPlan.maximumByteCount + (8 << 20) else {
            throw PatchError.tooLarge(byteCount: text.count, limit: PatchPlan.maximumByteCount)
        }
        let vocabulary = Vocabulary(text, countsCharacters: identifiers.alphabet == .otherWords)
        let resolved = try identifiers.resolve(vocabulary, previous: alphabet)
        alphabet = resolved.alphabet
        let substitution = try Substitution(vocabulary, resolved.images, identifiers.locals)
        var left = left
        try substitution.apply(to: text, buffers) { try Self.count($0, &left, emit) }
        self.left = left
    }

    private mutating func count(
        _ piece: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try Self.count(piece, &left, emit)
    }

    private static func count(
        _ piece: UnsafeRawBufferPointer, _ left: inout Int, _ emit: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard piece.count <= left else { throw tooLarge }
        left -= piece.count
        if !piece.isEmpty { try emit(piece) }
    }

    fileprivate static var tooLarge: PatchError { .invalidMap(reason: "it makes the base larger than is allowed") }
}

/// An object with rules applied: in place while no byte moves, as with hashes for hashes.
private struct RuledText: ~Copyable {
    private let object: UnsafeMutableRawBufferPointer
    private let limit: Int
    private var hasMoved = false
    private var moved: MappedMemory
    private var count = 0
    private var copied = 0

    /// - Parameter limit: The bytes that the text may have.
    init(_ object: UnsafeMutableRawBufferPointer, limit: Int) throws(PatchError) {
        self.object = object
        self.limit = limit
        moved = try MappedMemory(zeroed: 0)
    }

    mutating func replace(_ match: RuleMatch, with new: [UInt8]) throws {
        if !hasMoved, new.count == match.end - match.start {
            UnsafeMutableRawBufferPointer(rebasing: object[match.start..<match.end]).copyBytes(from: new)
            return
        }
        if !hasMoved {
            hasMoved = true
            moved = try MappedMemory(zeroed: limit)
            moved.prefersLargePages()
        }
        try append(UnsafeRawBufferPointer(rebasing: object[copied..<match.start]))
        try new.withUnsafeBytes { try append($0) }
        copied = match.end
    }

    /// The text; valid as long as the value and the object.
    mutating func end() throws -> UnsafeRawBufferPointer {
        guard hasMoved else { return UnsafeRawBufferPointer(object) }
        try append(UnsafeRawBufferPointer(rebasing: object[copied...]))
        copied = object.count
        return UnsafeRawBufferPointer(rebasing: moved.bytes.prefix(count))
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        guard bytes.count <= limit - count else { throw Renamer.tooLarge }
        UnsafeMutableRawBufferPointer(rebasing: moved.mutableBytes[count...]).copyMemory(from: bytes)
        count += bytes.count
    }
}
