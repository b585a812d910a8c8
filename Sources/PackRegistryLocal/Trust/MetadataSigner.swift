import Foundation
import GRDB
import PackFormat
import PackRegistry
import PackRegistryAPI
import PackTrust

/// Signs the online roles inside one transaction: channel files, snapshot, timestamp.
///
///     let signer = try MetadataSigner(db, keys: keys, app: app, now: now)
///     try signer.signChannels([stable], changing: package)    // after a release changed
///     try signer.seal()                                       // always last: snapshot and timestamp of all that is new
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

    /// Writes and signs all channel files anew.
    func signChannels(onlyIfDue: Bool = false) throws {
        let current: SignedDocument<TargetsMetadata>? = try table.newest(ViewLayout.channelsRole)
        if onlyIfDue, let current, !isDue(current.body.expires, MetadataLifetime.channels) { return }
        try sign(files: releases.channels().map { try channelFile($0) }, over: current)
    }

    /// Signs the channels on which one package's releases changed. The other packages stand as they are in the newest
    /// files: to read their releases again would cost as much as the whole registry.
    func signChannels(_ channels: [ChannelName], changing package: PackageID) throws {
        let current: SignedDocument<TargetsMetadata>? = try table.newest(ViewLayout.channelsRole)
        try sign(files: channels.map { try channelFile($0, changing: package, in: current) }, over: current)
    }

    private func sign(files: [ChannelFile], over current: SignedDocument<TargetsMetadata>?) throws {
        var role = TargetsMetadata(
            version: (current?.body.version ?? 0) + 1, expires: now.addingTimeInterval(MetadataLifetime.channels))
        role.targets = current?.body.targets ?? [:]
        for file in files { role.targets[ViewLayout.channelTarget(file.channel)] = try table.putChannel(file) }
        let targets: SignedDocument<TargetsMetadata> = try table.required(TopLevelRole.targets.rawValue)
        guard let authority = targets.body.authority(for: ViewLayout.channelsRole) else {
            throw RegistryError(
                .unusable,
                "targets does not delegate the role \(ViewLayout.channelsRole), so this registry cannot "
                    + "release anything: the app's owner has to (packtool keys delegate)")
        }
        try table.put(keys.sign(role, for: authority), as: ViewLayout.channelsRole)
    }

    private func channelFile(_ channel: ChannelName) throws -> ChannelFile {
        let packages = try releases.histories(on: channel).mapValues { ChannelFile.Package(releases: $0.offered) }
        return ChannelFile(app: app, channel: channel, packages: packages)
    }

    /// From the releases where there is no file of the channel yet, or none that can be read.
    private func channelFile(
        _ channel: ChannelName, changing package: PackageID, in current: SignedDocument<TargetsMetadata>?
    ) throws -> ChannelFile {
        guard let digest = current?.body.targets[ViewLayout.channelTarget(channel)]?.digest,
            let bytes = try? table.channelBytes(digest), let file = try? ChannelFile(parsing: bytes)
        else { return try channelFile(channel) }
        var packages = file.packages
        packages[package] = ChannelFile.Package(releases: try releases.history(of: package, on: channel).offered)
        return ChannelFile(app: app, channel: channel, packages: packages)
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
