package import Foundation
import PackFormat
package import PackRegistryAPI

/// Reads what a page shows, on behalf of the viewer, and makes the page.
package struct DashboardPages: Sendable {
    private let registry: any Registry
    private let viewer: DashboardViewer
    private let systems: [OtherSystem]
    private let now: Date

    /// - Parameters:
    ///   - registry: on behalf of the viewer.
    ///   - systems: the other systems whose clients the server answers.
    package init(_ registry: any Registry, _ viewer: DashboardViewer, systems: [OtherSystem], now: Date) {
        self.registry = registry
        self.viewer = viewer
        self.systems = systems
        self.now = now
    }

    /// - Throws: ``DashboardFault`` for something that is not there, `RegistryError` for what the viewer may not see and for a
    ///   registry that cannot be read.
    package func page(_ path: DashboardPath) async throws -> DashboardPage {
        switch path {
        case .home(let number): try await home(number)
        case .channel(let channel, let number): try await self.channel(channel, number)
        case .offer(let channel, let package): try await offer(package, channel)
        case .package(let package, let number): try await self.package(package, number)
        case .version(let package, let version): try await self.version(package, version)
        case .changes(let isAll):
            try await ChangesPage(changes: registry.changes(isAll ? .newest : .open), isAll: isAll).page
        case .change(let id): try await ChangePage(change: VerbDesk(registry).change(id), viewer: viewer).page
        case .audit(let number):
            try await AuditPage(
                entries: registry.auditLog(limit: min(AuditPage.maximumCount, (number + 1) * AuditPage.pageSize)),
                number: number
            ).page
        case .tokens: try await TokensPage(tokens: registry.tokens(), now: now).page
        case .device(let id): try await device(id)
        case .verb(let verb): try await VerbDesk(registry).preview(verb).page(viewer)
        case .perform, .signIn, .signOut, .style, .icon: throw DashboardFault.noPage
        }
    }

    private func home(_ number: Int) async throws -> DashboardPage {
        let overview = try await registry.overview()
        let page = HomePage(overview: overview, rollouts: [], number: number)
        var rollouts: [RolloutStatus] = []
        // A package of which everybody has one version has no rollout that goes on.
        for package in page.packages.elements
        where overview.channels.values.contains(where: { $0[package]?.first?.rollout.reachesEveryone == false }) {
            rollouts += try await self.rollouts(of: package)
        }
        return HomePage(overview: overview, rollouts: rollouts, systems: systems, number: number).page
    }

    private func channel(_ channel: ChannelName, _ number: Int) async throws -> DashboardPage {
        guard let file = try await registry.channelFile(channel, at: nil) else {
            throw DashboardFault(.notFound, "Nothing was ever offered on the channel \(channel).")
        }
        return try await ChannelPage(
            channel: channel, offered: file.packages.mapValues(\.releases).filter { !$0.value.isEmpty },
            settings: ChannelSettings(file), stats: stats(StatsQuery(channel: channel)), number: number
        ).page
    }

    private func offer(_ package: PackageID, _ channel: ChannelName) async throws -> DashboardPage {
        let overview = try await registry.overview(of: [])
        guard let releases = overview.channels[channel]?[package] else {
            throw DashboardFault(.notFound, "The channel \(channel) never offered the package \(package).")
        }
        let isGateOff = overview.settings[channel]?.gatesOff.contains(package) ?? false
        return try await OfferPage(
            package: package, channel: channel, releases: releases, isGateOff: isGateOff,
            pages: isGateOff ? OnlinePages(of: package, releases, in: registry) : nil,
            rollout: rollouts(of: package).first { $0.channel == channel },
            stats: stats(StatsQuery(channel: channel, package: package)), viewer: viewer,
            channels: overview.channels.keys.filter { $0 != channel }.sorted()
        ).page
    }

    private func package(_ package: PackageID, _ number: Int) async throws -> DashboardPage {
        let overview = try await registry.overview(of: [package])
        guard let versions = overview.versions[package] else {
            throw DashboardFault(.notFound, "Nothing is published of the package \(package).")
        }
        return PackagePage(
            package: package, versions: versions, channels: overview.channels.compactMapValues { $0[package] },
            number: number
        ).page
    }

    private func version(_ package: PackageID, _ version: SemanticVersion) async throws -> DashboardPage {
        let versions = try await registry.overview(of: [package]).versions[package] ?? []
        guard let index = versions.firstIndex(where: { $0.version == version }) else {
            throw DashboardFault(.notFound, "\(package) \(version) is not published.")
        }
        let earlier = versions.dropFirst(index + 1).first
        var before: (SemanticVersion, Manifest)?
        if let earlier, let manifest = try await manifest(package, earlier) { before = (earlier.version, manifest) }
        return try await VersionPage(
            package: package, version: versions[index], manifest: manifest(package, versions[index]), before: before,
            viewer: viewer
        ).page
    }

    private func manifest(_ package: PackageID, _ version: RegistryOverview.Version) async throws -> Manifest? {
        let path = ViewPath.manifest(package, version.version, version.manifest)
        return try await registry.viewFile(path, maximumByteCount: Manifest.maximumByteCount).map {
            try Manifest(parsing: $0)
        }
    }

    private func device(_ id: ReportID?) async throws -> DashboardPage {
        guard viewer.scope.allows(.observe) else { return DevicePage(id: nil, events: nil).page }
        guard let id else { return DevicePage(id: nil, events: []).page }
        return try await DevicePage(id: id, events: VerbDesk(registry).allowed { try await registry.reports(of: id) })
            .page
    }

    private func stats(_ query: StatsQuery) async throws -> ReportStats? {
        try await VerbDesk(registry).allowed { try await registry.stats(query) }
    }

    /// None for a viewer who may not see them.
    private func rollouts(of package: PackageID) async throws -> [RolloutStatus] {
        try await VerbDesk(registry).allowed { try await registry.rollouts(of: package) } ?? []
    }
}
