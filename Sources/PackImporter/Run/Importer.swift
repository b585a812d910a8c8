package import Foundation
package import PackFormat
package import PackPublisher
package import PackRegistryAPI

/// Brings the versions of a plan into a registry of any kind, and offers them on their channels in their order.
///
///     let importer = Importer(plan: plan, packages: files, publisher: publisher, judge: judge, registry: registry)
///     let state = try await importer.state()        // judges everything, writes nothing
///     try await importer.publish(state)             // all versions, then all offers
///     try await importer.offer(state)
///
/// An import that was interrupted is continued by the next one: what is there already is left as it is.
package struct Importer {
    /// What is to be done.
    package struct State: Sendable {
        /// By version: whether the registry lacks it.
        package var isNew: [SemanticVersion: Bool] = [:]
        /// Versions that were withdrawn here, which no import brings back.
        package var withdrawn: Set<SemanticVersion> = []
        package var channels: [ChannelProgress] = []
    }

    private let plan: ImportPlan
    private let packages: [SemanticVersion: URL]
    private let publisher: Publisher
    private let judge: Publisher
    private let registry: any Registry

    /// - Parameters:
    ///   - packages: the zips that ``BundleBuilder`` made.
    ///   - judge: looks at the registry before anything is written, and keeps nothing of what it sees.
    package init(
        plan: ImportPlan, packages: [SemanticVersion: URL], publisher: Publisher, judge: Publisher,
        registry: any Registry
    ) {
        self.plan = plan
        self.packages = packages
        self.publisher = publisher
        self.judge = judge
        self.registry = registry
    }

    /// Compares the plan with the registry. What the registry would refuse is refused here.
    /// - Throws: `RegistryError`
    package func state() async throws -> State {
        let overview = try await registry.overview(of: [plan.package])
        var state = State()
        state.withdrawn = Set(
            (overview.versions[plan.package] ?? []).filter { $0.withdrawn != nil }.map(\.version))
        var assumed: [SemanticVersion: AssumedVersion] = [:]
        for version in plan.versions where !state.withdrawn.contains(version.version) {
            let intended = try await intended(version)
            for entry in intended where entry.isNew { assumed[version.version] = AssumedVersion(entry.manifest) }
            state.isNew[version.version] = intended.contains(where: \.isNew)
        }
        for (channel, offers) in plan.offers.sorted(by: { $0.key < $1.key }) {
            let progress = ChannelProgress(
                offers, on: channel, present: overview.channels[channel]?[plan.package] ?? [],
                rollback: overview.rollbacks[channel]?[plan.package], withdrawn: state.withdrawn)
            state.channels.append(progress)
            guard let first = progress.offers.first else { continue }
            if let required = overview.approvals[channel], required > 0 { throw Self.needsApproval(channel, required) }
            do {
                _ = try await registry.preview(
                    change(first), of: plan.package, on: channel,
                    assuming: [assumed[first.version]].compactMap(\.self), counting: false)
            } catch is PreviewsUnknown {
                // An older registry decides when it is asked to.
            }
        }
        return state
    }

    /// - Throws: `RegistryError` that names the zip, if the version is there with other content.
    private func intended(_ version: ImportPlan.Version) async throws -> [Publisher.Intended] {
        do {
            return try await judge.preview(PackageSelection(files(of: version.version)))
        } catch let error as RegistryError where error.kind == .conflict {
            throw RegistryError(.conflict, "\(version.file.path): \(error)")
        }
    }

    /// Publishes all versions, oldest first.
    /// - Parameter report: is told of each before it is sent.
    package func publish(
        _ state: State, report: (ImportPlan.Version) -> Void = { _ in }
    ) async throws -> [Publisher.Published] {
        var published: [Publisher.Published] = []
        for version in plan.versions where !state.withdrawn.contains(version.version) {
            report(version)
            published += try await publisher.publish(PackageSelection(files(of: version.version)), note: version.note)
        }
        return published
    }

    /// Offers what is left of each channel, oldest first.
    package func offer(_ state: State, report: (ChannelName, ImportPlan.Offer) -> Void = { _, _ in }) async throws {
        for progress in state.channels {
            for offer in progress.offers {
                report(progress.channel, offer)
                _ = try await registry.change(change(offer), of: plan.package, on: progress.channel)
            }
        }
    }

    /// In the order of time a lower version may come later: that is what happened.
    private func change(_ offer: ImportPlan.Offer) throws -> ChannelChange {
        try .offer(
            offer.version, Rollout(share: offer.share),
            policy: offer.isMandatory ? ClientPolicy(isMandatory: true) : nil, consent: .older)
    }

    private func files(of version: SemanticVersion) -> [URL] { [packages[version]].compactMap(\.self) }

    private static func needsApproval(_ channel: ChannelName, _ count: Int) -> RegistryError {
        RegistryError(
            .needsApproval,
            "\(channel) requires \(CountText.text(count, "approval")) of each change, and an import makes many: import it to "
                + "another channel with --map, or require none until it is done (packtool channel \(channel) --approvals 0)"
        )
    }
}
