import Foundation
import PackFormat
import PackRegistry
import PackRegistryAPI
import PackTrust

/// Reads the facts of a change inside one transaction.
struct FactsReader {
    let db: Database
    let app: String

    private var versions: VersionTable { VersionTable(db: db) }
    private var metadata: MetadataTable { MetadataTable(db: db) }
    private var releases: ReleaseTable { ReleaseTable(db: db) }

    func facts(_ query: FactsQuery) throws -> RegistryFacts {
        var facts = RegistryFacts(app: app)
        if query.signs { try readMetadata(query, into: &facts) }
        facts.documentVersions = try metadata.bytes(of: query.documents)
        for digest in query.channelFiles {
            facts.channelBytes[digest] = try metadata.channelBytes(digest) ?? GroupTable(db: db).bytes(digest)
        }
        if let view = query.view { try readView(view, into: &facts) }
        for digest in query.manifests { facts.manifests[digest] = try versions.manifestBytes(digest) }
        for name in query.versions { facts.versions[name] = try versions.published(name.package, name.version) }
        if let bundle = query.usersOfBundle, let published = try versions.published(bundle.package, bundle.version) {
            facts.usersOfBundle = try versions.users(ofBundle: published.manifest)
        }
        if let histories = query.histories { try readHistories(histories, into: &facts) }
        if let channel = query.channel {
            if let time = channel.time {
                facts.channelFiles[channel.channel] = try pastFile(channel.channel, at: time)
            } else {
                facts.channelFiles[channel.channel] = try channelFile(channel.channel)
            }
        }
        if let companions = query.companions { try readCompanions(companions, into: &facts) }
        if let channel = query.channelFile {
            facts.channelFiles[channel] = try channelFile(channel)
            facts.channelNames = try releases.channels()
        }
        if let rollouts = query.rollouts {
            facts.rollouts = try RolloutTable(db: db).planned(rollouts.widened(by: query.companions, facts))
        }
        if query.openRollouts { facts.openRollouts = try RolloutTable(db: db).open() }
        if let names = query.names { try readNames(names, into: &facts) }
        facts.missingObjects = try ObjectTable(db: db).missing(among: query.objects)
        if !query.removals.isEmpty { facts.objectsToRemove = try RemovalTable(db: db).objects(among: query.removals) }
        switch query.tokens {
        case .all: facts.tokens = try TokenTable(db: db).all()
        case .trusts: facts.tokens = try TokenTable(db: db).trusts()
        case .hash(let hash): facts.tokens = try TokenTable(db: db).tokens(hash: hash)
        case nil: break
        }
        if let version = query.provenance { facts.provenance = try versions.provenance(of: version) }
        if let approvals = query.approvals {
            facts.approvalEvents = try ApprovalTable(db: db).events(approvals)
            facts.nextChange = try ApprovalTable(db: db).nextChange()
        }
        if query.signs || query.approvals != nil { facts.requiredApprovals = try ApprovalTable(db: db).required() }
        if let audit = query.audit { facts.audit = try AuditTable(db: db).newest(audit) }
        return facts
    }

    private func readMetadata(_ query: FactsQuery, into facts: inout RegistryFacts) throws {
        facts.base = try metadata.base()
        for stored in try metadata.newestVersions() { facts.roleVersions[stored.role] = stored.version }
        let always = TopLevelRole.allCases.map(\.rawValue) + [ViewLayout.channelsRole]
        let newest = query.roles.union(always).compactMap { role in
            facts.roleVersions[role].map { DocumentID(role: role, version: $0) }
        }
        for (id, bytes) in try metadata.bytes(of: Set(newest)) { facts.documents[id.role] = bytes }
    }

    private func readView(_ view: FactsQuery.View, into facts: inout RegistryFacts) throws {
        facts.base = try metadata.base()
        let timestamp = TopLevelRole.timestamp.rawValue
        facts.documents[timestamp] = try metadata.newestBytes(timestamp)
        facts.oldestManifest = try versions.oldestManifest()
        guard view == .everything else { return }
        facts.keptDocuments = try metadata.all()
        facts.keptChannelFiles = Set(try metadata.channelDigests() + GroupTable(db: db).digests())
        facts.publishedManifests = try versions.allManifests()
    }

    private func readHistories(_ query: FactsQuery.Histories, into facts: inout RegistryFacts) throws {
        let channels = try query.channels ?? Set(releases.channels(of: query.package))
        for channel in channels {
            facts.histories[channel] = try releases.history(of: query.package, on: channel)
            guard query.files?.contains(channel) ?? true else { continue }
            facts.channelFiles[channel] = try channelFile(channel)
        }
        facts.nextRelease = try releases.nextNumber()
    }

    private func readCompanions(_ query: FactsQuery.Companions, into facts: inout RegistryFacts) throws {
        let channels = try query.channels ?? Set(query.packages.flatMap { try releases.channels(of: $0) })
        let promoted = try query.source.map { try releases.companions(of: query.packages, on: $0) } ?? []
        for channel in channels {
            for package in try releases.companions(
                of: query.packages.union(promoted), on: channel, isTied: query.isTied)
            {
                facts.companions[channel, default: [:]][package] =
                    try facts.histories[channel].flatMap { query.packages == [package] ? $0 : nil }
                    ?? releases.history(of: package, on: channel)
            }
            if facts.channelFiles[channel] == nil { facts.channelFiles[channel] = try channelFile(channel) }
        }
        facts.nextRelease = try releases.nextNumber()
        facts.channelNames = try releases.channels()
        guard query.hasVersions else { return }
        for package in query.packages {
            for version in try versions.published(package) {
                facts.versions[VersionName(version.package, version.version)] = version
            }
        }
    }

    /// From the releases if there is no file; nil for a channel that never offered anything.
    private func channelFile(_ channel: ChannelName) throws -> ChannelFile? {
        if let file = try metadata.channelFile(channel) { return file }
        let histories = try releases.histories(on: channel)
        guard !histories.isEmpty else { return nil }
        return ChannelFile(
            app: app, channel: channel,
            packages: histories.mapValues {
                ChannelFile.Package(releases: $0.offered, skippedMandatory: $0.skippedMandatory)
            })
    }

    /// What a channel offered at a moment; nil if nothing had been offered on it by then.
    private func pastFile(_ channel: ChannelName, at time: Date) throws -> ChannelFile? {
        let histories = try releases.histories(on: channel, at: time)
        guard !histories.isEmpty else { return nil }
        return ChannelFile(
            app: app, channel: channel,
            packages: histories.mapValues {
                ChannelFile.Package(releases: $0.offered, skippedMandatory: $0.skippedMandatory)
            })
    }

    private func readNames(_ query: FactsQuery.Names, into facts: inout RegistryFacts) throws {
        facts.channelNames = try releases.channels()
        facts.packageNames = try releases.packages(on: query.packagesOn)
        let published = try versions.published(query.versionsOf)
        for version in published { facts.versions[VersionName(version.package, version.version)] = version }
        facts.versionNames = published.reversed().map(\.version)
    }
}
