/// Keeps recently used values in two generations. When the younger one reaches half of the limit, it becomes the
/// older one, and values that were not used since are dropped. A use costs one or two lookups in a dictionary, and a
/// full cache never loses everything at once.
struct RecentCache<Key: Hashable, Value> {
    private var younger: [Key: Value] = [:]
    private var older: [Key: Value] = [:]
    private let generationCount: Int

    /// - Parameter maximumCount: of values. The half that was used last is always there.
    init(maximumCount: Int) {
        generationCount = max(1, maximumCount / 2)
    }

    var count: Int { younger.count + older.count }

    /// A value, which is then one of the youngest.
    mutating func value(for key: Key) -> Value? {
        if let value = younger[key] { return value }
        guard let value = older[key] else { return nil }
        insert(value, for: key)
        return value
    }

    mutating func insert(_ value: Value, for key: Key) {
        older[key] = nil
        if younger[key] == nil, younger.count >= generationCount {
            older = younger
            younger = [:]
        }
        younger[key] = value
    }

    mutating func remove(_ key: Key) {
        younger[key] = nil
        older[key] = nil
    }

    mutating func removeAll() {
        younger = [:]
        older = [:]
    }
}
