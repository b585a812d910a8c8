import Foundation
package import PackRegistry
import PackRegistryAPI
import PackSystem
import PackTrust

extension LocalRegistry: MaintainedRegistry {
    /// How often a server looks for every file of the view.
    private static let checkInterval: Duration = .seconds(3600)
    private static let maintenanceTime: Duration = .seconds(60)
    /// Longer than the minute that may pass between two rounds.
    private static let leaseDuration: Duration = .seconds(180)
    /// How long a server waits for one that is just ending.
    private static let patience: Duration = .milliseconds(500)

    /// Acquires the lease of the registry's server: two would make every patch twice, and an operator who starts a second has
    /// most often forgotten the first.
    ///
    /// Of a registry whose rows several servers share any number may run; one of them has the lease, and the others wait for it.
    /// - Returns: nil if another of several servers has it.
    /// - Throws: ``RegistryError`` of the kind `.conflict` if another server has it, and no second is meant to run; of the kind
    ///   `.unusable` if this is one of several servers and has no online key of this registry: what expires would not be signed anew.
    package func claimForServer() async throws -> Lease? {
        let name = "process \(getpid())" + (rows.isShared ? " on \(ProcessInfo.processInfo.hostName)" : "")
        if rows.isShared {
            try await requireOnlineKey()
            return try await leases.acquire(.server, for: Self.leaseDuration, as: name)
        }
        let end = ContinuousClock.now + Self.patience
        repeat {
            if let lease = try await leases.acquire(.server, for: Self.leaseDuration, as: name) { return lease }
            try await Task.sleep(for: .milliseconds(20))
        } while .now < end
        let holder = try await leases.holder(of: .server)
        throw RegistryError(
            .conflict,
            "another packtool serve has the registry in \(files.name)" + (holder.map { " (\($0))" } ?? "")
                + ": stop that one first, or serve another registry")
    }

    /// Whether the registry can sign what expires.
    package var hasOnlineKey: Bool {
        FileManager.default.fileExists(atPath: files.onlineKeys.path(percentEncoded: false))
    }

    /// Why the registry cannot sign what expires; nil: it can.
    package var onlineKeyFault: String? {
        do {
            _ = try OnlineKeys.load(from: files)
            return nil
        } catch { return "\(error)" }
    }

    /// Whether the registry can sign, by a key that is here, what devices would accept now.
    /// - Throws: ``RegistryError`` where a file of keys is there that cannot be used.
    package var canSign: Bool {
        get async throws {
            guard hasOnlineKey else { return false }
            return try await isOnlineKeyNamed(by: root())
        }
    }

    private func root() async throws -> SignedDocument<RootMetadata> {
        try await services.store.facts(FactsQuery()).required(TopLevelRole.root.rawValue)
    }

    private func isOnlineKeyNamed(by root: SignedDocument<RootMetadata>) throws -> Bool {
        let named = root.body.authority(for: .timestamp).keys
        return try OnlineKeys.load(from: files).keys.contains { named[$0.publicKey.id] != nil }
    }

    private func requireOnlineKey() async throws {
        let path = files.onlineKeys.path(percentEncoded: false)
        guard hasOnlineKey else {
            throw RegistryError(
                .unusable,
                "\(path) is not there: a server without the online key cannot sign, and devices would get nothing new. Copy the "
                    + "file, with mode 0600, from another machine of this registry, or give the folder that has it with --files"
            )
        }
        let root = try await self.root()
        guard try isOnlineKeyNamed(by: root) else {
            throw RegistryError(
                .unusable,
                "\(path) has no key that root \(root.body.version) of this registry names: a server cannot sign with it, and devices "
                    + "would get nothing new. It is an old key, or another registry's: copy the file, with mode 0600, from "
                    + "another machine of this registry. If the rows were restored from a backup that is older than the key, run packtool "
                    + "keys rotate online --restored"
            )
        }
    }

    /// Calls ``maintain(for:under:report:)`` after every change, also of other processes, and every minute, and ``check()`` at
    /// the start and every hour, until the task is cancelled; a server runs it. Whoever publishes into the folder meanwhile
    /// leaves the patches to it. Of several servers the one with the lease does it.
    package func runMaintenance(under lease: Lease?, report: @escaping @Sendable (any Error) -> Void) async {
        let changes = signal
        let timestamp = files.view("metadata/timestamp.json").path(percentEncoded: false)
        var lease = lease
        await withTaskGroup { group in
            group.addTask {
                while !Task.isCancelled {
                    changes.raise()
                    let shown = FileStamp(path: timestamp)
                    for _ in 0..<60 where !Task.isCancelled && FileStamp(path: timestamp) == shown {
                        try? await Task.sleep(for: .seconds(1))
                    }
                }
            }
            group.addTask { await runRollouts(report: report) }
            if let mirror { group.addTask { await follow(mirror) } }
            var checked: ContinuousClock.Instant?
            var planned: ContinuousClock.Instant?
            for await _ in changes.changes {
                do {
                    lease = try await held(lease)
                    guard let lease else { continue }
                    // What is to be made may be the work of days, and what expires must be signed meanwhile.
                    repeat {
                        // Remote storage keeps what it has, and lists of it cost money: once a day, over all processes here.
                        let isDue =
                            mirror == nil
                            ? checked.map { .now - $0 > Self.checkInterval } ?? true
                            : !ViewCheck(folder: files).isRecent
                        if isDue {
                            try await check()
                            checked = .now
                        }
                    } while try await !workRound(under: lease) && !Task.isCancelled
                    if planned.map({ .now - $0 > Self.checkInterval }) ?? true {
                        planned = .now
                        if try await !planRound(under: lease) { planned = nil }
                    }
                } catch {
                    // What a server that ends has broken off is begun anew by the next.
                    if !makers.isStopped { report(error) }
                }
            }
            group.cancelAll()
        }
        // One that cannot be given back runs out.
        if let lease { try? await leases.release(lease) }
    }

    /// Breaks off what is being made, for good: the process is to end, and the next one makes it.
    package func stopMaking() { makers.stop() }

    /// The lease, or another one where it was lost and is free again.
    private func held(_ lease: Lease?) async throws -> Lease? {
        guard let lease else { return try await claimForServer() }
        do {
            try await leases.renew(lease, for: Self.leaseDuration)
            return lease
        } catch is LostLease {
            return try await claimForServer()
        }
    }

    /// Makes patches from versions that devices reported. Without reports there is nothing that is not wanted anyway.
    /// - Returns: false where something is left to do.
    private func planRound(under lease: Lease) async throws -> Bool {
        guard try await reportStore.isUsed() else { return true }
        return try await leases.keeping(lease, for: Self.leaseDuration) { [self] in
            let planning = PatchPlanning(self)
            return try await planning.make(planning.plan(PatchBudget()), for: Self.maintenanceTime)
        }
    }

    /// - Returns: false where something is left to do.
    private func workRound(under lease: Lease) async throws -> Bool {
        try await leases.keeping(lease, for: Self.leaseDuration) { [self] in
            try await maintain(for: Self.maintenanceTime, under: lease)
            return try await makeEncodings(for: Self.maintenanceTime)
        }
    }
}
