import PackFormat
package import PackRegistryAPI

/// Makes the population of a channel from what its devices said. Pure.
package enum PopulationRule {
    /// The first day, in days since 1970, of which what devices said counts.
    /// - Parameter now: seconds since 1970.
    package static func firstDay(now: Int) -> Int { now / 86_400 - PresenceCount.days }

    package static func population(_ presences: [PresenceCount]) -> ReportPopulation {
        var population = ReportPopulation()
        let packages = Dictionary(grouping: presences, by: \.package)
        for (package, presences) in packages {
            var versions: [SemanticVersion: Int] = [:]
            for presence in presences { versions[presence.version, default: 0] += presence.devices }
            population.versions[package] = Dictionary(
                uniqueKeysWithValues: kept(versions) { $0.description }.map { ($0, versions[$0] ?? 0) })
            population.devices = max(population.devices, versions.values.reduce(0, +))
        }
        func counts(_ value: (ReportFacts) -> String?) -> ReportPopulation.Counts {
            // A device says the same of each package that it has: of all packages the largest count is that of devices.
            var most: ReportPopulation.Counts = [:]
            for presences in packages.values {
                var counts: ReportPopulation.Counts = [:]
                for presence in presences {
                    let known = value(presence.facts).flatMap { $0 == ReportPopulation.unknown ? nil : $0 }
                    counts[known, default: 0] += presence.devices
                }
                most.merge(counts, uniquingKeysWith: max)
            }
            let values = kept(most.filter { $0.key != nil }) { $0 ?? "" }
            var counts = most.filter { values.contains($0.key) }
            let rest = population.devices - counts.values.reduce(0, +)
            if rest > 0 { counts[nil] = rest }
            return counts
        }
        population.platforms = counts(\.platform)
        population.appVersions = counts(\.appVersion)
        population.osVersions = counts(\.osVersion)
        return population
    }

    /// The values that most devices have.
    private static func kept<Value: Hashable>(_ counts: [Value: Int], _ text: (Value) -> String) -> Set<Value> {
        let sorted = counts.sorted { ($1.value, text($0.key)) < ($0.value, text($1.key)) }
        return Set(sorted.prefix(ReportPopulation.maximumValueCount).map(\.key))
    }
}
