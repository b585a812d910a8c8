/// A stretch of an object, mostly a function, in which some names become others than in the rest of the object.
///
/// Stretches are counted in occurrences of names (candidates that are no keywords), not in bytes.
struct LocalRenaming: Equatable {
    struct Entry: Equatable {
        /// How many names of the stretch stay with the object's map before this one.
        let run: Int
        /// Nil: what this name became in the last stretch that changed it.
        let name: NameKey?
    }

    /// From the end of the stretch before, or from the start.
    let gap: Int
    let length: Int
    /// For the different names of the stretch, in the order of their first occurrence.
    let entries: [Entry]
}

/// Walks along an object's names and knows which stretch the present one is in.
struct LocalRenamer {
    private var rest: ArraySlice<LocalRenaming>
    /// What each name became in the last stretch that changed it.
    private var last: [NameKey: NameKey] = [:]
    private var names: [NameKey: NameKey] = [:]
    private var untilStart: Int
    private var untilEnd = 0

    init(_ locals: [LocalRenaming]) {
        rest = locals[...]
        untilStart = locals.first?.gap ?? Int.max
    }

    /// What the name at the next place becomes; nil where the object's map holds.
    /// - Parameter text: The object, in which the name stands at `start`.
    @inline(__always)
    mutating func next(_ key: NameKey, _ text: UnsafeRawBufferPointer, _ start: Int) throws(PatchError) -> NameKey? {
        if untilEnd == 0 {
            if untilStart > 0 {
                untilStart -= 1
                return nil
            }
            try enter(text, start)
        }
        untilEnd -= 1
        return names[key]
    }

    private mutating func enter(_ text: UnsafeRawBufferPointer, _ start: Int) throws(PatchError) {
        guard let local = rest.popFirst() else { throw .invalidMap(reason: "it is damaged") }
        let different = Self.names(in: text, from: start, count: local.length)
        names.removeAll(keepingCapacity: true)
        var position = 0
        for entry in local.entries {
            guard entry.run < different.count - position else {
                throw .invalidMap(reason: "it renames more words than there are")
            }
            let old = different[position + entry.run]
            position += entry.run + 1
            guard let new = entry.name ?? last[old] else { throw .invalidMap(reason: "it is damaged") }
            names[old] = new
            last[old] = new
        }
        untilEnd = local.length
        untilStart = rest.first?.gap ?? Int.max
    }

    private static func names(in text: UnsafeRawBufferPointer, from start: Int, count: Int) -> [NameKey] {
        var different: [NameKey] = []
        var seen: Set<NameKey> = []
        var left = count
        Tokenizer.scan(text, from: start) { start, end, isWord, isProperty in
            guard isWord, !isProperty, let key = Tokenizer.candidate(text, start, end), !Tokenizer.isKeyword(key)
            else { return true }
            if seen.insert(key).inserted { different.append(key) }
            left -= 1
            return left > 0
        }
        return different
    }
}
