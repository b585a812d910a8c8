/// Says who does a piece of work that only one process may do at a time.
///
/// Leases are kept where the rows of the registry are, so that a commit can check one in its own transaction. The store's clock
/// decides when a lease runs out, never the holder's.
///
///     let result = try await leases.whileHolding(.rollout, for: .seconds(60), as: "process 17") { lease in
///         try await services.commit(step, as: .system("rollout"), under: lease)
///     }                                                       // nil: somebody else does it
package protocol LeaseStore: Sendable {
    /// Takes a lease that nobody holds, or whose holder let it run out.
    /// - Parameter holder: what ``holder(of:)`` tells others, such as `process 17`.
    /// - Returns: nil where somebody holds it.
    func acquire(_ name: Lease.Name, for duration: Duration, as holder: String) async throws -> Lease?

    /// Lets a lease last for `duration` from now on. One that ran out is held again, if nobody acquired it since.
    /// - Throws: ``LostLease`` where somebody did, or it was released.
    func renew(_ lease: Lease, for duration: Duration) async throws

    /// Gives a lease back, so that anybody may acquire it at once. Does nothing for one that was lost.
    func release(_ lease: Lease) async throws

    /// Who holds a lease now; nil: nobody.
    func holder(of name: Lease.Name) async throws -> String?
}

extension LeaseStore {
    /// Acquires a lease, does work under it as ``keeping(_:for:_:)`` does, and releases it.
    /// - Returns: nil where somebody else holds the lease: nothing was done.
    package func whileHolding<Value: Sendable>(
        _ name: Lease.Name, for duration: Duration, as holder: String,
        _ work: @escaping @Sendable (Lease) async throws -> Value
    ) async throws -> Value? {
        guard let lease = try await acquire(name, for: duration, as: holder) else { return nil }
        let result: Result<Value, any Error>
        do {
            result = .success(try await keeping(lease, for: duration) { try await work(lease) })
        } catch {
            result = .failure(error)
        }
        // One that cannot be given back runs out.
        try? await release(lease)
        return try result.get()
    }

    /// Does work, and renews the lease each time that a third of its duration has passed.
    ///
    /// A lease that is lost cancels the work's task; what the work records under it meanwhile is refused by the store.
    /// - Throws: ``LostLease``, or what the work throws.
    package func keeping<Value: Sendable>(
        _ lease: Lease, for duration: Duration, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                while true {
                    do { try await Task.sleep(for: duration / 3) } catch { return nil }
                    do {
                        try await renew(lease, for: duration)
                    } catch let error as LostLease {
                        throw error
                    } catch {
                        // A store that is busy now may answer the next time, which is before the end.
                    }
                }
            }
            group.addTask { try await work() }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }
}
