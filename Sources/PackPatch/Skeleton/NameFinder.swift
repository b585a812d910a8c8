import PackFormat

/// Finds hashed file names in decoded content: a new file is mostly named by another new file, which imports it, so that its hash need
/// not be told twice.
///
/// Both ends look at the new objects one after the other, in the order of ``PatchPlan/new``.
package struct NameFinder: Sendable {
    /// A name without its hash, as ``HashedName/key`` of the last component.
    struct Kind: Hashable, Sendable {
        let key: [UInt8]
        let hashByteCount: Int
    }

    /// The longest name that is looked for, in bytes.
    private static let maximumByteCount = PackagePath.maximumComponentLength
    /// How many names are kept.
    static let maximumNameCount = 1 << 16

    private let wanted: Set<Kind>
    /// The endings of ``texts``.
    private let textEndings: Set<[UInt8]>
    private let endings: Set<[UInt8]>
    /// The hashes of each name, in the order in which they occur first.
    private(set) var hashes: [Kind: [[UInt8]]] = [:]
    private var seen: Set<[UInt8]> = []
    /// Whole names with the endings that were asked for, in the order in which they occur first.
    private(set) var texts: [[UInt8]] = []
    private var seenTexts: Set<[UInt8]> = []
    private var token: [UInt8] = []
    private var isTooLong = false

    /// - Parameter textEndings: The endings, with their dots, of the names that are looked for as a whole.
    init(_ wanted: Set<Kind>, textEndings: Set<[UInt8]> = []) {
        self.wanted = wanted
        self.textEndings = textEndings
        endings = textEndings.union(
            wanted.compactMap { kind in kind.key.lastIndex(of: Tokenizer.dot).map { Array(kind.key[$0...]) } })
    }

    /// Looks for nothing.
    package init() { self.init([]) }

    /// Whether there is nothing to look for.
    package var isIdle: Bool { endings.isEmpty }

    /// Looks through the next bytes of an object.
    package mutating func look(at bytes: UnsafeRawBufferPointer) {
        if isIdle { return }
        var start = 0
        for index in bytes.indices where !Self.isNamePart[Int(bytes[index])] {
            take(bytes[start..<index])
            end()
            start = index + 1
        }
        take(bytes[start...])
    }

    /// Ends an object: no name goes on in the next one.
    package mutating func endObject() {
        if !isIdle { end() }
    }

    private mutating func take(_ part: Slice<UnsafeRawBufferPointer>) {
        if part.isEmpty || isTooLong { return }
        if token.count + part.count > Self.maximumByteCount {
            isTooLong = true
            return
        }
        token.append(contentsOf: part)
    }

    private mutating func end() {
        defer {
            token.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        guard !isTooLong, token.count > 9, let dot = token.lastIndex(of: Tokenizer.dot),
            endings.contains(Array(token[dot...])), let path = try? PackagePath(String(decoding: token, as: UTF8.self)),
            let name = HashedName(path)
        else { return }
        if textEndings.contains(Array(token[dot...])), texts.count < Self.maximumNameCount,
            seenTexts.insert(token).inserted
        {
            texts.append(token)
        }
        let kind = Kind(key: name.key, hashByteCount: name.hash.count)
        guard wanted.contains(kind), seen.count < Self.maximumNameCount, seen.insert(token).inserted else { return }
        hashes[kind, default: []].append(name.hash)
    }

    /// The characters that tools put into file names. Most text is cut into pieces that are too short for a name.
    private static let isNamePart: [Bool] = (0..<256).map { value in
        guard let byte = UInt8(exactly: value) else { return false }
        return Tokenizer.isWord(byte) || "-.+@~".utf8.contains(byte)
    }
}

extension NameFinder.Kind {
    /// The kind of a path's last component; nil if its hash is not there.
    init?(_ path: PackagePath) {
        guard let name = HashedName(path), HashAlphabet(of: name.hash) != nil else { return nil }
        let start = name.key.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        self.init(key: Array(name.key[start...]), hashByteCount: name.hash.count)
    }
}
