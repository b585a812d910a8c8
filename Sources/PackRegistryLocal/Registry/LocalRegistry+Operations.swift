package import PackRegistry
import PackRegistryAPI
import PackRegistrySQL

extension LocalRegistry {
    package func operations() async throws -> RegistryOperations {
        var operations = RegistryOperations()
        (operations.filesInWork, operations.waitingRequests) = claims.counts
        let services = services
        let now = clock()
        let (planned, waiting, sites) = try await database.reading { db in
            let table = RolloutTable(db: db)
            let planned = try table.open().flatMap { open in
                // Of each channel the newest one with a plan; that of a set counts once, for the package that has it.
                try table.planned(FactsQuery.Rollouts(of: open.package, on: open.channel)).suffix(1).filter(\.holdsPlan)
            }
            return try (planned, BuildQueueTable(db: db).packages().count, EncodingTable(db: db).packages().count)
        }
        operations.rollouts = planned.compactMap { $0.status(now: now) }
        operations.waitingPackages = waiting
        operations.waitingSites = sites
        operations.signatures = try await signatures.read(from: services.store)
        return operations
    }
}
