import Foundation
import GRDB
import PackFormat
import PackTrust

/// Signs the online roles inside one transaction: channel files, snapshot, timestamp.
///
///     let signer = try MetadataSigner(db, keys: keys, app: app, now: now)
///     try signer.signChannels()       // after a release changed
///     try signer.seal()               // always last: snapshot and timestamp of all that is new
struct MetadataSigner {
    let table: MetadataTable
    let releases: ReleaseTable
    let keys: OnlineKeys
    let app: String
    let now: Date

    init(_ db: Database, keys: OnlineKeys, app: String, now: Date) {
        table = MetadataTable(db: db)
        releases = ReleaseTable(db: db)
        self.keys = keys
        self.app = app
        self.now = now
    }

    /// Writes and signs the channel files anew, if they or their signature's life differ.
    func signChannels(onlyIfDue: Bool = false) throws {
        let current: SignedDocument<TargetsMetadata>? = try table.newest(ViewLayout.channelsRole)
        if onlyIfDue, let current, !isDue(current.body.expires, MetadataLifetime.channels) { return }
        var role = TargetsMetadata(
            version: (current?.body.version ?? 0) + 1, expires: now.addingTimeInterval(MetadataLifetime.channels))
        for channel in try releases.channels() {
            let packages = try releases.histories(on: channel).mapValues {
                ChannelFile.Package(releases: $0.offered)
            }
            let file = ChannelFile(app: app, channel: channel, packages: packages)
            role.targets[ViewLayout.channelTarget(channel)] = try table.putChannel(file)
        }
        let targets: SignedDocument<TargetsMetadata> = try table.required(TopLevelRole.targets.rawValue)
        guard let authority = targets.body.authority(for: ViewLayout.channelsRole) else {
            throw RegistryError(
                .unusable,
                "targets does not delegate the role \(ViewLayout.channelsRole), so this registry cannot "
                    + "release anything: the app's owner has to (packtool keys delegate)")
        }
        try table.put(keys.sign(role, for: authority), as: ViewLayout.channelsRole)
    }

    /// Signs a snapshot and a timestamp of the metadata as it is now, if they differ or are due.
    func seal() throws {
        let root: SignedDocument<RootMetadata> = try table.required(TopLevelRole.root.rawValue)
        let snapshot = try sealSnapshot(root.body)
        let current: SignedDocument<TimestampMetadata>? = try table.newest(TopLevelRole.timestamp.rawValue)
        let authority = root.body.authority(for: .timestamp)
        if let current, current.body.snapshot == snapshot.metaFile, (try? current.verify(by: authority)) != nil,
            !isDue(current.body.expires, MetadataLifetime.timestamp)
        {
            return
        }
        let timestamp = TimestampMetadata(
            version: (current?.body.version ?? 0) + 1, expires: now.addingTimeInterval(MetadataLifetime.timestamp),
            snapshot: snapshot.metaFile)
        try table.put(keys.sign(timestamp, for: authority), as: TopLevelRole.timestamp.rawValue)
    }

    private func sealSnapshot(_ root: RootMetadata) throws -> SignedDocument<SnapshotMetadata> {
        let online = [TopLevelRole.root, .snapshot, .timestamp].map(\.rawValue)
        var versions: NameTable<MetaFile> = [:]
        for role in try table.newestVersions() where !online.contains(role.role) {
            // The version alone: lengths and hashes would make up most of a large app's snapshot, and each file is
            // signed by its own role.
            versions[role.role] = MetaFile(version: role.version)
        }
        let current: SignedDocument<SnapshotMetadata>? = try table.newest(TopLevelRole.snapshot.rawValue)
        let body = SnapshotMetadata(
            version: (current?.body.version ?? 0) + 1, expires: now.addingTimeInterval(MetadataLifetime.snapshot),
            roles: versions)
        let authority = root.authority(for: .snapshot)
        if let current, current.body.files == body.files, (try? current.verify(by: authority)) != nil,
            !isDue(current.body.expires, MetadataLifetime.snapshot)
        {
            return current
        }
        let signed = try keys.sign(body, for: authority)
        try table.put(signed, as: TopLevelRole.snapshot.rawValue)
        return signed
    }

    private func isDue(_ expires: Date, _ lifetime: TimeInterval) -> Bool {
        expires.timeIntervalSince(now) < lifetime * MetadataLifetime.renewedBelow
    }
}
