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
            let all = versions.values.reduce(0, +)
            let kept = kept(versions) { $0.description }
            versions = versions.filter { kept.contains($0.key) }
            // Devices with a rare version have the package all the same.
            if let most = versions.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key {
                versions[most, default: 0] += all - versions.values.reduce(0, +)
            }
            population.versions[package] = versions
            population.devices = max(population.devices, all)
        }
        func counts(_ value: (ReportFacts) -> String?) -> ReportPopulation.Counts {
            // A device says the same of each package that it has: of all packages the largest count is one of devices.
            var most: ReportPopulation.Counts = [:]
            for presences in packages.values {
                var counts: ReportPopulation.Counts = [:]
                for presence in presences {
                    let known = value(presence.facts).flatMap { $0 == ReportPopulation.unknown ? nil : $0 }
                    counts[known, default: 0] += presence.devices
                }
                most.merge(counts, uniquingKeysWith: max)
            }
            population.devices = max(population.devices, most.values.reduce(0, +))
            let values = kept(most.filter { $0.key != nil }) { $0 ?? "" }
            return most.filter { values.contains($0.key) }
        }
        let facts = [counts(\.platform), counts(\.appVersion), counts(\.osVersion)].map { known in
            // Those that say nothing, and those with a rare value.
            let rest = population.devices - known.values.reduce(0, +)
            return rest > 0 ? known.merging([nil: rest]) { $1 } : known
        }
        (population.platforms, population.appVersions, population.osVersions) = (facts[0], facts[1], facts[2])
        return population
    }

    /// The values that most devices have.
    private static func kept<Value: Hashable>(_ counts: [Value: Int], _ text: (Value) -> String) -> Set<Value> {
        let sorted = counts.sorted { ($1.value, text($0.key)) < ($0.value, text($1.key)) }
        return Set(sorted.prefix(ReportPopulation.maximumValueCount).map(\.key))
    }
}
