/// Finds for each token of the target the corresponding token of the base. Words that may have been renamed are
/// masked.
///
/// Windows of tokens that occur once on either side are anchors, the longest windows first; from each anchor the match is
/// followed as far as it goes. No pairing of files is needed: code that moved to another chunk is found there.
struct RenamingAlignment {
    private static let windowCounts = [128, 64, 32, 16]

    /// For each token of the target the one of the base, or -1.
    private(set) var source: [Int32]

    init(_ base: TokenText, _ target: TokenText) {
        source = [Int32](repeating: -1, count: target.masked.count)
        for count in Self.windowCounts where min(base.masked.count, target.masked.count) > count {
            align(base, target, count)
        }
    }

    private mutating func align(_ base: TokenText, _ target: TokenText, _ count: Int) {
        let windows = RollingWindows(count: count, tokens: max(base.masked.count, target.masked.count))
        var table = AnchorTable(capacity: base.masked.count >> windows.sampling)
        base.masked.withUnsafeBufferPointer { base in
            windows.forEach(in: base) { position, hash in table.addBase(hash, position) }
            target.masked.withUnsafeBufferPointer { target in
                source.withUnsafeMutableBufferPointer { source in
                    func isCovered(_ position: Int) -> Bool {
                        source[position] >= 0 && source[position + count - 1] >= 0
                    }
                    windows.forEach(in: target) { position, hash in
                        if !isCovered(position) { table.addTarget(hash) }
                    }
                    windows.forEach(in: target) { position, hash in
                        guard !isCovered(position), let anchor = table.anchor(hash) else { return }
                        Self.follow(base, target, source, anchor, position)
                    }
                }
            }
        }
    }

    /// Matches the free tokens around an anchor.
    private static func follow(
        _ base: UnsafeBufferPointer<UInt32>, _ target: UnsafeBufferPointer<UInt32>,
        _ source: UnsafeMutableBufferPointer<Int32>, _ basePosition: Int, _ targetPosition: Int
    ) {
        var (from, to) = (basePosition, targetPosition)
        while from < base.count, to < target.count, base[from] == target[to] {
            if source[to] < 0 { source[to] = Int32(from) }
            from += 1
            to += 1
        }
        (from, to) = (basePosition - 1, targetPosition - 1)
        while from >= 0, to >= 0, source[to] < 0, base[from] == target[to] {
            source[to] = Int32(from)
            from -= 1
            to -= 1
        }
    }
}

/// The hashes of all windows of a number of tokens. For a long text it is a sample, the same on both sides.
private struct RollingWindows {
    private static let base: UInt64 = 0x9E37_79B9_7F4A_7C15 | 1

    let count: Int
    /// One in 2 to this power is taken.
    let sampling: UInt64
    private let highest: UInt64

    init(count: Int, tokens: Int) {
        self.count = count
        sampling = tokens > 12 << 20 ? 2 : tokens > 4 << 20 ? 1 : 0
        highest = (1..<count).reduce(UInt64(1)) { power, _ in power &* Self.base }
    }

    @inline(__always)
    func forEach(in tokens: UnsafeBufferPointer<UInt32>, _ body: (_ position: Int, _ hash: UInt64) -> Void) {
        guard tokens.count >= count else { return }
        var hash: UInt64 = 0
        for index in 0..<count { hash = hash &* Self.base &+ UInt64(tokens[index]) }
        var position = 0
        let mask = UInt64(1) << sampling - 1
        while true {
            let mixed = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
            if mixed >> 40 & mask == 0 { body(position, max(mixed, 1)) }
            guard position + count < tokens.count else { return }
            hash = (hash &- UInt64(tokens[position]) &* highest) &* Self.base &+ UInt64(tokens[position + count])
            position += 1
        }
    }
}

/// The windows of the base, and whether they occur once on both sides.
private struct AnchorTable {
    private struct Slot {
        var hash: UInt64 = 0
        /// -1: more than once.
        var position: Int32 = 0
        /// How often in the target: 0, 1, or 2 for more.
        var count: Int32 = 0
    }

    private var slots: [Slot]
    private let shift: UInt64

    init(capacity: Int) {
        var count = 1024
        while count < capacity + capacity / 2 { count *= 2 }
        slots = [Slot](repeating: Slot(), count: count)
        shift = UInt64(UInt64.bitWidth - count.trailingZeroBitCount)
    }

    mutating func addBase(_ hash: UInt64, _ position: Int) {
        let index = index(of: hash)
        if slots[index].hash == hash {
            slots[index].position = -1
        } else {
            slots[index] = Slot(hash: hash, position: Int32(position), count: 0)
        }
    }

    mutating func addTarget(_ hash: UInt64) {
        let index = index(of: hash)
        if slots[index].hash == hash { slots[index].count = min(slots[index].count + 1, 2) }
    }

    func anchor(_ hash: UInt64) -> Int? {
        let slot = slots[index(of: hash)]
        return slot.hash == hash && slot.position >= 0 && slot.count == 1 ? Int(slot.position) : nil
    }

    private func index(of hash: UInt64) -> Int {
        var index = Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) >> shift)
        while slots[index].hash != hash, slots[index].hash != 0 { index = (index + 1) & (slots.count - 1) }
        return index
    }
}
