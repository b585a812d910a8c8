#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A TUF 1.0.34 client. It keeps trusted metadata in a store, and accepts from a repository only what trusted keys
/// have signed, if it is complete, current and consistent.
///
///     let client = TrustClient(store: try FolderTrustStore(folder: folder), transport: transport,
///                              trustedRoot: embeddedRoot)
///     try await client.refresh()                                        // root, timestamp, snapshot, targets
///     if let info = try await client.targetInfo("channels/beta.json") {  // walks the delegations
///         let bytes = try await client.target("channels/beta.json", info: info)
///     }
///
/// Every failure throws and leaves the store in a state from which the next refresh can succeed. A failed refresh
/// means "install nothing new", never "stop running what is installed".
public actor TrustClient {
    private let store: any TrustStore
    private let transport: any TrustTransport
    private let embeddedRoot: [UInt8]?
    private let limits: TrustLimits
    private let now: @Sendable () -> Date

    private var trusted: TrustedMetadata?
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - trustedRoot: The root that the program was built with. The stored chain of roots is verified from it, so
    ///     that a tampered store cannot replace it. Without it the stored `root.json` is what everything starts from.
    ///   - now: The clock, read once in each refresh (§5.1).
    public init(
        store: any TrustStore, transport: any TrustTransport, trustedRoot: [UInt8]? = nil,
        limits: TrustLimits = TrustLimits(), now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.transport = transport
        embeddedRoot = trustedRoot
        self.limits = limits
        self.now = now
    }

    /// Puts a root into a store by hand, if no root is built into the program. Other stored metadata is kept and
    /// verified under this root when it is next read.
    /// - Throws: ``TrustError`` if it is no root, or its own threshold did not sign it.
    public static func initialize(_ store: any TrustStore, trustedRoot: [UInt8]) throws {
        let trusted = try TrustedMetadata(trustedRoot: trustedRoot, time: Date(timeIntervalSince1970: 0))
        try store.write(trusted.root.bytes, to: StoreName.root)
    }

    // MARK: The workflow

    /// Updates the four top-level roles (§5.3 to §5.6).
    ///
    /// - Parameter probingRoot: false leaves out the question for a newer root (one request) while everything
    ///   verifies under the present one; on any failure it is asked after all. Probe from time to time: a root that
    ///   is not looked for revokes nothing.
    public func refresh(probingRoot: Bool = true) async throws {
        try await exclusively {
            guard !probingRoot else { return try await self.update(probingRoot: true) }
            do {
                try await self.update(probingRoot: false)
            } catch let error as TrustError where error.mayBeCuredByNewerRoot {
                try await self.update(probingRoot: true)
            }
        }
    }

    /// The signed description of a target; nil if no role that may sign the path lists it. It refreshes first if that
    /// has not happened yet, and fetches the delegated roles that it needs (§5.6.7).
    public func targetInfo(_ path: String) async throws -> TargetInfo? {
        try await exclusively {
            if self.trusted?.targets() == nil { try await self.update(probingRoot: true) }
            return try await self.search(path)?.info
        }
    }

    /// The role that lists a target, searched like ``targetInfo(_:)``.
    public func roleListing(_ path: String) async throws -> String? {
        try await exclusively {
            if self.trusted?.targets() == nil { try await self.update(probingRoot: true) }
            return try await self.search(path)?.role
        }
    }

    /// Fetches a target after a lookup, and accepts exactly the signed bytes (§5.7).
    public func target(_ path: String, info: TargetInfo) async throws -> [UInt8] {
        guard let trusted else { throw TrustError.outOfOrder("a target cannot be fetched before a refresh") }
        let name = RepositoryPath.target(
            path, info: info, consistentSnapshot: trusted.root.body.consistentSnapshot)
        guard let bytes = try await transport.fetch(name, maximumByteCount: info.length) else {
            throw TrustError.missing(name: name)
        }
        try info.check(bytes, path: path)
        return bytes
    }

    /// Looks a target up and fetches it.
    /// - Throws: ``TrustError/unknownTarget(path:)``, ``TrustError/tooLarge(name:limit:)`` before anything is fetched.
    public func target(_ path: String, maximumByteCount: Int) async throws -> [UInt8] {
        guard let info = try await targetInfo(path) else { throw TrustError.unknownTarget(path: path) }
        guard info.length <= maximumByteCount else { throw TrustError.tooLarge(name: path, limit: maximumByteCount) }
        return try await target(path, info: info)
    }

    /// Everything that the last refresh verified; nil before the first successful one.
    public var trustedMetadata: TrustedMetadata? { trusted }

    // MARK: Steps

    private func update(probingRoot: Bool) async throws {
        trusted = nil
        var trusted = try storedRoot(time: now())
        if probingRoot { try await followRoots(&trusted) }
        try trusted.checkRoot()
        try await loadTimestamp(&trusted)
        try await loadSnapshot(&trusted)
        try await loadTargets(&trusted, role: "targets", delegator: "root")
        self.trusted = trusted
    }

    /// §5.3.2 to §5.3.9: one version after the other, each made durable before the next is asked for.
    private func followRoots(_ trusted: inout TrustedMetadata) async throws {
        for _ in 0..<limits.rootRotations {
            let version = trusted.root.body.version + 1
            let name = RepositoryPath.metadata("root", version: version)
            let answer = try await transport.fetch(name, maximumByteCount: limits.rootByteCount)
            try keepFirstRoot(trusted)
            guard let bytes = answer else { return }
            try adopt(root: try checked(bytes, name: name, limit: limits.rootByteCount), into: &trusted)
        }
    }

    /// The order survives a crash at each step: what a revoked key signed goes first, then the chain gets its new end,
    /// and only then does that become the root to start from.
    private func adopt(root bytes: [UInt8], into trusted: inout TrustedMetadata) throws {
        let revokesOnlineKeys = try trusted.updateRoot(bytes)
        if revokesOnlineKeys { try forgetOnlineMetadata() }
        try store.write(bytes, to: StoreName.root(version: trusted.root.body.version))
        try store.write(bytes, to: StoreName.root)
    }

    /// An embedded root comes into an empty store once the repository has answered: a client that reached nobody leaves
    /// nothing behind.
    private func keepFirstRoot(_ trusted: TrustedMetadata) throws {
        guard embeddedRoot != nil, try store.read(StoreName.root) == nil else { return }
        try store.write(trusted.root.bytes, to: StoreName.root)
    }

    /// §5.3.11, and the targets roles that the forgotten snapshot vouched for: a repository that was set back may give
    /// their versions to other texts. The snapshot goes last, because it is what names them.
    private func forgetOnlineMetadata() throws {
        let stored = try store.read(StoreName.role("snapshot")).flatMap {
            try? SignedDocument<SnapshotMetadata>(parsing: $0)
        }
        // A thief may have let it name the root, which stays.
        for name in stored?.body.files.names ?? [] where name.hasSuffix(".json") && !name.isExactly(StoreName.root) {
            try store.remove(StoreName.role(String(name.dropLast(5))))
        }
        try store.remove(StoreName.role("timestamp"))
        try store.remove(StoreName.role("snapshot"))
    }

    private func storedRoot(time: Date) throws -> TrustedMetadata {
        let stored = try store.read(StoreName.root)
        guard let embeddedRoot else {
            guard let stored else { throw TrustError.noTrustedRoot(reason: "\(StoreName.root) is not in the store") }
            do {
                return try TrustedMetadata(trustedRoot: stored, time: time)
            } catch {
                throw TrustError.noTrustedRoot(reason: "\(StoreName.root): \(error)")
            }
        }
        var trusted: TrustedMetadata
        do {
            trusted = try TrustedMetadata(trustedRoot: embeddedRoot, time: time)
        } catch {
            throw TrustError.noTrustedRoot(reason: "the root that the program was built with: \(error)")
        }
        while let bytes = try store.read(StoreName.root(version: trusted.root.body.version + 1)),
            (try? trusted.updateRoot(bytes)) != nil
        {}
        if let stored, stored != trusted.root.bytes {
            // A new release of the program may bring a newer root than the store has.
            if let old = try? SignedDocument<RootMetadata>(parsing: stored),
                old.body.version < trusted.root.body.version, old.body.revokesOnlineKeys(in: trusted.root.body)
            {
                try forgetOnlineMetadata()
            }
            try store.write(trusted.root.bytes, to: StoreName.root)
        }
        return trusted
    }

    private func loadTimestamp(_ trusted: inout TrustedMetadata) async throws {
        let name = StoreName.role("timestamp")
        if let stored = try store.read(name) { try? trusted.restoreTimestamp(stored) }
        let path = RepositoryPath.metadata("timestamp")
        let bytes = try await fetch(path, limit: limits.timestampByteCount)
        try keepFirstRoot(trusted)
        if try trusted.updateTimestamp(bytes) { try store.write(bytes, to: name) }
    }

    private func loadSnapshot(_ trusted: inout TrustedMetadata) async throws {
        guard let meta = trusted.timestamp?.body.snapshot else { return }
        let name = StoreName.role("snapshot")
        if let stored = try store.read(name), (try? trusted.restoreSnapshot(stored)) == true { return }
        let path = RepositoryPath.metadata("snapshot", version: version(meta, in: trusted))
        let bytes = try await fetch(path, limit: limit(meta, limits.snapshotByteCount))
        try trusted.updateSnapshot(bytes)
        try store.write(bytes, to: name)
    }

    @discardableResult
    private func loadTargets(
        _ trusted: inout TrustedMetadata, role: String, delegator: String
    ) async throws -> TargetsMetadata {
        if let known = trusted.targets(role, delegator: delegator) { return known.body }
        let meta = try trusted.metaFile(of: role)
        let name = StoreName.role(role)
        if let stored = try store.read(name),
            let body = try? trusted.updateTargets(stored, role: role, delegator: delegator)
        {
            return body
        }
        let path = RepositoryPath.metadata(role, version: version(meta, in: trusted))
        let bytes = try await fetch(path, limit: limit(meta, limits.targetsByteCount))
        let body = try trusted.updateTargets(bytes, role: role, delegator: delegator)
        try store.write(bytes, to: name)
        return body
    }

    /// §5.6.7: pre-order, depth first, in the order of trust. Each role is looked at once; a terminating one ends the
    /// search outside its own delegations.
    private func search(_ path: String) async throws -> (role: String, info: TargetInfo)? {
        guard var trusted else { throw TrustError.outOfOrder("a target cannot be looked up before a refresh") }
        defer { self.trusted = trusted }
        var toVisit: [(role: String, delegator: String)] = [("targets", "root")]
        var visited: Set<[UInt8]> = []
        while let next = toVisit.popLast() {
            guard !visited.contains(Array(next.role.utf8)) else { continue }
            // The top-level role is not one of the delegations that are counted.
            guard visited.count <= limits.delegations else {
                throw TrustError.tooManyDelegations(target: path, limit: limits.delegations)
            }
            let body = try await loadTargets(&trusted, role: next.role, delegator: next.delegator)
            if let info = body.targets[path] { return (next.role, info) }
            visited.insert(Array(next.role.utf8))
            var children: [(role: String, delegator: String)] = []
            for child in try body.delegations?.roles(covering: path) ?? [] {
                children.append((child.name, next.role))
                if child.isTerminating {
                    toVisit = []
                    break
                }
            }
            toVisit += children.reversed()
        }
        return nil
    }

    // MARK: Small steps

    private func version(_ meta: MetaFile, in trusted: TrustedMetadata) -> Int? {
        trusted.root.body.consistentSnapshot ? meta.version : nil
    }

    /// A stated length can only lower the limit: the online keys that state it may be stolen.
    private func limit(_ meta: MetaFile, _ limit: Int) -> Int { min(meta.length ?? limit, limit) }

    private func fetch(_ path: String, limit: Int) async throws -> [UInt8] {
        guard let bytes = try await transport.fetch(path, maximumByteCount: limit) else {
            throw TrustError.missing(name: path)
        }
        return try checked(bytes, name: path, limit: limit)
    }

    /// A transport that reads on beyond the limit has already cost memory; it does not get to cost more.
    private func checked(_ bytes: [UInt8], name: String, limit: Int) throws(TrustError) -> [UInt8] {
        guard bytes.count <= limit else { throw .tooLarge(name: name, limit: limit) }
        return bytes
    }

    /// One operation after the other: two at once could store an older timestamp over a newer one.
    private func exclusively<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        if isBusy { await withCheckedContinuation { waiting.append($0) } } else { isBusy = true }
        defer { if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() } }
        return try await work()
    }
}
