import Foundation
import PackFormat
import PackTrust
import Synchronization

@testable import PackRegistry
@testable import PackRegistryAPI

/// The twin of the real stores: a registry's rows in memory.
final class MemoryRegistryStore: RegistryStore {
    struct Version: Hashable {
        var name: VersionName
        var manifest: Digest
        var published: Date
        var publishedBy: String
        var withdrawn: String?
        /// When its files were removed, by whoever removes them: no change does.
        var pruned: Date?
        var note = VersionNote.none
    }

    struct State {
        var documents: [String: [Int: [UInt8]]] = [:]
        var channelFiles: [ChannelName: ChannelFile] = [:]
        var channelDocuments: Set<ChangeSet.ChannelDocument> = []
        var groups: [Digest: [UInt8]] = [:]
        var manifests: [Digest: SealedManifest] = [:]
        var objects: Set<Object> = []
        var versions: [Version] = []
        var histories: [ChannelName: [PackageID: ReleaseHistory]] = [:]
        var releaseCount = 0
        /// Every history that a channel ever had, oldest first.
        var past: [(time: Date, channel: ChannelName, package: PackageID, history: ReleaseHistory)] = []
        var events: [(release: String, event: RolloutEvent)] = []
        var tokens: [RegistryFacts.Token] = []
        var approvals: [ApprovalEvent] = []
        var audit: [AuditEntry] = []
        var work: Set<PackageID> = []
        var leases: [Lease.Name: HeldLease] = [:]
        var webhooks: [KeptWebhook] = []
        /// The oldest first.
        var deliveries: [KeptDelivery] = []
        var toldExpiries: Set<String> = []

        func newestVersion(_ role: String) -> Int? { documents[role]?.keys.max() }

        var base: RegistryFacts.Base {
            RegistryFacts.Base(
                root: newestVersion(TopLevelRole.root.rawValue) ?? 0,
                timestamp: newestVersion(TopLevelRole.timestamp.rawValue) ?? 0, event: events.count,
                approval: approvals.count)
        }

        /// How many approvals each channel requires.
        var required: [ChannelName: Int] {
            approvals.reduce(into: [:]) { required, event in
                if case .require(let count) = event.kind { required[event.channel] = count }
            }
        }

        func reason(ofRemoving release: String) -> String {
            for entry in events.reversed() where entry.release == release {
                if case .remove(let reason) = entry.event.kind { return reason }
            }
            return ""
        }

        mutating func note(_ release: String, _ kind: RolloutEvent.Kind, _ actor: Identity, _ now: Date) {
            events.append((release, RolloutEvent(kind, time: now, actor: actor.name)))
        }

        func read(_ view: FactsQuery.View, into facts: inout RegistryFacts) {
            let timestamp = TopLevelRole.timestamp.rawValue
            facts.base = base
            facts.documents[timestamp] = newestVersion(timestamp).flatMap { documents[timestamp]?[$0] }
            let manifests = versions.map { ViewPath.manifest($0.name.package, $0.name.version, $0.manifest) }
            facts.oldestManifest = manifests.first
            guard view == .everything else { return }
            facts.publishedManifests = manifests
            facts.keptChannelFiles = Set(channelDocuments.map { Digest(of: $0.bytes) }).union(groups.keys)
            facts.keptDocuments = documents.keys.flatMap { role in
                MetadataLifetime.keptVersions(of: role, newest: newestVersion(role) ?? 0)
                    .map { DocumentID(role: role, version: $0) }
            }
        }

        func published(_ version: Version) -> PublishedVersion {
            let manifest = manifests[version.manifest]?.manifest
            return PublishedVersion(
                package: version.name.package, version: version.name.version, manifest: version.manifest,
                hasEntry: manifest?.entry != nil, requiredApp: manifest?.requiredApp, withdrawn: version.withdrawn,
                state: manifest?.state, pruned: version.pruned)
        }
    }

    let app: String
    let clock: @Sendable () -> Date
    private let protected = Mutex(State())

    init(app: String, clock: @escaping @Sendable () -> Date) {
        self.app = app
        self.clock = clock
    }

    var state: State { protected.withLock { $0 } }

    func withState<Value: Sendable>(_ body: (inout State) throws -> Value) rethrows -> Value {
        try protected.withLock { try body(&$0) }
    }

    func facts(_ query: FactsQuery) async throws -> RegistryFacts {
        let state = state
        var facts = RegistryFacts(app: app)
        if query.signs {
            facts.base = state.base
            for role in state.documents.keys { facts.roleVersions[role] = state.newestVersion(role) }
            let always = TopLevelRole.allCases.map(\.rawValue) + [ViewLayout.channelsRole]
            for role in query.roles.union(always) {
                facts.documents[role] = state.newestVersion(role).flatMap { state.documents[role]?[$0] }
            }
        }
        for id in query.documents { facts.documentVersions[id] = state.documents[id.role]?[id.version] }
        for digest in query.channelFiles { facts.channelBytes[digest] = state.groups[digest] }
        for document in state.channelDocuments where query.channelFiles.contains(Digest(of: document.bytes)) {
            facts.channelBytes[Digest(of: document.bytes)] = document.bytes
        }
        if let view = query.view { state.read(view, into: &facts) }
        for digest in query.manifests { facts.manifests[digest] = state.manifests[digest]?.bytes }
        for version in state.versions where query.versions.contains(version.name) {
            facts.versions[version.name] = state.published(version)
        }
        if let bundle = state.versions.first(where: { $0.name == query.usersOfBundle }) {
            facts.usersOfBundle = state.versions.filter { version in
                version.withdrawn == nil
                    && state.manifests[version.manifest]?.manifest.shared.values.contains {
                        $0.manifest == bundle.manifest
                    } == true
            }.map { "\($0.name.package) \($0.name.version)" }.sorted()
        }
        if let histories = query.histories {
            let having = state.histories.filter { $0.value[histories.package] != nil }.keys
            for channel in histories.channels ?? Set(having) {
                facts.histories[channel] = state.histories[channel]?[histories.package] ?? ReleaseHistory()
                guard histories.files?.contains(channel) ?? true else { continue }
                facts.channelFiles[channel] = state.channelFiles[channel]
            }
            facts.nextRelease = state.releaseCount + 1
        }
        if let channel = query.channel {
            if let time = channel.time {
                var packages: [PackageID: ChannelFile.Package] = [:]
                for entry in state.past where entry.channel == channel.channel && entry.time <= time {
                    packages[entry.package] = ChannelFile.Package(releases: entry.history.offered)
                }
                facts.channelFiles[channel.channel] =
                    packages.isEmpty ? nil : ChannelFile(app: app, channel: channel.channel, packages: packages)
            } else {
                facts.channelFiles[channel.channel] = state.channelFiles[channel.channel]
            }
        }
        if let companions = query.companions {
            let having = state.histories.filter { !companions.packages.isDisjoint(with: $0.value.keys) }.keys
            for channel in companions.channels ?? Set(having) {
                let histories = state.histories[channel] ?? [:]
                let promoted = companions.source.map {
                    Self.companions(of: companions.packages, state.histories[$0] ?? [:])
                }
                let named = companions.packages.union(promoted ?? [])
                for package in named { facts.companions[channel, default: [:]][package] = ReleaseHistory() }
                for package in Self.companions(of: named, histories, isTied: companions.isTied) {
                    facts.companions[channel, default: [:]][package] = histories[package] ?? ReleaseHistory()
                }
                facts.channelFiles[channel] = state.channelFiles[channel]
            }
            facts.nextRelease = state.releaseCount + 1
            facts.channelNames = state.histories.keys.sorted()
            for version in state.versions where companions.hasVersions {
                guard companions.packages.contains(version.name.package) else { continue }
                facts.versions[version.name] = state.published(version)
            }
        }
        if let channel = query.channelFile {
            facts.channelFiles[channel] = state.channelFiles[channel]
            facts.channelNames = state.histories.keys.sorted()
        }
        if let names = query.names {
            facts.channelNames = state.histories.keys.sorted()
            facts.packageNames = state.histories[names.packagesOn]?.keys.sorted() ?? []
            for version in state.versions where version.name.package == names.versionsOf {
                facts.versions[version.name] = state.published(version)
                facts.versionNames.insert(version.name.version, at: 0)
            }
        }
        if let rollouts = query.rollouts {
            let all = Set(state.histories.values.flatMap(\.keys)).sorted()
            let rollouts = rollouts.widened(by: query.companions, facts)
            facts.rollouts = (rollouts.packages.map { $0.sorted() } ?? all).flatMap {
                state.planned($0, at: rollouts.time)
            }
            .filter { rollouts.channel == nil || $0.channel == rollouts.channel }
            .filter { planned in
                guard rollouts.isOpen else { return true }
                let entry = state.histories[planned.channel]?[planned.package]?.entries.first {
                    $0.release.id == planned.release
                }
                return entry?.isRemoved == false && RolloutState(planned.events)?.state != .completed
            }
        }
        if query.openRollouts {
            for package in Set(state.histories.values.flatMap(\.keys)).sorted() {
                let open = state.planned(package).filter {
                    ![.completed, .rolledBack].contains(RolloutState($0.events)?.state)
                }
                facts.openRollouts += Set(open.map(\.channel)).map {
                    RegistryFacts.OpenRollout(package: package, channel: $0)
                }
            }
        }
        facts.missingObjects = Set(query.objects.filter { !state.objects.contains($0) }.map(\.digest))
        switch query.tokens {
        case .all: facts.tokens = state.tokens.sorted { $0.record.created > $1.record.created }
        case .trusts:
            facts.tokens = state.tokens.filter { $0.record.trust != nil }.sorted {
                $0.record.created > $1.record.created
            }
        case .hash(let hash):
            facts.tokens = state.tokens.filter { $0.hash == hash }
            let parent = facts.tokens.first?.record.parent
            facts.tokens += state.tokens.filter { $0.record.id == parent }
        case nil: break
        }
        if let version = query.provenance {
            facts.provenance = state.versions.first { $0.name == version }?.note.provenance
        }
        if let approvals = query.approvals { facts.read(approvals, from: state.approvals) }
        if query.signs || query.approvals != nil {
            facts.requiredApprovals = state.required
        }
        if let audit = query.audit {
            facts.audit = Array(state.audit.reversed().filter(audit.matches).prefix(audit.limit))
        }
        return facts
    }

    /// The packages, and those that were ever in a set with one of them.
    /// - Parameter isTied: also those that are tied to one of these by sets that are not taken back.
    private static func companions(
        of packages: Set<PackageID>, _ histories: [PackageID: ReleaseHistory], isTied: Bool = false
    ) -> Set<PackageID> {
        func sets(of package: PackageID, isPresent: Bool) -> Set<String> {
            Set((histories[package]?.entries ?? []).filter { !isPresent || !$0.isRemoved }.compactMap(\.release.set))
        }
        func neighbours(of packages: Set<PackageID>, isPresent: Bool) -> Set<PackageID> {
            let own = Set(packages.flatMap { sets(of: $0, isPresent: isPresent) })
            return Set(histories.keys.filter { !sets(of: $0, isPresent: isPresent).isDisjoint(with: own) })
        }
        var all = packages.union(neighbours(of: packages, isPresent: false))
        while isTied {
            let more = all.union(neighbours(of: all, isPresent: true))
            guard more.count > all.count else { return all }
            all = more
        }
        return all
    }

    func commit(_ changes: ChangeSet, basedOn base: RegistryFacts.Base?) async throws {
        try protected.withLock { protected in
            var state = protected
            if let lease = changes.lease { try state.require(lease, now: clock()) }
            if let base, base != state.base { throw StaleFacts() }
            try Self.apply(changes, to: &state)
            protected = state
        }
    }

    func overview(of packages: Set<PackageID>?) async throws -> RegistryOverview {
        let state = state
        var versions: [PackageID: [RegistryOverview.Version]] = [:]
        for version in state.versions.reversed() where packages?.contains(version.name.package) ?? true {
            guard let manifest = state.manifests[version.manifest]?.manifest else { continue }
            versions[version.name.package, default: []].append(
                RegistryOverview.Version(
                    version: version.name.version, manifest: version.manifest, published: version.published,
                    publishedBy: version.publishedBy, fileCount: manifest.files.count,
                    size: manifest.ownObjects.reduce(0) { $0 + $1.size }, fullSize: nil, archiveSize: nil,
                    withdrawn: version.withdrawn, pruned: version.pruned, note: version.note))
        }
        return RegistryOverview(
            app: app, versions: versions, channels: state.histories.mapValues { $0.mapValues(\.offered) },
            earlier: state.histories.mapValues { $0.compactMapValues(\.hidden) },
            settings: state.channelFiles.mapValues { ChannelSettings($0) }.filter { !$0.value.isEmpty },
            approvals: state.required.filter { $0.value > 0 },
            rollbacks: state.histories.mapValues { packages in
                packages.compactMapValues { history in
                    history.wayBack.map { left, way in
                        RegistryOverview.Rollback(
                            from: left.release.version, to: way.release.version, by: way.createdBy, time: way.created,
                            reason: state.reason(ofRemoving: left.release.id))
                    }
                }
            })
    }

    private struct Impossible: Error {}

    private static func apply(_ changes: ChangeSet, to state: inout State) throws {
        let (actor, now) = (changes.actor, changes.time)
        guard state.objects.isSuperset(of: changes.presumed) else { throw StaleFacts() }
        for name in changes.restorations {
            for index in state.versions.indices where state.versions[index].name == name {
                state.versions[index].pruned = nil
            }
        }
        for upload in changes.uploads {
            state.objects.formUnion(upload.manifest.ownObjects)
            state.manifests[upload.digest] = state.manifests[upload.digest] ?? upload
        }
        for publication in changes.publications {
            guard state.manifests[publication.manifest] != nil,
                !state.versions.contains(where: { $0.name == publication.version })
            else { throw Impossible() }
            state.versions.append(
                Version(
                    name: publication.version, manifest: publication.manifest, published: now, publishedBy: actor.name,
                    note: publication.note))
        }
        for withdrawal in changes.withdrawals {
            for index in state.versions.indices where state.versions[index].name == withdrawal.version {
                state.versions[index].withdrawn = withdrawal.reason
            }
        }
        for releases in changes.releases {
            let history = state.histories[releases.channel]?[releases.package] ?? ReleaseHistory()
            state.histories[releases.channel, default: [:]][releases.package] = history.applying(
                releases.steps, by: actor.name, now: now
            ) { offer in
                guard case .version(_, let digest) = offer else { return nil }
                return state.manifests[digest]?.manifest.state
            }
            if let changed = state.histories[releases.channel]?[releases.package] {
                state.past.append((now, releases.channel, releases.package, changed))
            }
            for step in releases.steps {
                switch step {
                case .add(let release):
                    state.releaseCount += 1
                    state.note(release.id, .share(release.rollout.share), actor, now)
                case .update(let release): state.note(release.id, .share(release.rollout.share), actor, now)
                case .remove(let id): state.note(id, .remove(reason: changes.reason), actor, now)
                }
            }
        }
        for note in changes.rolloutNotes { state.note(note.release, note.kind, actor, now) }
        for document in changes.documents {
            guard state.documents[document.role]?[document.version] == nil else { throw Impossible() }
            state.documents[document.role, default: [:]][document.version] = document.bytes
        }
        state.channelDocuments.formUnion(changes.channelDocuments)
        for document in changes.groups {
            if let bytes = document.bytes { state.groups[Digest(of: bytes)] = bytes }
        }
        for file in changes.channelFiles { state.channelFiles[file.channel] = file }
        for step in changes.tokens {
            switch step {
            case .create(let token):
                let parent = token.record.parent
                guard !state.tokens.contains(where: { $0.record.id == token.record.id }),
                    parent == nil
                        || state.tokens.contains(where: { $0.record.id == parent && $0.record.revoked == nil })
                else { throw StaleFacts() }
                state.tokens.append(token)
            case .forget(let id): state.tokens.removeAll { $0.record.id == id && $0.record.parent != nil }
            case .revoke(let id):
                let index = state.tokens.firstIndex { $0.record.id == id && $0.record.revoked == nil }
                guard let index else { throw StaleFacts() }
                state.tokens[index] = RegistryFacts.Token(
                    record: state.tokens[index].record.revoked(at: now), hash: state.tokens[index].hash)
            }
        }
        state.approvals += changes.approvalEvents
        for line in changes.audit {
            state.audit.append(
                AuditEntry(
                    time: now, actor: actor.name, action: line.action, subject: line.subject, detail: line.detail))
        }
        state.work.formUnion(changes.work)
    }
}
