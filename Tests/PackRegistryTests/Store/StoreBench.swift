import Foundation
import PackFormat
import PackTrust
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistrySQL

/// The stores that pass one contract.
enum StoreKind: CaseIterable, CustomTestStringConvertible {
    case memory
    case sqlite
    case postgres

    var testDescription: String { "\(self)" }
}

/// A founded registry without files: a store, keys, and the changes that people make.
struct StoreBench: Sendable {
    let folder: TemporaryFolder
    let store: any RegistryStore
    /// nil for the twin in memory.
    let database: (any RegistryDatabase)?
    let leases: any LeaseStore
    let committer: ChangeCommitter
    let signer: any OnlineSigner
    let publisher: PrivateKey
    let now: Date
    /// What the store takes for the time; changes are made at `now`.
    let clock: Shop.Clock

    static let packages = ["alpha", "beta"]
    let ann = Identity.local(user: "ann")

    /// - Parameter database: the PostgreSQL to use; nil: a schema of its own in the tests' server.
    init(_ kind: StoreKind, in database: (any RegistryDatabase)? = nil) async throws {
        folder = try TemporaryFolder()
        let now = Date(timeIntervalSince1970: 1_795_460_722)
        self.now = now
        let clock = Shop.Clock(now)
        self.clock = clock
        switch kind {
        case .memory:
            let store = MemoryRegistryStore(app: "shop", clock: { clock.now })
            (self.store, leases, self.database) = (store, store, nil)
        case .sqlite:
            let files = RegistryFolder(folder.url)
            let database = try SQLiteDatabase(files)
            self.database = database
            store = SQLStore(database: database, app: "shop", clock: .of { clock.now })
            leases = SQLiteLeases(files, database, clock: { clock.now })
        case .postgres:
            let given = database
            let database: any RegistryDatabase
            if let given { database = given } else { database = try await PostgresBench.database() }
            self.database = database
            store = SQLStore(database: database, app: "shop", clock: .of { clock.now })
            leases = SQLLeases(database, clock: .of { clock.now })
        }
        let root = try PrivateKey.generate(.ed25519)
        let owner = try PrivateKey.generate(.ed25519)
        let online = try PrivateKey.generate(.ed25519)
        publisher = try PrivateKey.generate(.ed25519)
        signer = OnlineKeys([online])
        committer = ChangeCommitter(store: store, signer: signer, clock: { now })
        var metadata = RootMetadata(expires: now + MetadataLifetime.root)
        metadata.setKeys([root.publicKey], for: .root)
        metadata.setKeys([owner.publicKey], for: .targets)
        metadata.setKeys([online.publicKey], for: .snapshot)
        metadata.setKeys([online.publicKey], for: .timestamp)
        var targets = TargetsMetadata(expires: now + MetadataLifetime.targets)
        try targets.delegate(
            ViewLayout.channelsRole, to: [online.publicKey], paths: [ViewLayout.channelPaths], isTerminating: true)
        for name in Self.packages { try targets.setPublishers([publisher.publicKey], of: PackageID(name)) }
        try await committer.commit(
            RegistryFounding(
                root: SignedDocument(unsigned: metadata).signed(by: root),
                targets: SignedDocument(unsigned: targets).signed(by: owner)), as: ann)
    }

    static func manifest(_ package: String, _ version: String) throws -> SealedManifest {
        let digest = Digest(of: Array("\(package) \(version)".utf8)).hex
        let text =
            "{\"entry\":\"index.html\",\"files\":{\"index.html\":{\"sha256\":\"\(digest)\",\"size\":10}},\"format\":1,"
            + "\"package\":\"\(package)\",\"version\":\"\(version)\"}"
        return try SealedManifest(parsing: Array(text.utf8))
    }

    /// What an upload leaves.
    struct Upload: RegistryChange {
        let package: String
        let version: String

        var query: FactsQuery { .unsigned }

        func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws {
            changes.uploads.append(try StoreBench.manifest(package, version))
        }
    }

    func upload(_ package: String, _ version: String) async throws {
        try await committer.commit(Upload(package: package, version: version), as: ann)
    }

    /// As a publisher signs it over the role that is there now.
    func publication(_ package: String, _ version: String) async throws -> VersionPublication {
        let sealed = try Self.manifest(package, version)
        let role = try await role(of: package) {
            $0.targets[ViewLayout.manifestTarget(sealed.manifest.package, sealed.manifest.version)] = TargetInfo(
                of: sealed.bytes)
        }
        return VersionPublication(sealed, role: role)
    }

    func withdrawal(_ package: String, _ version: String) async throws -> VersionWithdrawal {
        let (id, number) = try (PackageID(package), SemanticVersion(version))
        let role = try await role(of: package) { $0.targets[ViewLayout.manifestTarget(id, number)] = nil }
        return VersionWithdrawal(number, of: id, reason: "a fault", role: role)
    }

    private func role(of package: String, _ change: (inout TargetsMetadata) -> Void) async throws -> [UInt8] {
        var query = FactsQuery()
        let name = ViewLayout.role(of: try PackageID(package))
        query.roles = [name]
        let current: SignedDocument<TargetsMetadata>? = try await store.facts(query).newest(name)
        var body = current?.body ?? TargetsMetadata(version: 0, expires: now + MetadataLifetime.package)
        body.version += 1
        change(&body)
        return try SignedDocument(unsigned: body).signed(by: publisher).bytes
    }

    func release(_ change: ChannelChange, _ package: String, on channel: String = "beta", bits: UInt32 = 7) throws
        -> ChannelRelease
    {
        try ChannelRelease(change, of: PackageID(package), on: ChannelName(channel), randomBits: bits)
    }

    func publish(_ package: String, _ version: String) async throws {
        try await upload(package, version)
        try await committer.commit(publication(package, version), as: ann)
    }

    /// What people and devices see of the registry: versions, offers, the versions of signed metadata.
    func picture() async throws -> String {
        let overview = try await store.overview(of: nil)
        let versions = overview.versions.map { id, versions in
            "\(id): \(versions.map { "\($0.version)\($0.withdrawn == nil ? "" : " withdrawn")" }.sorted())"
        }
        let channels = overview.channels.flatMap { channel, packages in
            packages.map { "\(channel) \($0): \(ReleaseHistory.list($1))" }
        }
        var query = FactsQuery()
        query.histories = FactsQuery.Histories(of: try PackageID("alpha"), on: nil, files: nil)
        let facts = try await store.facts(query)
        let roles = facts.roleVersions.map { "\($0) \($1)" }
        return (versions.sorted() + channels.sorted() + roles.sorted()).joined(separator: "\n")
    }
}
