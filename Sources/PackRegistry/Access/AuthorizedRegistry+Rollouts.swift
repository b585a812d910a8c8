package import PackFormat
package import PackRegistryAPI

extension AuthorizedRegistry {
    package func rollout(
        _ request: RolloutRequest, of package: PackageID, on channel: ChannelName
    ) async throws -> RolloutOutcome {
        try identity.require(.release, package: package, channel: channel)
        return try await services.commit(
            RolloutChange(request, of: package, on: channel, randomBits: .random(in: .min ... .max)), as: identity)
    }

    package func rollouts(of package: PackageID) async throws -> [RolloutStatus] {
        let rights = [TokenAction.observe, .release]
        let scope = identity.scope
        if !scope.allows(.observe, package: package) { try identity.require(.release, package: package) }
        var query = FactsQuery.unsigned
        query.rollouts = FactsQuery.Rollouts(of: package, on: nil)
        let now = services.clock()
        let planned = try await services.store.facts(query).rollouts
        // Of each channel the newest one.
        let newest = Dictionary(planned.map { ($0.channel, $0) }) { $1 }
        return newest.filter { entry in rights.contains { scope.allows($0, package: package, channel: entry.key) } }
            .sorted { $0.key < $1.key }.compactMap { $0.value.status(now: now) }
    }

    package func runRollouts() async throws -> RolloutRun {
        try identity.require(.release)
        let scope = identity.scope
        return try await RolloutRunner(services).run {
            scope.allows(.release, package: $0, channel: $1)
        }
    }
}
