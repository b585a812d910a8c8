import PackSystem

/// The update lock of a store, shared by several works of one updater: installations for open pages, side by side,
/// and an update. The first one acquires it and the last one releases it, so that other processes can update in
/// between.
actor UpdateTurn {
    private let store: DeviceStore
    /// How long to wait for another process's update.
    private let patience: Duration
    private var users = 0
    private var lock: FileLock?
    private var taking: Task<FileLock, any Error>?
    private var isAlone = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var last: (@Sendable () async -> Void)?

    init(store: DeviceStore, patience: Duration) {
        self.store = store
        self.patience = patience
    }

    /// Does a piece of work under the lock.
    /// - Parameter patience: how long to wait for another process's update, where this is the first work; nil: as long as
    ///   pages do.
    /// - Throws: ``UpdateError/storeIsBusy(folder:holder:)``, and what the work throws.
    nonisolated func hold<Value: Sendable>(
        patience: Duration? = nil, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await join(patience)
        do {
            let value = try await body()
            await leave()
            return value
        } catch {
            await leave()
            throw error
        }
    }

    /// Does, for who holds the lock, what must not happen beside any other work: what comes meanwhile waits.
    /// - Parameter otherwise: what the last of them does, where another work holds the lock too.
    /// - Returns: whether `body` was done.
    nonisolated func alone(
        otherwise last: @escaping @Sendable () async -> Void, _ body: @Sendable () async throws -> Void
    ) async throws -> Bool {
        guard await beAlone(otherwise: last) else { return false }
        do {
            try await body()
            await admit()
            return true
        } catch {
            await admit()
            throw error
        }
    }

    private func join(_ patience: Duration?) async throws {
        while isAlone { await withCheckedContinuation { waiting.append($0) } }
        users += 1
        let patience = patience ?? self.patience
        let deadline = ContinuousClock.now + patience
        while lock == nil {
            let taking = taking ?? Task { [store] in try await store.lockForUpdate(patience: patience) }
            self.taking = taking
            do {
                let taken = try await taking.value
                // Of several that waited for it, the first puts it in its place.
                guard self.taking == taking else { continue }
                self.taking = nil
                lock = taken
            } catch {
                if self.taking == taking { self.taking = nil }
                // Another work may have waited for less.
                guard case UpdateError.storeIsBusy = error, ContinuousClock.now < deadline else {
                    users -= 1
                    throw error
                }
            }
        }
    }

    private func leave() {
        users -= 1
        guard users == 0 else { return }
        guard let last else { return giveBack() }
        self.last = nil
        isAlone = true
        Task {
            await last()
            admit()
        }
    }

    private func beAlone(otherwise last: @escaping @Sendable () async -> Void) -> Bool {
        guard users == 1, !isAlone else {
            self.last = last
            return false
        }
        isAlone = true
        return true
    }

    private func admit() {
        isAlone = false
        if users == 0 { giveBack() }
        for one in waiting { one.resume() }
        waiting = []
    }

    /// At once: the task that took the lock may know it for a moment longer.
    private func giveBack() {
        lock?.unlock()
        lock = nil
    }
}
