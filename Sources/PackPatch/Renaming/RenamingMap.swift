/// What is renamed in the lost objects before they become a patch's prefix.
struct RenamingMap {
    /// The paths that belong together where the names alone do not tell (see ``NamePairs``).
    var pairs: [(gone: Int, added: Int)] = []
    /// Other texts to replace in all objects.
    var rules: [RenamingRule] = []
    /// The names to replace in the object of this index among the lost ones.
    var identifiers: [Int: IdentifierMap] = [:]

    /// The bytes that the renamed objects may have in all, from `byteCount` of them: an honest map hardly changes the
    /// sum, and one from outside must not fill the device.
    static func maximumByteCount(_ byteCount: Int) -> Int {
        byteCount + min(byteCount / 8 + (64 << 10), 8 << 20)
    }
}

/// Applies a map to one lost object after the other.
struct Renamer {
    private static let chunkSize = 128 << 10

    private let map: RenamingMap
    private let rules: RuleTable
    private var index = 0
    private var alphabet = Alphabet.standard
    private var left: Int

    /// - Parameter byteCount: The bytes of all lost objects.
    init(_ map: RenamingMap, _ names: NamePairs, byteCount: Int) {
        self.map = map
        rules = RuleTable(names.rules(with: map.pairs) + map.rules)
        left = RenamingMap.maximumByteCount(byteCount)
    }

    /// Gives what the next object becomes to `emit`, in pieces.
    mutating func rename(
        next object: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let identifiers = map.identifiers[index]
        index += 1
        guard let identifiers else {
            try rules.apply(to: object) { try count($0, emit) }
            return
        }
        let text = try applyRules(to: object)
        let resolved = try text.withUnsafeBytes { try identifiers.resolve(Vocabulary($0), previous: alphabet) }
        alphabet = resolved.alphabet
        try text.withUnsafeBytes { try substitute(resolved.names, identifiers.locals, in: $0, emit) }
    }

    private func applyRules(to object: UnsafeRawBufferPointer) throws -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(object.count)
        try rules.apply(to: object) { piece in
            guard text.count + piece.count <= left else { throw Self.tooLarge }
            text.append(contentsOf: piece)
        }
        return text
    }

    private mutating func substitute(
        _ names: [NameKey: NameKey], _ locals: [LocalRenaming], in text: UnsafeRawBufferPointer,
        _ emit: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var table = KeyTable(minimumCapacity: names.count)
        var replacements: [NameKey] = []
        for (old, new) in names where old != new {
            _ = table.insert(old.value, Int32(replacements.count))
            replacements.append(new)
        }
        var localRenamer = LocalRenamer(locals)
        let hasLocals = !locals.isEmpty
        var output: [UInt8] = []
        output.reserveCapacity(2 * Self.chunkSize)
        var copied = 0
        try Tokenizer.forEachToken(in: text) { start, end, isWord, isProperty in
            guard isWord, !isProperty, let key = Tokenizer.candidate(text, start, end) else { return }
            var local: NameKey?
            if hasLocals, !Tokenizer.isKeyword(key) { local = try localRenamer.next(key, text, start) }
            guard let new = local ?? table[key.value].map({ replacements[Int($0)] }), new != key else { return }
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[copied..<start]))
            new.append(to: &output)
            copied = end
            if output.count >= Self.chunkSize {
                try output.withUnsafeBytes { try count($0, emit) }
                output.removeAll(keepingCapacity: true)
            }
        }
        try output.withUnsafeBytes { try count($0, emit) }
        try count(UnsafeRawBufferPointer(rebasing: text[copied...]), emit)
    }

    private mutating func count(
        _ piece: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard piece.count <= left else { throw Self.tooLarge }
        left -= piece.count
        if !piece.isEmpty { try emit(piece) }
    }

    private static var tooLarge: PatchError { .invalidMap(reason: "it makes the base larger than is allowed") }
}
