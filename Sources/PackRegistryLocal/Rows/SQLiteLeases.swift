import Foundation
import PackRegistry
import PackRegistrySQL
import PackSystem
import Synchronization

/// The leases of a registry folder: a row for each, and beside it a file that the holder keeps locked.
///
/// The row decides. The lock only tells of a holder's death before its lease runs out, so that a server that was killed is
/// replaced at once. Each acquisition has a file of its own, named by its number, so a holder that lost its lease and lives on
/// is in nobody's way.
final class SQLiteLeases: LeaseStore {
    private let database: SQLiteDatabase
    private let folder: URL
    private let clock: @Sendable () -> Date
    /// Of the leases that this value acquired. They are free when it is gone.
    private let locks = Mutex<[Lease: FileLock]>([:])

    init(_ files: RegistryFolder, _ database: SQLiteDatabase, clock: @escaping @Sendable () -> Date) {
        folder = files.leases
        self.database = database
        self.clock = clock
    }

    func acquire(_ name: Lease.Name, for duration: Duration, as holder: String) async throws -> Lease? {
        try await BlockingWork.run { [self] in try acquireNow(name, for: duration, as: holder) }
    }

    func renew(_ lease: Lease, for duration: Duration) async throws {
        let isHeld = try await BlockingWork.run { [self] in
            try database.write { try LeaseTable(db: $0).extend(lease, until: clock() + duration.seconds) }
        }
        guard !isHeld else { return }
        forget(lease)
        throw LostLease(lease.name)
    }

    func release(_ lease: Lease) async throws {
        try await BlockingWork.run { [self] in
            try database.write { try LeaseTable(db: $0).end(lease) }
            forget(lease)
        }
    }

    func holder(of name: Lease.Name) async throws -> String? {
        try await BlockingWork.run { [self] in try holderNow(of: name) }
    }

    /// ``holder(of:)`` on this thread.
    func holderNow(of name: Lease.Name) throws -> String? {
        guard let held = try database.read({ try LeaseTable(db: $0).held(name, now: clock()) }) else { return nil }
        return isAlive(Lease(name, number: held.number)) ? held.holder : nil
    }

    private func acquireNow(_ name: Lease.Name, for duration: Duration, as holder: String) throws -> Lease? {
        try SystemCall.makeFolders(folder)
        let acquired = try database.write { db -> (Lease, FileLock)? in
            let table = LeaseTable(db: db)
            let now = clock()
            if let held = try table.held(name, now: now), isAlive(Lease(name, number: held.number)) { return nil }
            let lease = Lease(name, number: try table.newestNumber(name) + 1)
            // Before anybody can read of it. A file that is locked already is of a transaction that ended a moment ago.
            guard let lock = try FileLock.take(file(of: lease), .exclusive, creating: true, mode: 0o644) else {
                return nil
            }
            try table.put(lease, holder: holder, until: now + duration.seconds)
            return (lease, lock)
        }
        guard let (lease, lock) = acquired else { return nil }
        locks.withLock { $0[lease] = lock }
        if lease.number > 1 { forget(Lease(name, number: lease.number - 1)) }
        return lease
    }

    private func forget(_ lease: Lease) {
        _ = locks.withLock { $0.removeValue(forKey: lease) }
        try? FileManager.default.removeItem(at: file(of: lease))
    }

    /// Whether somebody has the lease's file locked.
    private func isAlive(_ lease: Lease) -> Bool {
        do {
            return try FileLock.take(file(of: lease), .shared, creating: false) == nil
        } catch {
            // Without a file nobody has it. One that may not be read is another user's: the row decides.
            return error.kind != .missing
        }
    }

    private func file(of lease: Lease) -> URL {
        folder.appending(path: "\(lease.name.rawValue).\(lease.number)", directoryHint: .notDirectory)
    }
}

extension Duration {
    fileprivate var seconds: TimeInterval { self / .seconds(1) }
}
