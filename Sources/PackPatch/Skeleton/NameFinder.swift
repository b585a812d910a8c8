import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#endif

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

    /// The shortest name that is looked for, in bytes.
    private static let minimumByteCount = 10
    /// The longest.
    private static let maximumByteCount = PackagePath.maximumComponentLength
    /// How many names are kept.
    static let maximumNameCount = 1 << 16

    private let wanted: Set<Kind>
    /// The endings of ``texts``.
    private let textEndings: Set<[UInt8]>
    private let endings: Set<[UInt8]>
    /// The bytes behind their dots.
    private let endingStarts: [Bool]
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
        endingStarts = endings.reduce(into: [Bool](repeating: false, count: 256)) { starts, ending in
            if ending.count > 1 {
                starts[Int(ending[1])] = true
            } else {
                for (byte, isPart) in Self.isNamePart.enumerated() where !isPart { starts[byte] = true }
            }
        }
    }

    /// Looks for nothing.
    package init() { self.init([]) }

    /// Whether there is nothing to look for.
    package var isIdle: Bool { endings.isEmpty }

    /// Looks through the next bytes of an object.
    package mutating func look(at bytes: UnsafeRawBufferPointer) {
        if isIdle { return }
        Self.isNamePart.withUnsafeBufferPointer { isNamePart in
            func isPart(_ index: Int) -> Bool { isNamePart[Int(bytes[index])] }
            // The byte before is no part of a name, or there is none.
            var start = 0
            if !token.isEmpty || isTooLong {
                while start < bytes.count, isPart(start) { start += 1 }
                take(bytes[..<start])
                if start == bytes.count { return }
                end()
                start += 1
            }
            // By their dots, of which text has much fewer than bytes.
            var place = start
            while let dot = Self.dot(in: bytes, from: place), dot + 1 < bytes.count {
                place = dot + 1
                guard endingStarts[Int(bytes[place])] else { continue }
                while place < bytes.count, isPart(place), bytes[place] != Tokenizer.dot { place += 1 }
                // What goes on, here or in the next bytes, has its ending there.
                guard place < bytes.count, bytes[place] != Tokenizer.dot else { continue }
                var first = dot
                while first > start, isPart(first - 1), place - first <= Self.maximumByteCount { first -= 1 }
                name(UnsafeRawBufferPointer(rebasing: bytes[first..<place]))
                place += 1
                start = place
            }
            // What may go on in the next bytes.
            var rest = bytes.count
            while rest > start, isPart(rest - 1) { rest -= 1 }
            take(bytes[rest...])
        }
    }

    private static func dot(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, CInt(Tokenizer.dot), bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
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
        var text: [UInt8] = []
        swap(&text, &token)
        if !isTooLong { text.withUnsafeBytes { name($0) } }
        text.removeAll(keepingCapacity: true)
        swap(&text, &token)
        isTooLong = false
    }

    /// Notes what may be a name: the bytes between two that are in none.
    private mutating func name(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.minimumByteCount, bytes.count <= Self.maximumByteCount,
            let dot = bytes.lastIndex(of: Tokenizer.dot), endings.contains(Array(bytes[dot...])),
            let path = try? PackagePath(String(decoding: bytes, as: UTF8.self)), let name = HashedName(path)
        else { return }
        let text = Array(bytes)
        if textEndings.contains(Array(bytes[dot...])), texts.count < Self.maximumNameCount,
            seenTexts.insert(text).inserted
        {
            texts.append(text)
        }
        let kind = Kind(key: name.key, hashByteCount: name.hash.count)
        guard wanted.contains(kind), seen.count < Self.maximumNameCount, seen.insert(text).inserted else { return }
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
