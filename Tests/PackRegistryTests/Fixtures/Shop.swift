import Foundation
import PackArchive
import PackFormat
import PackTrust
import Synchronization
import TestSupport

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistrySQL

/// A registry of the app "shop" with the keys of a single developer.
final class Shop: Sendable {
    let folder: TemporaryFolder
    let local: LocalRegistry
    let project: ProjectFolder
    let clock: Clock
    /// Where the rows are in PostgreSQL; nil if they are in the folder.
    private let schema: String?
    /// Where the files are, if they are not in the folder.
    private let storage: (any RemoteStorage)?

    /// A clock that tests move.
    final class Clock: Sendable {
        private let time: Mutex<Date>

        init(_ start: Date) { time = Mutex(start) }

        var now: Date { time.withLock { $0 } }

        func advance(seconds: Double) { time.withLock { $0.addTimeInterval(seconds) } }

        func advance(days: Double) { time.withLock { $0.addTimeInterval(days * 86_400) } }
    }

    /// - Parameter isInDatabase: the rows are in PostgreSQL, not in the folder.
    /// - Parameter storage: where the files are; nil: in the folder.
    init(isInDatabase: Bool = false, storage: (any RemoteStorage)? = nil) async throws {
        self.storage = storage
        folder = try TemporaryFolder()
        project = ProjectFolder(folder.url.appending(path: "project", directoryHint: .isDirectory))
        let clock = Clock(Date())
        self.clock = clock
        schema = isInDatabase ? PostgresBench.newSchema() : nil
        local = try await RegistryInitializer(project: project, app: "shop", environment: [:], clock: { clock.now })
            .make(
                at: project.registry, rows: Self.rows(schema, clock), storage: storage
            )
            .registry
    }

    private static func rows(_ schema: String?, _ clock: Clock) async throws -> RegistryRows? {
        guard let schema else { return nil }
        return try await RegistryRows(
            shared: PostgresBench.database(schema), reports: PostgresBench.reports(schema + "_reports"),
            clock: .of { clock.now })
    }

    /// The registry as one more server has it, with connections of its own.
    func reopened() async throws -> LocalRegistry {
        let clock = clock
        return try await LocalRegistry.open(
            project.registry, rows: Self.rows(schema, clock), storage: storage, clock: { clock.now })
    }

    var registry: any Registry { local.registry(as: .local(user: "ann")) }

    /// Records and shows what no command does at once.
    func record(
        roles: Set<String> = [], _ body: (inout ChangeSet, RegistryFacts) throws -> Void
    ) async throws {
        let store = local.services.store
        var query = FactsQuery()
        query.roles = roles
        query.names = FactsQuery.Names(versionsOf: try PackageID("checkout"), packagesOn: try ChannelName("beta"))
        let facts = try await store.facts(query)
        var changes = ChangeSet(by: .local(user: "ann"), at: clock.now)
        try body(&changes, facts)
        try MetadataSigner(facts, signer: OnlineKeys.load(from: local.files), now: changes.time).sign(&changes)
        let signed = changes
        try await store.commit(signed, basedOn: facts.base)
        _ = try await local.services.complete()
    }

    func keys() throws -> SigningKeys {
        try KeyFolder(folder: project.keys).signingKeys()
    }

    func trust(over registry: any RegistryReading) throws -> PublisherTrust {
        let clock = clock
        return try PublisherTrust(
            registry: registry, root: Array(Data(contentsOf: project.root)),
            store: FolderTrustStore(folder: folder.url.appending(path: "trust-\(UUID().uuidString)")),
            now: { clock.now })
    }

    func publisher(over registry: (any Registry)? = nil) throws -> Publisher {
        let registry = registry ?? self.registry
        let clock = clock
        return try Publisher(registry: registry, trust: trust(over: registry), keys: keys(), now: { clock.now })
    }

    /// What a device would do: everything verified from the embedded root.
    func device(over registry: (any RegistryReading)? = nil) throws -> TrustClient {
        let registry = registry ?? self.registry
        let clock = clock
        return try TrustClient(
            store: FolderTrustStore(folder: folder.url.appending(path: "device-\(UUID().uuidString)")),
            transport: RegistryTransport(registry: registry), trustedRoot: Array(Data(contentsOf: project.root)),
            now: { clock.now })
    }

    func page(_ version: String, package: String = "checkout") throws -> Site {
        try Site.page(version, package: package, in: folder)
    }

    /// The channel file as a device reads it.
    func channel(_ name: String = "beta") async throws -> ChannelFile {
        let bytes = try await device().target("channels/\(name).json", maximumByteCount: 1 << 20)
        return try ChannelFile(parsing: bytes)
    }

    /// What earlier devices are offered, which know no sets.
    func releases(_ package: String = "checkout", on channel: String = "beta") async throws -> [String] {
        try await Self.texts(self.channel(channel), package)
    }

    /// What devices of today are offered.
    func offers(_ package: String = "checkout", on name: String = "beta") async throws -> [String] {
        guard let file = try await registry.channelFile(ChannelName(name), at: nil) else { return [] }
        return try Self.texts(file, package)
    }

    private static func texts(_ file: ChannelFile, _ package: String) throws -> [String] {
        try file.packages[PackageID(package)]?.releases.map { release in
            "\(release.version?.description ?? "embedded")@\(release.rollout.text.replacing(" %", with: ""))"
        } ?? []
    }

    /// The files below the folder `view`.
    var viewListing: Set<String> {
        get throws { try folder.listing("project/registry/view") }
    }

    /// The files that the registry has, in the folder or in remote storage.
    var fileNames: Set<String> {
        get async throws {
            guard let storage else { return try viewListing }
            let names = Mutex<Set<String>>([])
            try await storage.view.list("") { found in names.withLock { $0.formUnion(found.map(\.name)) } }
            // Its mark, and what was tried when it was opened, are beside the view.
            return names.withLock(\.self).filter { StoredPath($0) != nil }
        }
    }
}

func version(_ text: String) throws -> SemanticVersion { try SemanticVersion(text) }
func package(_ text: String = "checkout") throws -> PackageID { try PackageID(text) }
func channel(_ text: String = "beta") throws -> ChannelName { try ChannelName(text) }
