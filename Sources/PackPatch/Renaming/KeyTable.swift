/// A hash table from numbers other than 0 to small numbers. It uses open addressing in flat arrays, because a
/// dictionary is ten times too slow for every word of 40 MB.
struct KeyTable {
    private var keys: [UInt64]
    private var values: [Int32]
    private var shift: UInt64
    private(set) var count = 0

    init(minimumCapacity: Int = 16) {
        var capacity = 16
        while capacity < minimumCapacity * 2 { capacity *= 2 }
        keys = [UInt64](repeating: 0, count: capacity)
        values = [Int32](repeating: 0, count: capacity)
        shift = UInt64(UInt64.bitWidth - capacity.trailingZeroBitCount)
    }

    /// The value of a key.
    @inline(__always)
    subscript(key: UInt64) -> Int32? {
        let slot = slot(of: key)
        return keys[slot] == key ? values[slot] : nil
    }

    /// The value of a key, which is `value` if the key is new.
    @inline(__always)
    mutating func insert(_ key: UInt64, _ value: @autoclosure () -> Int32) -> Int32 {
        let slot = slot(of: key)
        if keys[slot] == key { return values[slot] }
        let value = value()
        keys[slot] = key
        values[slot] = value
        count += 1
        if count * 2 > keys.count { grow() }
        return value
    }

    @inline(__always)
    private func slot(of key: UInt64) -> Int {
        // Multiplication by 2^64 divided by the golden ratio spreads keys that differ in few bits.
        var slot = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> shift)
        while keys[slot] != key, keys[slot] != 0 { slot = (slot + 1) & (keys.count - 1) }
        return slot
    }

    private mutating func grow() {
        var larger = KeyTable(minimumCapacity: keys.count)
        for (slot, key) in keys.enumerated() where key != 0 { _ = larger.insert(key, values[slot]) }
        self = larger
    }
}
