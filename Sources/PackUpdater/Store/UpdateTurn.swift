/// The update lock of a store as several works of one updater share it: what arrives for pages, side by side. The first
/// takes it and the last gives it back, so that other processes' updates come between.
actor UpdateTurn {
    private let store: DeviceStore
    /// How long to wait for another process's update.
    private let patience: Duration
    private var users = 0
    private var lock: FileLock?
    private var taking: Task<FileLock, any Error>?

    init(store: DeviceStore, patience: Duration) {
        self.store = store
        self.patience = patience
    }

    /// Does a piece of work under the lock.
    /// - Throws: ``UpdateError/storeIsBusy(folder:holder:)``, and what the work throws.
    nonisolated func hold<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await join()
        do {
            let value = try await body()
            await leave()
            return value
        } catch {
            await leave()
            throw error
        }
    }

    private func join() async throws {
        users += 1
        guard lock == nil else { return }
        let taking =
            taking ?? Task { [store, patience] in try await store.lockForUpdate(patience: patience) }
        self.taking = taking
        do {
            let taken = try await taking.value
            // Of several that waited for it, the first puts it in its place.
            if self.taking == taking {
                self.taking = nil
                lock = taken
            }
        } catch {
            if self.taking == taking { self.taking = nil }
            users -= 1
            throw error
        }
    }

    private func leave() {
        users -= 1
        if users == 0 { lock = nil }
    }
}
