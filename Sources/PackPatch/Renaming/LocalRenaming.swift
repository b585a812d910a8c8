/// A stretch of an object, usually a function, in which some names get other new names than in the rest of the
/// object.
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

/// The stretches of one object, with the names of their entries.
struct ResolvedStretches {
    struct Stretch {
        /// In occurrences.
        let range: Range<Int>
        /// Of ``changes``.
        let changes: Range<Int>
    }

    struct Change {
        /// The place of the old name in the vocabulary.
        let name: Int
        let new: NameKey
    }

    private(set) var stretches: [Stretch] = []
    private(set) var changes: [Change] = []

    init(_ locals: [LocalRenaming], _ vocabulary: Vocabulary) throws(PatchError) {
        let places = vocabulary.places
        guard !locals.isEmpty, let total = places.firsts.last else { return }
        // The stretch in which a name was seen last, from 1, and what it became last (0: nothing yet).
        var seen = [Int32](repeating: 0, count: vocabulary.names.count)
        var last = [UInt64](repeating: 0, count: vocabulary.names.count)
        var different: [UInt16] = []
        var end = 0
        var piece = 0
        for local in locals {
            let start = end + local.gap
            end = start + local.length
            // What begins behind the text is never entered.
            guard start < total else { return }
            while places.firsts[piece + 1] <= start { piece += 1 }
            let number = Int32(truncatingIfNeeded: stretches.count + 1)
            // How many of the stretch's different names its entries reach.
            let needed = local.entries.reduce(0) { $0 + $1.run + 1 }
            different.removeAll(keepingCapacity: true)
            var occurrence = start
            var present = piece
            while different.count < needed, occurrence < min(end, total) {
                let names = places.occurrences[present].names - places.firsts[present]
                let stop = min(end, places.firsts[present + 1])
                while different.count < needed, occurrence < stop {
                    let name = names[occurrence]
                    occurrence += 1
                    guard seen[Int(name)] != number else { continue }
                    seen[Int(name)] = number
                    different.append(name)
                }
                present += 1
            }
            let firstChange = changes.count
            var position = 0
            for entry in local.entries {
                guard entry.run < different.count - position else {
                    throw .invalidMap(reason: "it renames more words than there are")
                }
                let old = Int(different[position + entry.run])
                position += entry.run + 1
                guard let new = entry.name ?? (last[old] == 0 ? nil : NameKey(value: last[old])) else {
                    throw .invalidMap(reason: "it is damaged")
                }
                changes.append(Change(name: old, new: new))
                last[old] = new.value
            }
            stretches.append(Stretch(range: start..<end, changes: firstChange..<changes.count))
        }
    }

    /// The first stretch that goes on at or behind an occurrence.
    func index(at occurrence: Int) -> Int {
        var (low, high) = (0, stretches.count)
        while low < high {
            let middle = (low + high) / 2
            if stretches[middle].range.upperBound <= occurrence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
