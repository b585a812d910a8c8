package import Foundation
import PackFormat
import PackRegistryAPI
import PackTrust

/// Signs the documents that a change needs: the channels role if a channel changes, then snapshot and timestamp.
///
/// Pure except for the key: facts and a change in, signed documents out.
package struct MetadataSigner {
    private let facts: RegistryFacts
    private let signer: any OnlineSigner
    private let now: Date

    package init(_ facts: RegistryFacts, signer: any OnlineSigner, now: Date) {
        self.facts = facts
        self.signer = signer
        self.now = now
    }

    package func sign(_ changes: inout ChangeSet) throws {
        if changes.signsChannels || !changes.channelFiles.isEmpty { try signChannels(&changes) }
        try signSnapshotAndTimestamp(&changes)
    }

    private func signChannels(_ changes: inout ChangeSet) throws {
        let current: SignedDocument<TargetsMetadata>? = try facts.newest(ViewLayout.channelsRole)
        var role = TargetsMetadata(
            version: (current?.body.version ?? 0) + 1, expires: now.addingTimeInterval(MetadataLifetime.channels))
        role.targets = current?.body.targets ?? [:]
        for group in changes.groups {
            role.targets[ViewLayout.groupTarget(group.name, of: group.channel)] = group.bytes.map { TargetInfo(of: $0) }
        }
        for file in changes.channelFiles {
            let documents = file.documents
            let wholeByteCount = documents.last?.bytes.count ?? 0
            // Recorded before the whole file, which is the channel's newest.
            let partCount = listParts(of: file, wholeByteCount: wholeByteCount, &role, &changes)
            // Devices that read format 1 only go on with what everybody may have.
            for target in ViewLayout.channelTargets(file.channel) { role.targets[target] = nil }
            for (format, bytes) in documents {
                role.targets[ViewLayout.channelTarget(file.channel, format: format)] = TargetInfo(of: bytes)
                changes.put(ChangeSet.ChannelDocument(channel: file.channel, format: format, bytes: bytes))
            }
            let whole = ViewLayout.channelTarget(file.channel, format: documents.last?.format ?? 1)
            role.targets[whole]?[extra: ChannelHead.countField] = partCount
            do { _ = try ChannelFile(parsing: documents.last?.bytes ?? []) } catch {
                throw RegistryError(.invalid, "no device would read the channel \(file.channel) any more: \(error)")
            }
        }
        let targets: SignedDocument<TargetsMetadata> = try required(TopLevelRole.targets.rawValue, changes)
        guard let authority = targets.body.authority(for: ViewLayout.channelsRole) else {
            throw RegistryError(
                .unusable,
                "targets does not delegate the role \(ViewLayout.channelsRole), so this registry cannot "
                    + "release anything: the app's owner has to (packtool keys delegate)")
        }
        changes.put(try signer.sign(role, for: authority), as: ViewLayout.channelsRole)
    }

    /// Lists the head and the parts of a large channel, and has those recorded that changed.
    /// - Returns: the number of parts; nil for a channel without any.
    private func listParts(
        of file: ChannelFile, wholeByteCount: Int, _ role: inout TargetsMetadata, _ changes: inout ChangeSet
    ) -> Int? {
        let channel = file.channel
        let split = ChannelSplit(file, wholeByteCount: wholeByteCount)
        var wanted: [(target: String, document: ChangeSet.ChannelDocument)] = []
        for (part, bytes) in split?.parts.sorted(by: { $0.key < $1.key }) ?? [] {
            wanted.append(
                (ViewLayout.channelPartTarget(channel, part), .init(channel: channel, part: part, bytes: bytes)))
        }
        if let bytes = split?.headBytes {
            let document = ChangeSet.ChannelDocument(channel: channel, format: ChannelHead.format, bytes: bytes)
            wanted.append((ViewLayout.channelHeadTarget(channel), document))
        }
        let names = Set(wanted.map(\.target))
        for name in role.targets.names where ViewLayout.isPart(name, of: channel) && !names.contains(name) {
            role.targets[name] = nil
        }
        for (target, document) in wanted {
            let info = TargetInfo(of: document.bytes)
            guard role.targets[target] != info else { continue }
            role.targets[target] = info
            changes.put(document)
        }
        return split?.head.partCount
    }

    /// Only where they differ from what is there, or are due.
    private func signSnapshotAndTimestamp(_ changes: inout ChangeSet) throws {
        let root: SignedDocument<RootMetadata> = try required(TopLevelRole.root.rawValue, changes)
        let snapshot = try signedSnapshot(root.body, &changes)
        let current: SignedDocument<TimestampMetadata>? = try facts.newest(TopLevelRole.timestamp.rawValue)
        let authority = root.body.authority(for: .timestamp)
        if let current, current.body.snapshot == snapshot.metaFile,
            RenewalRule.isSound(current, authority, MetadataLifetime.timestamp, now)
        {
            return
        }
        let timestamp = TimestampMetadata(
            version: (current?.body.version ?? 0) + 1, expires: now.addingTimeInterval(MetadataLifetime.timestamp),
            snapshot: snapshot.metaFile)
        changes.put(try signer.sign(timestamp, for: authority), as: TopLevelRole.timestamp.rawValue)
    }

    private func signedSnapshot(
        _ root: RootMetadata, _ changes: inout ChangeSet
    ) throws -> SignedDocument<SnapshotMetadata> {
        var newest = facts.roleVersions
        for document in changes.documents { newest[document.role] = document.version }
        for role in [TopLevelRole.root, .snapshot, .timestamp] { newest[role.rawValue] = nil }
        // The version alone: lengths and hashes would make up most of a large app's snapshot, and each file is signed by
        // its own role.
        let roles = NameTable(newest.map { ($0.key, MetaFile(version: $0.value)) })
        let current: SignedDocument<SnapshotMetadata>? = try facts.newest(TopLevelRole.snapshot.rawValue)
        let body = SnapshotMetadata(
            version: (current?.body.version ?? 0) + 1, expires: now.addingTimeInterval(MetadataLifetime.snapshot),
            roles: roles)
        let authority = root.authority(for: .snapshot)
        if let current, current.body.files == body.files,
            RenewalRule.isSound(current, authority, MetadataLifetime.snapshot, now)
        {
            return current
        }
        let signed = try signer.sign(body, for: authority)
        changes.put(signed, as: TopLevelRole.snapshot.rawValue)
        return signed
    }

    /// What the change brings, else what is there.
    private func required<Body: RoleMetadata>(_ role: String, _ changes: ChangeSet) throws -> SignedDocument<Body> {
        guard let changed = changes.documents.last(where: { $0.role == role }) else { return try facts.required(role) }
        return try SignedDocument(parsing: changed.bytes, name: role)
    }
}
