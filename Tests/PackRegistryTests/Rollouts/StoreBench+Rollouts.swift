import Foundation
import PackFormat

@testable import PackRegistry
@testable import PackRegistryAPI

extension StoreBench {
    /// The registry's rows alone, on a clock that tests move.
    func services(clock: @escaping @Sendable () -> Date) -> RegistryServices {
        RegistryServices(
            store: store, leases: leases, signer: signer, content: NoContent(), view: MemoryViewStore(),
            downloads: NoDownloads(), clock: clock)
    }

    /// What a question about plans reads.
    var rollouts: FactsQuery {
        get throws {
            var query = FactsQuery.unsigned
            query.rollouts = FactsQuery.Rollouts(of: try PackageID("alpha"), on: nil)
            query.openRollouts = true
            return query
        }
    }
}
