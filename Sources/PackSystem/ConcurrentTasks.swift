/// Does the same for many items, some at a time.
package enum ConcurrentTasks {
    /// - Parameters:
    ///   - limit: how many run at a time; from 1.
    ///   - take: called with the index and the value of each item, one at a time, in the order in which they are done.
    /// - Throws: the first error. What still runs is cancelled, and nothing else begins.
    package static func run<Item: Sendable, Value: Sendable>(
        _ items: some Sequence<Item>, atMost limit: Int, _ body: @escaping @Sendable (Item) async throws -> Value,
        taking take: (_ index: Int, _ value: Value) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            var rest = items.enumerated().makeIterator()
            func begin() {
                guard let (index, item) = rest.next() else { return }
                group.addTask { (index, try await body(item)) }
            }
            for _ in 0..<max(1, limit) { begin() }
            while let (index, value) = try await group.next() {
                try take(index, value)
                begin()
            }
        }
    }

    /// - Returns: the values in the order of the items.
    /// - Throws: the first error. What still runs is cancelled, and nothing else begins.
    package static func map<Item: Sendable, Value: Sendable>(
        _ items: some Collection<Item>, atMost limit: Int, _ body: @escaping @Sendable (Item) async throws -> Value
    ) async throws -> [Value] {
        var values = [Value?](repeating: nil, count: items.count)
        try await run(items, atMost: limit, body) { index, value in values[index] = value }
        return values.compactMap(\.self)
    }

    /// - Throws: the first error. What still runs is cancelled, and nothing else begins.
    package static func forEach<Item: Sendable>(
        _ items: some Sequence<Item>, atMost limit: Int, _ body: @escaping @Sendable (Item) async throws -> Void
    ) async throws {
        try await run(items, atMost: limit, body) { _, _ in }
    }
}
