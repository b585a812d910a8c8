/// A hash table from names to their numbers, in the order of insertion. Keywords are in it as -1.
///
/// Open addressing in memory of its own: this is looked up for every short word of all lost objects.
struct NameTable: ~Copyable {
    struct Slot {
        /// 0 in an empty slot.
        var key: UInt64
        var index: Int32
        /// How often ``count(_:)`` has found it.
        var count: Int32
    }

    static let keyword: Int32 = -1

    private(set) var names: [NameKey] = []
    private var slots: UnsafeMutablePointer<Slot>
    private var capacity: Int
    private var used = 0

    init(minimumCapacity: Int) {
        capacity = 64
        while capacity < minimumCapacity * 2 { capacity *= 2 }
        slots = Self.allocate(capacity)
        for key in Tokenizer.keywordKeys { add(key, Self.keyword, count: 0) }
    }

    deinit { slots.deallocate() }

    /// To look names up in a loop; valid as long as the table lives unchanged.
    var lookup: NameLookup { NameLookup(slots: slots, capacity: capacity) }

    /// Counts one occurrence.
    /// - Returns: The number of the name, which is new if it was not in the table.
    @inline(__always)
    mutating func count(_ key: NameKey, times: Int32 = 1) -> Int32 {
        let slot = lookup.slot(of: key.value)
        if slot.pointee.key != 0 {
            slot.pointee.count &+= times
            return slot.pointee.index
        }
        let index = Int32(truncatingIfNeeded: names.count)
        names.append(key)
        add(key.value, index, count: times)
        return index
    }

    /// For each of ``names``, how often it was counted.
    var counts: [Int32] {
        let lookup = lookup
        return names.map { lookup.slot(of: $0.value).pointee.count }
    }

    private mutating func add(_ key: UInt64, _ index: Int32, count: Int32) {
        lookup.slot(of: key).pointee = Slot(key: key, index: index, count: count)
        used += 1
        if used * 2 > capacity { grow() }
    }

    private mutating func grow() {
        let old = UnsafeMutableBufferPointer(start: slots, count: capacity)
        capacity *= 2
        slots = Self.allocate(capacity)
        for slot in old where slot.key != 0 { lookup.slot(of: slot.key).pointee = slot }
        old.deallocate()
    }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Slot> {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)
        slots.initialize(repeating: Slot(key: 0, index: 0, count: 0), count: capacity)
        return slots
    }
}

/// A view of a ``NameTable``; it must not outlive the table.
struct NameLookup {
    private let slots: UnsafeMutablePointer<NameTable.Slot>
    private let mask: Int
    private let shift: UInt64

    init(slots: UnsafeMutablePointer<NameTable.Slot>, capacity: Int) {
        self.slots = slots
        mask = capacity - 1
        shift = UInt64(UInt64.bitWidth - capacity.trailingZeroBitCount)
    }

    /// The slot of a key, or the empty one where it belongs; at least half of the slots are empty.
    @inline(__always)
    func slot(of key: UInt64) -> UnsafeMutablePointer<NameTable.Slot> {
        // Multiplication by 2^64 divided by the golden ratio spreads keys that differ in few bits.
        var index = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> shift)
        while slots[index].key != key, slots[index].key != 0 { index = (index &+ 1) & mask }
        return slots + index
    }

    /// The number of a name; below 0 for a keyword and for a word that is not in the table.
    @inline(__always)
    func index(of key: NameKey) -> Int32 {
        let slot = slot(of: key.value)
        return slot.pointee.key == 0 ? NameTable.keyword : slot.pointee.index
    }
}
