import Foundation
import GRDB
package import PackFormat
import PackRegistry
package import PackRegistryAPI
import PackTrust

extension ActingRegistry {
    package func change(
        _ change: ChannelChange, of package: PackageID, on channel: ChannelName
    ) async throws -> ChannelOutcome {
        try identity.require(.release, package: package, channel: channel)
        return try await BlockingWork.run { [local, identity] in
            try local.commit(as: identity) { db, signer, audit in
                let releases = ReleaseTable(db: db)
                let facts = try ReleaseFacts(change, of: package, on: channel, in: db)
                let history = facts.history
                let steps = try ReleaseRule(facts).steps(for: change)
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

extension ReleaseFacts {
    /// Reads them inside one transaction.
    fileprivate init(
        _ change: ChannelChange, of package: PackageID, on channel: ChannelName, in db: Database
    ) throws {
        let releases = ReleaseTable(db: db)
        let versions = VersionTable(db: db)
        var sourceName: ChannelName?
        if case .promote(_, let from, _, _) = change { sourceName = from }
        let source = try sourceName.map { try releases.history(of: package, on: $0) }
        let named = ReleaseRule.version(named: change, source: source)
        let version = try named.flatMap { try versions.published(package, $0) }
        try self.init(
            package: package, channel: channel, history: releases.history(of: package, on: channel), source: source,
            version: version, newID: releases.newID())
        // An offer may be a channel's first, and looks into none.
        if case .offer = change {
        } else if (source ?? history).entries.isEmpty {
            channels = try releases.channels()
            packages = try releases.histories(on: sourceName ?? channel).keys.sorted()
        }
        if named != nil, version == nil { self.versions = try versions.published(package).reversed().map(\.version) }
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
