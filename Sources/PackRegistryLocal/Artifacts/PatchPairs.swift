import PackFormat
import PackRegistry
import PackRegistrySQL

/// The pairs of versions between which devices may move, inside one transaction: to what a channel offers from what it offered
/// lately, and from what its devices reported to have; and between the shared bundles that these pin.
struct PatchPairs {
    struct Pair: Hashable, Sendable {
        let base: Digest
        let target: Digest
        /// Devices that reported to have the base; nil: no device of the channels reported anything.
        var devices: Int?
    }

    /// How many versions that a channel offered before count as offered lately.
    static let recentVersions = 4

    /// The devices of a channel by the version of a package that they have.
    typealias Devices = [ChannelName: [VersionName: Int]]

    let db: Database

    /// Each pair once, in no particular order of importance.
    /// - Parameter devices: what was reported; a channel without an entry reports nothing.
    func all(of package: PackageID, devices: Devices = [:]) throws -> [Pair] {
        let releases = ReleaseTable(db: db)
        var sum = Sum()
        for channel in try releases.channels() {
            let history = try releases.history(of: package, on: channel)
            let reported = try devices[channel].map { try manifests($0, of: package) }
            var bases = history.recentManifests(limit: Self.recentVersions + 1)
            bases += (reported ?? [:]).keys.filter { !bases.contains($0) }.sorted()
            for release in history.offered {
                guard case .version(_, let target) = release.offer else { continue }
                for base in bases where base != target {
                    sum.add(Pair(base: base, target: target, devices: reported.map { $0[base] ?? 0 }))
                }
            }
        }
        var pins: [Digest: [PackageID: VersionID]] = [:]
        for pair in sum.pairs { for bundle in try bundles(of: pair, &pins) { sum.add(bundle) } }
        return sum.pairs
    }

    /// The versions of a package that devices have.
    private func manifests(_ devices: [VersionName: Int], of package: PackageID) throws -> [Digest: Int] {
        let versions = VersionTable(db: db)
        var found: [Digest: Int] = [:]
        for (name, count) in devices where name.package == package {
            guard let published = try versions.published(package, name.version) else { continue }
            found[published.manifest] = count
        }
        return found
    }

    /// - Parameter pins: the bundles of versions that were read before.
    private func bundles(of pair: Pair, _ pins: inout [Digest: [PackageID: VersionID]]) throws -> [Pair] {
        let versions = VersionTable(db: db)
        for version in [pair.base, pair.target] where pins[version] == nil {
            pins[version] = try versions.manifest(version)?.shared ?? [:]
        }
        let before = pins[pair.base] ?? [:]
        return (pins[pair.target] ?? [:]).sorted { $0.key < $1.key }.compactMap { bundle, pin in
            guard let old = before[bundle], old.manifest != pin.manifest else { return nil }
            return Pair(base: old.manifest, target: pin.manifest, devices: pair.devices)
        }
    }

    /// Pairs in the order in which they came, each with the devices of all that lead to it.
    private struct Sum {
        private(set) var pairs: [Pair] = []
        private var places: [[Digest]: Int] = [:]

        mutating func add(_ pair: Pair) {
            guard let place = places[[pair.base, pair.target]] else {
                places[[pair.base, pair.target]] = pairs.count
                pairs.append(pair)
                return
            }
            guard let more = pair.devices else { return }
            pairs[place].devices = (pairs[place].devices ?? 0) + more
        }
    }
}
