import Foundation
package import PackFormat
package import PackRegistryAPI

/// Takes the steps of all plans that are due, as `system:rollout`. A server runs it all the time, and `packtool rollout run` once.
///
/// Any number may run at once. The lease `rollout` saves them doing the same work; and a step is recorded only on the events
/// that it was decided by, so each is taken once.
package struct RolloutRunner: Sendable {
    /// Longer than a pass over many packages.
    private static let leaseDuration: Duration = .seconds(60)

    private let services: RegistryServices
    private let identity = Identity.system("rollout")

    package init(_ services: RegistryServices) {
        self.services = services
    }

    /// - Parameter isAllowed: which packages and channels are looked at.
    /// - Throws: ``RegistryError``
    package func run(
        where isAllowed: @escaping @Sendable (PackageID, ChannelName) -> Bool = { _, _ in true }
    ) async throws -> RolloutRun {
        // Looking costs no commit; most looks find nothing.
        let found = try await pass(where: isAllowed) { try await look(at: $0) }
        guard !found.actions.isEmpty else { return found }
        let holder = "process \(ProcessInfo.processInfo.processIdentifier)"
        let run = try await services.leases.whileHolding(.rollout, for: Self.leaseDuration, as: holder) { lease in
            try await pass(where: isAllowed) { try await services.commit($0, as: identity, under: lease) }
        }
        // Another runner takes these steps just now.
        return run ?? RolloutRun(actions: [], failures: found.failures, next: services.clock())
    }

    /// What would be done now.
    private func look(at step: RolloutStep) async throws -> RolloutStep.Outcome {
        var changes = ChangeSet(by: identity, at: services.clock())
        return try await step.decide(services.store.facts(step.query), into: &changes)
    }

    private func pass(
        where isAllowed: @Sendable (PackageID, ChannelName) -> Bool,
        _ take: (RolloutStep) async throws -> RolloutStep.Outcome
    ) async throws -> RolloutRun {
        var query = FactsQuery.unsigned
        query.openRollouts = true
        var actions: [RolloutRun.Action] = []
        var failures: [String] = []
        var (next, subject): (Date?, RolloutRun.Subject?)
        let gates = GateReader(services)
        for open in try await services.store.facts(query).openRollouts where isAllowed(open.package, open.channel) {
            do {
                let readings = try await gates.readings(of: open.package, on: open.channel)
                let outcome = try await take(
                    RolloutStep(of: open.package, on: open.channel, readings: readings))
                actions += outcome.actions
                if let date = outcome.next, date < next ?? .distantFuture { (next, subject) = (date, outcome.subject) }
            } catch let error as RegistryError {
                // The others go on.
                failures.append("\(open.package) on \(open.channel): \(error)")
            }
        }
        return RolloutRun(actions: actions, failures: failures, next: next, subject: subject)
    }
}
