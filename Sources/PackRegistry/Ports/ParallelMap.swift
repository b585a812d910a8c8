/// Does many things, some at a time.
package enum ParallelMap {
    /// - Parameter count: how many at the most; from 1.
    /// - Returns: the values in the order of the items.
    package static func run<Item: Sendable, Value: Sendable>(
        _ items: [Item], atMost count: Int, _ body: @escaping @Sendable (Item) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            var values: [(index: Int, value: Value)] = []
            for (index, item) in items.enumerated() {
                if index >= count, let value = try await group.next() { values.append(value) }
                group.addTask { (index, try await body(item)) }
            }
            for try await value in group { values.append(value) }
            return values.sorted { $0.index < $1.index }.map(\.value)
        }
    }
}
