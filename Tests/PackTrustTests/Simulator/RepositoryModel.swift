import Foundation
import PackTrust

/// A repository whose every document can be bent before it is signed: the honest server and the attacker in one.
struct RepositoryModel {
    var root: RootMetadata
    var timestamp: TimestampMetadata
    var snapshot: SnapshotMetadata
    var targets: TargetsMetadata
    /// By role name.
    var delegated: NameTable<TargetsMetadata> = [:]
    /// Who signs a role, which may be more, fewer or other keys than the delegation names.
    var signers: NameTable<[PrivateKey]> = [:]
    /// Whether snapshot and timestamp state lengths and hashes.
    var statesHashes = true
    /// What is served, by path.
    var files: [String: [UInt8]] = [:]

    /// Publishes version 1 of everything, each top-level role with a key of its own.
    init(consistentSnapshot: Bool = true, statesHashes: Bool = true) throws {
        let expires = Self.now + 30 * Self.day
        self.statesHashes = statesHashes
        root = RootMetadata(expires: expires, consistentSnapshot: consistentSnapshot)
        timestamp = TimestampMetadata(expires: expires, snapshot: MetaFile(version: 1))
        snapshot = SnapshotMetadata(expires: expires)
        targets = TargetsMetadata(expires: expires)
        for role in TopLevelRole.allCases {
            let key = try PrivateKey.generate(.ed25519)
            signers[role.rawValue] = [key]
            root.setKeys([key.publicKey], for: role)
        }
        try publishRoot()
        try publish()
    }

    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let day: TimeInterval = 86_400

    func signed<Body: RoleMetadata>(_ body: Body, as role: String) throws -> SignedDocument<Body> {
        try SignedDocument(unsigned: body).signed(by: signers[role] ?? [])
    }

    private func path(_ role: String, _ version: Int) -> String {
        RepositoryPath.metadata(role, version: root.consistentSnapshot ? version : nil)
    }

    mutating func publishRoot() throws {
        files[RepositoryPath.metadata("root", version: root.version)] = try signed(root, as: "root").bytes
    }

    /// The next root, changed first.
    mutating func nextRoot(_ change: (inout RootMetadata) throws -> Void = { _ in }) throws {
        try change(&root)
        root.version += 1
        try publishRoot()
    }

    /// New keys for a top-level role, which also sign from now on; the new root is signed by the old root keys too.
    mutating func rotateKeys(of role: TopLevelRole, count: Int = 1) throws {
        let old = signers[role.rawValue] ?? []
        let new = try (0..<count).map { _ in try PrivateKey.generate(.ed25519) }
        signers[role.rawValue] = role == .root ? old + new : new
        try nextRoot { $0.setKeys(new.map(\.publicKey), threshold: count, for: role) }
        if role == .root { signers["root"] = new }
    }

    /// Signs and serves all targets roles as they are, a snapshot of them and a timestamp for it.
    mutating func publish() throws {
        for entry in delegated.entries { try publishRole(entry.name, entry.value) }
        try publishRole("targets", targets)
        try publishSnapshot()
    }

    /// The next version of targets, snapshot and timestamp.
    mutating func publishNext(_ change: (inout TargetsMetadata) throws -> Void = { _ in }) throws {
        try change(&targets)
        targets.version += 1
        snapshot.version += 1
        timestamp.version += 1
        try publish()
    }

    private mutating func publishRole(_ role: String, _ body: TargetsMetadata) throws {
        let document = try signed(body, as: role)
        files[path(role, body.version)] = document.bytes
        snapshot[role: role] = statesHashes ? document.metaFile : MetaFile(version: body.version)
    }

    mutating func publishSnapshot() throws {
        let document = try signed(snapshot, as: "snapshot")
        files[path("snapshot", snapshot.version)] = document.bytes
        timestamp.snapshot = statesHashes ? document.metaFile : MetaFile(version: snapshot.version)
        try publishTimestamp()
    }

    mutating func publishTimestamp() throws {
        files[RepositoryPath.metadata("timestamp")] = try signed(timestamp, as: "timestamp").bytes
    }

    /// Serves a target file and lists it in a role; published with the next ``publish()``.
    mutating func add(_ path: String, _ content: String, to role: String = "targets") {
        let bytes = Array(content.utf8)
        let info = TargetInfo(of: bytes)
        if role == "targets" { targets.targets[path] = info } else { delegated[role]?.targets[path] = info }
        files[RepositoryPath.target(path, info: info, consistentSnapshot: root.consistentSnapshot)] = bytes
    }

    /// A delegated role with a key of its own; published with the next ``publish()``.
    mutating func delegate(
        from delegator: String = "targets", to role: String, paths: [String] = ["*"], isTerminating: Bool = false,
        scope: DelegatedRole.Scope? = nil, key: PrivateKey? = nil
    ) throws {
        let key = try key ?? signers[role]?.first ?? PrivateKey.generate(.ed25519)
        let delegation = try DelegatedRole(
            name: role, roleKeys: RoleKeys([key.publicKey]), scope: scope ?? .paths(paths),
            isTerminating: isTerminating)
        if delegator == "targets" {
            targets.delegate(to: delegation, keys: [key.publicKey])
        } else {
            delegated[delegator]?.delegate(to: delegation, keys: [key.publicKey])
        }
        if signers[role] == nil { signers[role] = [key] }
        if delegated[role] == nil { delegated[role] = TargetsMetadata(expires: Self.now + 30 * Self.day) }
    }
}
