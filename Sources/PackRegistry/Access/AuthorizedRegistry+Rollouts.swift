package import Foundation
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

    package func rollouts(of package: PackageID?) async throws -> [RolloutStatus] {
        let rights = [TokenAction.observe, .release]
        let scope = identity.scope
        if !scope.allows(.observe, package: package) { try identity.require(.release, package: package) }
        var query = FactsQuery.unsigned
        query.rollouts = FactsQuery.Rollouts(of: package, on: nil)
        let now = services.clock()
        let planned = try await services.store.facts(query).rollouts
        let places = Dictionary(grouping: planned) {
            RegistryFacts.OpenRollout(package: $0.package, channel: $0.channel)
        }.values.sorted { ($0[0].package, $0[0].channel) < ($1[0].package, $1[0].channel) }
        // The newest of those that are under way comes first, and what lies beneath it is not forgotten.
        let shown = places.flatMap { own in
            let open = own.reversed().filter { $0.isUnderWay && !$0.isSuperseded }
            return open.isEmpty
                ? Array(own.suffix(1)) : open.enumerated().filter { $0 == 0 || !$1.isCompleted }.map(\.element)
        }
        let gates = GateReader(services)
        var all: [RolloutStatus] = []
        for planned in shown
        where rights.contains(where: { scope.allows($0, package: planned.package, channel: planned.channel) }) {
            let readings = try await gates.readings(of: planned.package, on: planned.channel)
            if let status = planned.status(now: now, reading: readings[planned.release]) { all.append(status) }
        }
        return all
    }

    package func runRollouts() async throws -> RolloutRun {
        try identity.require(.release)
        let identity = identity
        let changes = try await ChangeExecutor(services).run { identity.allows($0.proposal) }
        return try await RolloutRunner(services).run {
            identity.scope.allows(.release, package: $0, channel: $1)
        }.adding(changes)
    }

    package func planProgress(
        of package: PackageID, on channel: ChannelName, at time: Date?
    ) async throws -> [String: PlanProgress] {
        var query = FactsQuery.unsigned
        query.rollouts = FactsQuery.Rollouts(of: package, on: channel, at: time)
        let now = time ?? services.clock()
        var plans: [String: PlanProgress] = [:]
        for planned in try await services.store.facts(query).rollouts {
            plans[planned.release] = planned.status(now: now).map { PlanProgress($0) }
        }
        return plans
    }
}
