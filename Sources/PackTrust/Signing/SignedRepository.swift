#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The current metadata of a whole repository, for its owner to sign and its server to publish.
///
///     var repository = try SignedRepository.create(root: [owner], targets: [owner], online: [server], expires: …)
///     try repository.replaceTargets(repository.targets.revised(signers: [owner]) { targets in
///         targets.targets["a.txt"] = TargetInfo(of: bytes)
///     })
///     try repository.publish(snapshotExpires: …, timestampExpires: …, signers: [server])
///     for file in repository.files { … }        // path and bytes of each file that a client reads
///
/// It holds no key. Immutable names are only ever added: write ``files`` in their order, the timestamp last.
public struct SignedRepository: Sendable {
    public private(set) var root: SignedDocument<RootMetadata>
    public private(set) var targets: SignedDocument<TargetsMetadata>
    /// The delegated roles by name.
    public private(set) var delegated: NameTable<SignedDocument<TargetsMetadata>>
    public private(set) var snapshot: SignedDocument<SnapshotMetadata>
    public private(set) var timestamp: SignedDocument<TimestampMetadata>

    /// Restores a stored repository.
    public init(
        root: SignedDocument<RootMetadata>, targets: SignedDocument<TargetsMetadata>,
        delegated: NameTable<SignedDocument<TargetsMetadata>> = [:], snapshot: SignedDocument<SnapshotMetadata>,
        timestamp: SignedDocument<TimestampMetadata>
    ) {
        self.root = root
        self.targets = targets
        self.delegated = delegated
        self.snapshot = snapshot
        self.timestamp = timestamp
    }

    /// The expiry times for the roles of a new repository.
    public struct Expiries: Sendable {
        public var root: Date
        public var targets: Date
        public var snapshot: Date
        public var timestamp: Date

        public init(root: Date, targets: Date, snapshot: Date, timestamp: Date) {
            self.root = root
            self.targets = targets
            self.snapshot = snapshot
            self.timestamp = timestamp
        }
    }

    /// Makes version 1 of all roles. The online signers sign only snapshot and timestamp, and nothing installable.
    public static func create(
        root rootSigners: [any Signer], rootThreshold: Int = 1, targets targetsSigners: [any Signer],
        targetsThreshold: Int = 1, online onlineSigners: [any Signer], consistentSnapshot: Bool = true,
        expiries: Expiries, _ editTargets: (inout TargetsMetadata) throws -> Void = { _ in }
    ) throws -> SignedRepository {
        var root = RootMetadata(expires: expiries.root, consistentSnapshot: consistentSnapshot)
        root.setKeys(rootSigners.map(\.publicKey), threshold: rootThreshold, for: .root)
        root.setKeys(targetsSigners.map(\.publicKey), threshold: targetsThreshold, for: .targets)
        root.setKeys(onlineSigners.map(\.publicKey), for: .snapshot)
        root.setKeys(onlineSigners.map(\.publicKey), for: .timestamp)
        var targets = TargetsMetadata(expires: expiries.targets)
        try editTargets(&targets)
        let signedTargets = try SignedDocument(unsigned: targets).signed(by: targetsSigners)
        let snapshot = try SignedDocument(
            unsigned: SnapshotMetadata(expires: expiries.snapshot, roles: ["targets": signedTargets.metaFile])
        ).signed(by: onlineSigners)
        let timestamp = try SignedDocument(
            unsigned: TimestampMetadata(expires: expiries.timestamp, snapshot: snapshot.metaFile)
        ).signed(by: onlineSigners)
        return SignedRepository(
            root: try SignedDocument(unsigned: root).signed(by: rootSigners), targets: signedTargets,
            snapshot: snapshot, timestamp: timestamp)
    }

    /// Accepts a new root by the rules of a client: the version is one higher, and the old and the new threshold have
    /// signed it.
    public mutating func replaceRoot(_ document: SignedDocument<RootMetadata>) throws(TrustError) {
        var trusted = try TrustedMetadata(trustedRoot: root.bytes, time: Date(timeIntervalSince1970: 0))
        try trusted.updateRoot(document.bytes)
        root = trusted.root
    }

    /// Accepts a new top-level targets document: the version is one higher, and the threshold of the root's keys has
    /// signed it.
    public mutating func replaceTargets(_ document: SignedDocument<TargetsMetadata>) throws(TrustError) {
        try RoleSuccession(replacing: targets, authority: root.body.authority(for: TopLevelRole.targets)).check(
            document)
        targets = document
    }

    /// Accepts a new or first version of a role that `delegator` delegates to: the version is one higher, the
    /// threshold has signed it, and the delegation covers all paths.
    public mutating func replaceRole(
        _ role: String, delegator: String = "targets", with document: SignedDocument<TargetsMetadata>
    ) throws(TrustError) {
        let parent = delegator.isExactly("targets") ? targets : delegated[delegator]
        guard let delegation = parent?.body.delegations?.role(named: role),
            let authority = parent?.body.authority(for: role)
        else { throw .refusedChange(role: role, reason: "\(delegator) does not delegate to it") }
        try RoleSuccession(replacing: delegated[role], authority: authority, delegation: delegation).check(document)
        delegated[role] = document
    }

    /// Signs the next snapshot of all roles and the timestamp for it. A role stays listed once a snapshot has listed
    /// it, because clients would refuse the snapshot otherwise (§5.5.5).
    public mutating func publish(
        snapshotExpires: Date, timestampExpires: Date, signers: [any Signer]
    ) throws {
        snapshot = try snapshot.revised(expires: snapshotExpires, signers: signers) { snapshot in
            snapshot[role: "targets"] = targets.metaFile
            for entry in delegated.entries { snapshot[role: entry.name] = entry.value.metaFile }
        }
        try renewTimestamp(expires: timestampExpires, signers: signers)
    }

    /// Signs a new timestamp for the present snapshot, so that an unchanged repository does not expire.
    public mutating func renewTimestamp(expires: Date, signers: [any Signer]) throws {
        timestamp = try timestamp.revised(expires: expires, signers: signers) { $0.snapshot = snapshot.metaFile }
    }

    /// The files of the current versions, with the timestamp last: in this order a client that reads meanwhile finds
    /// all files that a file names. With consistent snapshots, all files except the timestamp are immutable under
    /// their names.
    public var files: [(path: String, bytes: [UInt8])] {
        let isConsistent = root.body.consistentSnapshot
        func path(_ role: String, _ version: Int) -> String {
            RepositoryPath.metadata(role, version: isConsistent ? version : nil)
        }
        var files = [(RepositoryPath.metadata("root", version: root.body.version), root.bytes)]
        files += delegated.entries.map { (path($0.name, $0.value.body.version), $0.value.bytes) }
        files.append((path("targets", targets.body.version), targets.bytes))
        files.append((path("snapshot", snapshot.body.version), snapshot.bytes))
        files.append((RepositoryPath.metadata("timestamp"), timestamp.bytes))
        return files
    }
}
