import PackSystem

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
        try await ConcurrentTasks.map(items, atMost: count, body)
    }

    func forEach<Item: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) async throws -> Void
    ) async throws { try await ConcurrentTasks.forEach(items, atMost: count, body) }
}
