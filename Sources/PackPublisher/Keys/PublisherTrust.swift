package import Foundation
package import PackFormat
package import PackRegistryAPI
import PackSystem
package import PackTrust
import Synchronization

/// A publisher's view of an app's metadata, verified from the app's root before anything is signed on top of it. A
/// dishonest registry must not make a publisher sign false metadata.
package final class PublisherTrust: Sendable {
    private static let maximumRoleByteCount = 5_000_000

    private let registry: any RegistryReading
    private let client: TrustClient
    private let store: any TrustStore
    private let trustedRoot: [UInt8]
    private let place: String
    private let shared: URL?
    private let pauses: [Duration]
    private let read = Mutex(Read())

    /// What this process read.
    private struct Read {
        var refreshed: ContinuousClock.Instant?
        /// By package. Its bytes never change under the path.
        var roles: [PackageID: (path: ViewPath, bytes: [UInt8])] = [:]
    }

    /// How new what is read has to be.
    package enum State: Sendable {
        /// Read now.
        case newest
        /// Read by this process some seconds ago, or now.
        case recent
    }

    private static let recentTime: Duration = .seconds(10)
    private static let pause: Duration = .milliseconds(50)
    /// More than a command takes for it, also where a server is behind.
    private static let longestTurn: Duration = .seconds(60)
    /// A server whose bucket was away looks at it again after ten seconds, and shows until then what it had.
    package static let pauses = OlderTimestamp.pauses + [.seconds(2), .seconds(2), .seconds(2), .seconds(3)]

    /// - Parameters:
    ///   - store: Keeps the metadata that was seen, so that the publisher notices an older state.
    ///   - place: The registry's name in messages.
    ///   - shared: A file that every process locks that refreshes from this store. Otherwise one would compare what it
    ///     fetched with what another one fetched and kept a moment later, and keep its own in place of that.
    ///   - pauses: How long it waits before each further time where the registry shows an older timestamp.
    package init(
        registry: any RegistryReading, root: [UInt8], store: any TrustStore, place: String = "the registry",
        shared: URL? = nil, pauses: [Duration] = PublisherTrust.pauses, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.registry = registry
        self.place = place
        self.shared = shared
        self.pauses = pauses
        self.store = store
        trustedRoot = root
        client = TrustClient(
            store: store, transport: RegistryTransport(registry: registry), trustedRoot: root, now: now)
    }

    /// The current root and targets.
    package func refresh(to state: State = .newest) async throws -> (
        root: SignedDocument<RootMetadata>, targets: SignedDocument<TargetsMetadata>
    ) {
        let isRecent = read.withLock { $0.refreshed.map { .now - $0 < Self.recentTime } ?? false }
        if state == .newest || !isRecent { try await readNewest() }
        guard let trusted = await client.trustedMetadata, let targets = trusted.targets() else {
            throw RegistryError(.unusable, "the registry's metadata is not complete")
        }
        return (trusted.root, targets)
    }

    /// The current root and targets, where targets may have expired: their owner signs them anew. All else is checked as for a device.
    func refreshOfExpiredTargets() async throws -> (
        root: SignedDocument<RootMetadata>, targets: SignedDocument<TargetsMetadata>
    ) {
        do { return try await refresh() } catch TrustError.expired(let role, let expires)
            where role == TopLevelRole.targets.rawValue
        {
            let client = TrustClient(
                store: store, transport: RegistryTransport(registry: registry), trustedRoot: trustedRoot,
                now: { expires.addingTimeInterval(-1) })
            let lock = try await turn()
            defer { lock?.unlock() }
            try await client.refresh()
            guard let trusted = await client.trustedMetadata, let targets = trusted.targets() else {
                throw TrustError.expired(role: role, expires: expires)
            }
            return (trusted.root, targets)
        }
    }

    /// The newest root that was verified, whatever became of the refresh since; nil if there is none.
    func keptRoot() throws -> SignedDocument<RootMetadata>? {
        try store.newestRoot()
    }

    /// Has the next ``refresh(to:)`` read: this process changed what is there.
    package func forget() { read.withLock { $0.refreshed = nil } }

    private func readNewest() async throws {
        let lock = try await turn()
        defer { lock?.unlock() }
        do {
            let now = ContinuousClock.now
            try await OlderTimestamp.passed(after: pauses) { try await client.refresh() }
            read.withLock { $0.refreshed = now }
        } catch TrustError.rollback(let role, let found, let trusted) {
            throw RegistryError(
                .unusable,
                "\(place) shows an older state than this project has seen: \(role) would go back from version \(trusted) to "
                    + "\(found). If it is an old copy, give the right one with --registry. If it was restored from a backup, "
                    + "packtool keys rotate online --restored makes publishers and devices accept it (docs/OPERATIONS.md)"
            )
        }
    }

    /// The lock of ``shared``, once no other process has it; nil where the file is not there or cannot be locked.
    private func turn() async throws -> FileLock? {
        guard let shared, FileManager.default.fileExists(atPath: shared.path(percentEncoded: false)) else { return nil }
        let end = ContinuousClock.now + Self.longestTurn
        while .now < end {
            do {
                if let lock = try FileLock.take(shared, .exclusive, creating: false) { return lock }
            } catch { return nil }
            try await Task.sleep(for: Self.pause)
        }
        throw RegistryError(
            .busy,
            "another packtool command of this project has been reading the registry for a minute: end it, or wait for it (it holds a "
                + "lock on \(shared.path(percentEncoded: false)))")
    }

    /// The current role of a package as of the last ``refresh()``; nil if nothing was published yet. It may have
    /// expired: signing it anew ends that.
    /// - Parameter requiringSignature: False to read a role whose key was revoked, so that the owner can sign it
    ///   again.
    package func role(
        of package: PackageID, requiringSignature: Bool = true
    ) async throws -> SignedDocument<TargetsMetadata>? {
        let name = ViewLayout.role(of: package)
        guard let trusted = await client.trustedMetadata, let targets = trusted.targets(),
            let listed = trusted.snapshot?.body[role: name]
        else { return nil }
        let path = ViewPath.metadata(.package(package), version: listed.version)
        let bytes = try await bytes(of: package, at: path)
        try listed.check(bytes, name: path.description)
        let document = try SignedDocument<TargetsMetadata>(parsing: bytes, name: name)
        guard document.body.version == listed.version else {
            throw RegistryError(.unusable, "\(path) has version \(document.body.version)")
        }
        if let minimum = targets.body.delegations?.role(named: name)?.minimumVersion, document.body.version < minimum {
            throw RegistryError(
                .unusable,
                "the registry shows version \(document.body.version) of \(name), and the owner signed that only "
                    + "\(minimum) and later ones count: it was set back, or somebody else answers in its name")
        }
        if requiringSignature {
            guard let authority = targets.body.authority(for: name) else {
                throw RegistryError(.unusable, "targets does not delegate \(name)")
            }
            try document.verify(by: authority)
        }
        return document
    }

    private func bytes(of package: PackageID, at path: ViewPath) async throws -> [UInt8] {
        if let known = read.withLock({ $0.roles[package] }), known.path == path { return known.bytes }
        guard let bytes = try await registry.viewFile(path, maximumByteCount: Self.maximumRoleByteCount) else {
            throw RegistryError(.unusable, "the registry's view lacks \(path)")
        }
        read.withLock { $0.roles[package] = (path, bytes) }
        return bytes
    }
}
