#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The metadata that is trusted at one moment, and the rules for accepting more (TUF 1.0.34 §5). Pure: the caller
/// provides the bytes and reads the clock once (§5.1), and a refusal leaves the value unchanged.
///
///     var trusted = try TrustedMetadata(trustedRoot: bytes, time: now)
///     try trusted.updateRoot(next)                    // as often as there is a next one
///     try trusted.restoreTimestamp(cached)            // what the device had
///     try trusted.updateTimestamp(fetched)
///     try trusted.updateSnapshot(fetched)
///     try trusted.updateTargets(fetched, role: "targets")
///
/// The order is enforced: a document is accepted only after the one that vouches for it.
public struct TrustedMetadata: Sendable {
    /// The one reading of the clock, against which all expiry times are checked.
    public let time: Date
    public private(set) var root: SignedDocument<RootMetadata>
    public private(set) var timestamp: SignedDocument<TimestampMetadata>?
    public private(set) var snapshot: SignedDocument<SnapshotMetadata>?
    /// Targets roles by the bytes of their name.
    private var roles: [[UInt8]: DelegatedDocument] = [:]
    /// Whether the snapshot was accepted as the current one, not only kept to compare versions with.
    private var snapshotIsFinal = false

    /// A role is trusted only as the delegate of one whose keys were checked: another delegation to the same name may
    /// ask for other keys.
    private struct DelegatedDocument {
        let document: SignedDocument<TargetsMetadata>
        var delegators: Set<[UInt8]>
    }

    /// Starts from a root that is built into the program or was stored before. Its expiry does not matter yet (§5.2);
    /// it must be signed by its own threshold.
    public init(trustedRoot bytes: [UInt8], time: Date) throws(TrustError) {
        let document = try SignedDocument<RootMetadata>(parsing: bytes)
        try document.verify(by: document.body.authority(for: TopLevelRole.root))
        root = document
        self.time = time
    }

    // MARK: Root

    /// Accepts version N+1 if the thresholds of N and of N+1 have signed it (§5.3.4, §5.3.5). It may be expired,
    /// because only the last one counts.
    /// - Returns: whether an online key was revoked, so that the stored timestamp and snapshot must go (§5.3.11).
    @discardableResult
    public mutating func updateRoot(_ bytes: [UInt8]) throws(TrustError) -> Bool {
        guard timestamp == nil else { throw .outOfOrder("the root cannot change after the timestamp was read") }
        let next = try SignedDocument<RootMetadata>(parsing: bytes)
        try next.verify(by: root.body.authority(for: TopLevelRole.root))
        try next.verify(by: next.body.authority(for: TopLevelRole.root))
        guard next.body.version - 1 == root.body.version else {
            throw .wrongVersion(role: "root", found: next.body.version, wanted: root.body.version + 1)
        }
        let revokes = root.body.revokesOnlineKeys(in: next.body)
        root = next
        return revokes
    }

    /// Checks that the last root is not expired, when there is no newer one (§5.3.10).
    public func checkRoot() throws(TrustError) {
        try check(root.body)
    }

    // MARK: Timestamp

    /// Restores the timestamp that this device has stored. It may be expired: it only protects against going back.
    public mutating func restoreTimestamp(_ bytes: [UInt8]) throws(TrustError) {
        let document = try SignedDocument<TimestampMetadata>(parsing: bytes)
        try document.verify(by: root.body.authority(for: TopLevelRole.timestamp))
        timestamp = document
    }

    /// Accepts a timestamp as current (§5.4).
    /// - Returns: false if it has the version that is trusted already; then the old one is kept, whatever the new one
    ///   says, and this is no error (§5.4.3.1).
    @discardableResult
    public mutating func updateTimestamp(_ bytes: [UInt8]) throws(TrustError) -> Bool {
        guard !snapshotIsFinal else { throw .outOfOrder("the timestamp cannot change after the snapshot was read") }
        try checkRoot()
        let document = try SignedDocument<TimestampMetadata>(parsing: bytes)
        try document.verify(by: root.body.authority(for: TopLevelRole.timestamp))
        if let trusted = timestamp?.body {
            guard document.body.version >= trusted.version else {
                throw .rollback(role: "timestamp", found: document.body.version, trusted: trusted.version)
            }
            if document.body.version == trusted.version { return false }
            guard document.body.snapshot.version >= trusted.snapshot.version else {
                throw .rollback(
                    role: "snapshot", found: document.body.snapshot.version, trusted: trusted.snapshot.version)
            }
        }
        try check(document.body)
        timestamp = document
        return true
    }

    // MARK: Snapshot

    /// Restores the snapshot that this device has stored, for the comparison with a newer one.
    /// - Returns: whether it is the current one by the timestamp; then nothing needs to be fetched.
    @discardableResult
    public mutating func restoreSnapshot(_ bytes: [UInt8]) throws(TrustError) -> Bool {
        let timestamp = try currentTimestamp()
        let document = try SignedDocument<SnapshotMetadata>(parsing: bytes)
        try document.verify(by: root.body.authority(for: TopLevelRole.snapshot))
        snapshot = document
        snapshotIsFinal =
            document.body.version == timestamp.snapshot.version && !document.body.isExpired(at: time)
            && (try? timestamp.snapshot.check(bytes, name: "snapshot")) != nil
        return snapshotIsFinal
    }

    /// Accepts the snapshot that the timestamp names (§5.5). It checks length and hashes, then keys and version, and
    /// that no role goes back or disappears.
    public mutating func updateSnapshot(_ bytes: [UInt8]) throws(TrustError) {
        let timestamp = try currentTimestamp()
        guard roles.isEmpty else { throw .outOfOrder("the snapshot cannot change after the targets were read") }
        try timestamp.snapshot.check(bytes, name: "snapshot")
        let document = try SignedDocument<SnapshotMetadata>(parsing: bytes)
        try document.verify(by: root.body.authority(for: TopLevelRole.snapshot))
        guard document.body.version == timestamp.snapshot.version else {
            throw .wrongVersion(role: "snapshot", found: document.body.version, wanted: timestamp.snapshot.version)
        }
        for old in snapshot?.body.files.entries ?? [] {
            guard let new = document.body.files[old.name] else { throw .roleRemoved(role: old.name) }
            guard new.version >= old.value.version else {
                throw .rollback(role: old.name, found: new.version, trusted: old.value.version)
            }
        }
        try check(document.body)
        snapshot = document
        snapshotIsFinal = true
    }

    // MARK: Targets

    /// Accepts a targets role under the document that delegates to it (§5.6). It checks length and hashes, keys, the
    /// version in the snapshot, and expiry. Fetched and stored bytes are checked alike.
    @discardableResult
    public mutating func updateTargets(
        _ bytes: [UInt8], role: String = "targets", delegator: String = "root"
    ) throws(TrustError) -> TargetsMetadata {
        let meta = try metaFile(of: role)
        guard let authority = try authority(over: role, by: delegator) else {
            throw .outOfOrder("\(delegator) does not delegate to \(role)")
        }
        try meta.check(bytes, name: role)
        let document = try SignedDocument<TargetsMetadata>(parsing: bytes, name: role)
        try document.verify(by: authority)
        guard document.body.version == meta.version else {
            throw .wrongVersion(role: role, found: document.body.version, wanted: meta.version)
        }
        try checkMinimum(of: document.body.version, role: role, delegator: delegator)
        try check(document.body, name: role)
        let name = Array(role.utf8)
        // Where a repository serves two texts under one version, what vouched for one does not vouch for the other.
        let earlier = roles[name].flatMap { $0.document.bytes == bytes ? $0.delegators : nil } ?? []
        roles[name] = DelegatedDocument(document: document, delegators: earlier.union([Array(delegator.utf8)]))
        return document.body
    }

    /// A targets role, if it was accepted as the delegate of this delegator.
    public func targets(_ role: String = "targets", delegator: String = "root") -> SignedDocument<TargetsMetadata>? {
        guard let found = roles[Array(role.utf8)], found.delegators.contains(Array(delegator.utf8)) else { return nil }
        return found.document
    }

    /// The current snapshot's description of a role.
    public func metaFile(of role: String) throws(TrustError) -> MetaFile {
        guard snapshotIsFinal, let snapshot else { throw .outOfOrder("\(role) cannot be read before the snapshot") }
        guard let meta = snapshot.body[role: role] else { throw .notInSnapshot(role: role) }
        return meta
    }

    // MARK: Shared

    private func authority(over role: String, by delegator: String) throws(TrustError) -> RoleAuthority? {
        if delegator.isExactly("root") {
            return role.isExactly("targets") ? root.body.authority(for: TopLevelRole.targets) : nil
        }
        guard let found = roles[Array(delegator.utf8)] else {
            throw .outOfOrder("\(role) cannot be read before \(delegator)")
        }
        return found.document.body.authority(for: role)
    }

    /// The snapshot that names the version is signed by an online key; the least version by the delegator.
    private func checkMinimum(of version: Int, role: String, delegator: String) throws(TrustError) {
        guard let delegation = roles[Array(delegator.utf8)]?.document.body.delegations?.role(named: role),
            let minimum = delegation.minimumVersion, version < minimum
        else { return }
        throw .belowMinimum(role: role, found: version, minimum: minimum)
    }

    private func currentTimestamp() throws(TrustError) -> TimestampMetadata {
        guard let timestamp = timestamp?.body else {
            throw .outOfOrder("the snapshot cannot be read before the timestamp")
        }
        // A stored timestamp may have been kept because the repository had nothing newer; expired, it ends here.
        try check(timestamp)
        return timestamp
    }

    private func check(_ body: some RoleMetadata, name: String? = nil) throws(TrustError) {
        guard !body.isExpired(at: time) else {
            throw .expired(role: name ?? type(of: body).typeName, expires: body.expires)
        }
    }
}
