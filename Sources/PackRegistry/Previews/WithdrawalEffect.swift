package import PackFormat
package import PackRegistryAPI

/// Says what a withdrawal would do to each channel. It is decided as the withdrawal, but for the publisher's role, which is
/// signed only when it is meant. Records nothing.
package struct WithdrawalEffect: RegistryChange {
    private let withdrawal: VersionWithdrawal
    private let package: PackageID

    package init(of version: SemanticVersion, of package: PackageID, reason: String) {
        withdrawal = VersionWithdrawal(version, of: package, reason: reason, role: [])
        self.package = package
    }

    package var query: FactsQuery { withdrawal.query }

    package func decide(
        _ facts: RegistryFacts, into changes: inout ChangeSet
    ) throws -> [ChannelName: ChannelOutcome] {
        let published = try withdrawal.check(facts)
        // Refused where no key may sign for the package.
        _ = try RoleUpdatePolicy(package, facts, now: changes.time)
        let (actor, now) = (changes.actor.name, changes.time)
        return Dictionary(
            uniqueKeysWithValues: try withdrawal.steps(published, facts, for: changes.actor).map { channel, steps in
                let histories = facts.companions[channel] ?? [:]
                var offered = steps.filter { !$0.value.isEmpty }.map { member, steps in
                    (member, (histories[member] ?? ReleaseHistory()).applying(steps, by: actor, now: now).offered)
                }.reduce(into: [PackageID: [Release]]()) { $0[$1.0] = $1.1 }
                let own = offered.removeValue(forKey: package) ?? []
                var effect = ReleaseEffect(on: channel, before: histories, steps: steps, by: actor, now: now).text
                do throws(RegistryError) { try StateGuard.require([], steps, on: channel, facts) } catch {
                    effect += ". It is refused without --despite-state: \(error.message)"
                }
                return (channel, ChannelOutcome(isChanged: true, releases: own, others: offered, effect: effect))
            })
    }
}
