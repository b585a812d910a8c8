import Foundation
import GRDB
package import PackFormat
import PackTrust
import PackRegistry
package import PackRegistryAPI

extension ActingRegistry {
    package func change(
        _ change: ChannelChange, of package: PackageID, on channel: ChannelName
    ) async throws -> ChannelOutcome {
        try identity.require(.release, package: package, channel: channel)
        return try await BlockingWork.run { [local, identity] in
            try local.commit(as: identity) { db, signer, audit in
                let releases = ReleaseTable(db: db)
                let history = try releases.history(of: package, on: channel)
                let steps = try ReleaseChange(db: db, package: package, channel: channel, history: history)
                    .steps(for: change)
                let isNewChannel = try !releases.exists(channel)
                guard !steps.isEmpty else { return ChannelOutcome(isChanged: false, releases: history.offered) }
                try releases.apply(steps, of: package, on: channel, by: identity, now: signer.now)
                let offered = history.applying(steps, by: identity.name, now: signer.now).offered
                try audit.append(
                    change.auditName, "\(package) on \(channel)", offered.first?.auditText ?? "nothing", by: identity,
                    now: signer.now)
                try WorkTable(db: db).add(package)
                try signer.signChannels([channel], changing: package)
                try signer.seal()
                return ChannelOutcome(isChanged: true, isNewChannel: isNewChannel, releases: offered)
            }
        }
    }
}

/// What a channel change means for a package's releases.
struct ReleaseChange {
    let db: Database
    let package: PackageID
    let channel: ChannelName
    let history: ReleaseHistory

    func steps(for change: ChannelChange) throws -> [ReleaseHistory.Step] {
        let releases = ReleaseTable(db: db)
        switch change {
        case .offer(let version, let rollout, let consent):
            return try offering(installable(version), rollout, consent)
        case .promote(let version, let source, let rollout, let consent):
            return try offering(installable(promoted(version, from: source)), rollout, consent)
        case .percent(let rollout, let version):
            return try history.setting(rollout, of: subject(version))
        case .retry(let version): return try history.retrying(subject(version))
        case .rollBackToEmbedded:
            try checkNames()
            return try history.rollingBack(to: .embedded, requiredApp: nil, id: releases.newID())
        case .rollBack(let version?):
            try checkNames()
            let published = try installable(version)
            return try history.rollingBack(
                to: offer(published), requiredApp: published.requiredApp, id: releases.newID())
        case .rollBack(nil):
            try checkNames()
            guard let earlier = history.earlier else {
                throw RegistryError(
                    .notFound,
                    "\(channel) offered nothing else of \(package) to everyone before: roll back with --to VERSION, or "
                        + "--to embedded for what the app was shipped with")
            }
            return try history.rollingBack(
                to: earlier.offer, requiredApp: earlier.requiredApp, id: releases.newID())
        }
    }

    private func offering(
        _ published: VersionTable.Published, _ rollout: Rollout?, _ consent: OfferConsent
    ) throws -> [ReleaseHistory.Step] {
        let offer = offer(published)
        if !consent.contains(.again), let rollback = history.rollback(over: offer) {
            let back = rollback.to == .embedded ? "what the app embeds" : ReleaseHistory.name(rollback.to)
            throw RegistryError(
                .conflict,
                "\(channel) was rolled back from \(package) \(published.version) to \(back) by \(rollback.by) at "
                    + "\(WireTime.text(rollback.at)): offering it once more would undo that. Publish a new version, or give "
                    + "--again")
        }
        let older = OlderOffer(of: published.version, requiredApp: published.requiredApp, among: history.offered)
        if !consent.contains(.older), let older {
            throw RegistryError(
                .conflict,
                "\(channel) offers \(package) \(ReleaseHistory.list(history.offered)), and \(published.version) is older than "
                    + "\(older.newer): offering it would take devices back. Publish a higher version, or give --yes")
        }
        return try history.offering(
            offer, rollout, requiredApp: published.requiredApp, id: ReleaseTable(db: db).newID())
    }

    private func subject(_ version: SemanticVersion?) throws -> Release {
        try checkNames()
        return try history.subject(version, of: package, on: channel)
    }

    /// A misspelt name is told from a channel that is empty.
    private func checkNames() throws {
        guard history.entries.isEmpty else { return }
        let channels = try ReleaseTable(db: db).channels()
        guard channels.contains(channel) else {
            throw RegistryError(.notFound, "there is no channel \(channel) (there is: \(Self.list(channels)))")
        }
        let packages = try ReleaseTable(db: db).histories(on: channel).keys.sorted()
        throw RegistryError(
            .notFound, "\(channel) never offered anything of \(package) (it has: \(Self.list(packages)))")
    }

    private static func list(_ names: [some CustomStringConvertible]) -> String {
        guard !names.isEmpty else { return "none yet" }
        let shown = names.prefix(50).map(\.description).joined(separator: ", ")
        return names.count > 50 ? "\(shown), and \(names.count - 50) more" : shown
    }

    private func promoted(_ version: SemanticVersion?, from source: ChannelName) throws -> SemanticVersion {
        guard source != channel else {
            throw RegistryError(.invalid, "a version is promoted from one channel to another, not to the same")
        }
        let history = try ReleaseTable(db: db).history(of: package, on: source)
        if let version {
            guard history.entries.contains(where: { !$0.isRemoved && $0.release.version == version }) else {
                throw RegistryError(
                    .notFound, "\(package) \(version) is not offered on \(source), so it cannot be promoted from there")
            }
            return version
        }
        guard !history.entries.isEmpty else {
            let channels = try ReleaseTable(db: db).channels()
            guard channels.contains(source) else {
                throw RegistryError(.notFound, "there is no channel \(source) (there is: \(Self.list(channels)))")
            }
            let packages = try ReleaseTable(db: db).histories(on: source).keys.sorted()
            throw RegistryError(
                .notFound,
                "\(source) offers nothing of \(package), and never did (it has: \(Self.list(packages)))")
        }
        guard let newest = history.newestFull else {
            throw RegistryError(
                .notFound,
                "\(source) offers no version of \(package) to everyone yet (it offers \(ReleaseHistory.list(history.offered))): "
                    + "complete its rollout first, or name the version (\(package)@VERSION)")
        }
        if let partial = history.offered.first, partial.id != newest.id {
            let names = [partial.version, newest.version].compactMap(\.self).map { "\(package)@\($0)" }
            throw RegistryError(
                .conflict,
                "\(source) offers \(package) \(ReleaseHistory.list(history.offered)): say which is meant, "
                    + names.joined(separator: " or "))
        }
        guard let version = newest.version else {
            throw RegistryError(.invalid, "\(source) offers what the app embeds, which cannot be promoted")
        }
        return version
    }

    /// A version that devices can be offered.
    private func installable(_ version: SemanticVersion) throws -> VersionTable.Published {
        guard let published = try VersionTable(db: db).published(package, version) else {
            let versions = try VersionTable(db: db).published(package).reversed().map(\.version)
            throw RegistryError(
                .notFound,
                "\(package) \(version) is not published in this registry (there is: \(Self.list(versions)))")
        }
        if let reason = published.withdrawn {
            throw RegistryError(.conflict, "\(package) \(version) was withdrawn (\(reason)) and cannot be offered")
        }
        guard published.hasEntry else {
            throw RegistryError(
                .invalid, "\(package) is a shared bundle: it comes with the packages that use it and is not released")
        }
        return published
    }

    private func offer(_ published: VersionTable.Published) -> Release.Offer {
        .version(published.version, manifest: published.manifest)
    }
}

extension ChannelChange {
    /// The word in the audit log.
    var auditName: String {
        switch self {
        case .offer: "release"
        case .promote: "promote"
        case .percent: "rollout"
        case .rollBack, .rollBackToEmbedded: "rollback"
        case .retry: "retry"
        }
    }
}

extension Release {
    var auditText: String {
        "\(version?.description ?? "embedded") at \(rollout.percent) % (release \(id)\(retry == 0 ? "" : ", retry \(retry)"))"
    }
}
