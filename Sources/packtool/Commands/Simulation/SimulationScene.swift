import Foundation
import PackFormat
import PackRegistry
import PackRegistryAPI

/// What a simulation needs of a registry: the channel, the releases, and what devices would download.
struct SimulationScene {
    let file: ChannelFile
    let targets: [PackageID: Release]
    let downloads: [PackageID: [SemanticVersion?: RolloutSimulation.Download]]

    /// What the releases have already; that of a set is one. What is not offered yet has none.
    let share: Share

    /// Such as `shop 1.3.0`.
    var names: [String] {
        targets.sorted { $0.key < $1.key }.map { "\($0) \($1.version?.description ?? "embedded")" }
    }

    /// What a population leaves out that the channel knows: the simulation goes on without it, and its numbers say something else
    /// than what will happen.
    func gaps(in population: Population) -> [String] {
        var gaps: [String] = []
        let all = targets.sorted { $0.key < $1.key }
        let unknown = all.map(\.key).filter { name in !population.versions.contains { $0.package == name } }
        if !unknown.isEmpty {
            let names = unknown.map(\.text).joined(separator: ", ")
            gaps.append(
                "the population says nothing of \(names): its devices count as having none of it, and fetch it in full. Describe "
                    + "what they have: \"versions\": {\"\(unknown[0])\": {\"VERSION\": WEIGHT}}")
        }
        let unoffered = all.filter { name, target in
            !(file.packages[name]?.releases.contains { $0.offer == target.offer } ?? false)
        }
        for (package, target) in unoffered {
            gaps.append(
                "\(file.channel) does not offer \(package) \(target.version?.description ?? "embedded") yet, and its patches are made "
                    + "once a channel does: the bytes here count full downloads where there is none")
        }
        for (package, target) in all where !unknown.contains(package) {
            let offered = file.packages[package]?.releases.first { $0.id == target.id }?.rollout
            let described = population.versions.first { $0.package == package }?.versions.values ?? []
            guard let offered, !offered.reachesNobody, let version = target.version,
                !described.contains(where: { $0.value == version })
            else { continue }
            gaps.append(
                "\(file.channel) offers \(package) \(version) to \(offered.devicesText) already, and the population has no "
                    + "device with it: those that have it count as new here. Describe them: \"versions\": {\"\(package)\": "
                    + "{\"\(version)\": WEIGHT}}")
        }
        return gaps
    }

    init(
        _ packages: [PackageArgument], on channel: ChannelName, audiences: [Audience], population: Population,
        session: RegistrySession
    ) async throws {
        let overview = try await session.registry.overview()
        let file =
            try await session.registry.channelFile(channel, at: nil)
            ?? ChannelFile(app: overview.app, channel: channel, packages: [:])
        var targets: [PackageID: Release] = [:]
        for (index, argument) in packages.enumerated() {
            let (package, releases) = (argument.package, file.packages[argument.package]?.releases ?? [])
            if let known = releases.first(where: { argument.version == nil || $0.version == argument.version }) {
                guard audiences.isEmpty else {
                    throw CommandFailure(
                        "\(channel) offers \(package) \(ReleaseText.newest([known])) already, to \(known.rollout.devicesText), and its own "
                            + "audience counts: leave out --audience, or change it with packtool rollout first",
                        kind: "invalid")
                }
                targets[package] = known
                for (other, release) in ReleaseSets(of: file).members(of: known.set ?? "") { targets[other] = release }
                continue
            }
            guard let version = argument.version else {
                throw CommandFailure(
                    "\(channel) offers nothing of \(package): say which version is to be offered, \(package)@VERSION",
                    kind: "notFound")
            }
            let published = overview.versions[package]?.first { $0.version == version && $0.withdrawn == nil }
            guard let published else {
                let names = overview.versions[package]?.map(\.version.description).joined(separator: ", ")
                throw CommandFailure(
                    "\(package) \(version) is not published (there is: \(names ?? "no version of it"))",
                    kind: "notFound")
            }
            targets[package] = try Release(
                id: "simulated-\(index)", offer: .version(version, manifest: published.manifest),
                rollout: Rollout(audiences: audiences), set: packages.count > 1 ? "simulated" : nil)
        }
        self.file = file
        self.targets = targets
        let offered = targets.compactMap { package, target in
            file.packages[package]?.releases.first { $0.id == target.id }?.rollout.share
        }
        share = offered.count == targets.count ? offered.min() ?? .none : .none
        let reader = DownloadReader(versions: overview.versions, registry: session.registry)
        var downloads: [PackageID: [SemanticVersion?: RolloutSimulation.Download]] = [:]
        // A bundle that several packages of a set share comes once.
        var counted: Set<PackageID> = []
        for (package, target) in targets.sorted(by: { $0.key < $1.key }) {
            guard case .version(let version, let manifest) = target.offer else { continue }
            let bundles = try await reader.bundles(of: package, version, manifest).filter { !counted.contains($0.key) }
            counted.formUnion(bundles.keys)
            let described = population.versions.first { $0.package == package }?.versions.values ?? []
            for base in [nil] + described.compactMap(\.value).map(Optional.some) {
                downloads[package, default: [:]][base] = try await reader.download(
                    of: package, manifest, from: base, bundles)
            }
        }
        self.downloads = downloads
    }
}
