/// Does many requests, at most as many at a time as there are connections.
struct ParallelRequests: Sendable {
    private let count: Int

    init(_ bucket: S3Bucket, atMost count: Int = .max) {
        self.count = max(1, min(count, bucket.limits.connections))
    }

    /// - Returns: the values in the order of the items.
    func map<Item: Sendable, Value: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) async throws -> Value
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

    func forEach<Item: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) async throws -> Void
    ) async throws { _ = try await map(items, body) }
}
