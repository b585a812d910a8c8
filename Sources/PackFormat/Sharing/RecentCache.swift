/// Keeps recently used values in two generations. When the younger one reaches half of the limit, it becomes the
/// older one, and values that were not used since are dropped. A use costs one or two lookups in a dictionary, and a
/// full cache never loses everything at once.
package struct RecentCache<Key: Hashable, Value> {
    private var younger: [Key: Value] = [:]
    private var older: [Key: Value] = [:]
    private let generationCount: Int

    /// - Parameter maximumCount: of values. The half that was used last is always there.
    package init(maximumCount: Int) {
        generationCount = max(1, maximumCount / 2)
    }

    package var count: Int { younger.count + older.count }

    /// A value, which is then one of the youngest.
    package mutating func value(for key: Key) -> Value? {
        if let value = younger[key] { return value }
        guard let value = older[key] else { return nil }
        insert(value, for: key)
        return value
    }

    /// A value, whose age stays as it is. Where each key is asked for once, and many at a time, the keys that are asked for first would
    /// otherwise push out the others.
    package func peek(_ key: Key) -> Value? { younger[key] ?? older[key] }

    package mutating func insert(_ value: Value, for key: Key) {
        older[key] = nil
        if younger[key] == nil, younger.count >= generationCount {
            older = younger
            younger = [:]
        }
        younger[key] = value
    }

    package mutating func remove(_ key: Key) {
        younger[key] = nil
        older[key] = nil
    }

    package mutating func removeAll() {
        younger = [:]
        older = [:]
    }
}

extension RecentCache: Sendable where Key: Sendable, Value: Sendable {}
