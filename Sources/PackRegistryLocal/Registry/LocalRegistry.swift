package import Foundation
import PackArchive
package import PackFormat
package import PackRegistry
package import PackRegistryAPI
import PackRegistrySQL
import PackSystem
import PackTrust

/// A registry whose files are in a folder, and whose rows are beside them in SQLite, or in a database that several servers share
/// (``RegistryRows``). Several processes may have it open at once.
///
///     let local = try await LocalRegistry.open(folder)
///     let registry: any Registry = local.registry(as: .local(user: "ann"))
///
/// A server opens one, finds the identity of a client, and acts on its behalf:
///
///     let identity = try await local.authenticate(secret)
///     try await local.registry(as: identity).change(change, of: package, on: channel)
///
/// The rows are the truth. A change is one transaction, in which the signed metadata is recorded too; then the view is written
/// from the database, `metadata/timestamp.json` last. A process that dies in between leaves work that the next one finishes.
package struct LocalRegistry: Sendable {
    let files: RegistryFolder
    let rows: RegistryRows
    let clock: @Sendable () -> Date
    let signal = ChangeSignal()
    let claims = ArtifactClaims()
    let makers: ArtifactMakers
    let signatures = SignatureExpiries()
    let reportStore: SQLiteReportStore
    /// The app that the registry belongs to.
    package let app: String

    var database: any RegistryDatabase { rows.database }
    var leases: any LeaseStore { rows.leases }

    package var folder: URL { files.root }
    /// The published view: plain files that anything can serve.
    package var viewFolder: URL { files.view }

    /// The folder for incoming uploads, on the same file system as the view.
    package var uploadFolder: URL { files.uploads }

    var store: ObjectStore { ObjectStore(folder: files) }
    var artifacts: ArtifactBuilder {
        ArtifactBuilder(folder: files, database: database, claims: claims, makers: makers)
    }

    /// Whether a folder contains a completely created registry.
    /// - Throws: ``RegistryError`` if there is one that cannot be read: damaged, or of a newer format.
    package static func exists(_ folder: URL, rows: RegistryRows? = nil) throws -> Bool {
        let app = { (db: Database) in try SettingTable(db: db).app() }
        if let rows { return try rows.database.read(app) != nil }
        let files = RegistryFolder(folder)
        guard files.exists else { return false }
        return try SQLiteDatabase(files).read(app) != nil
    }

    /// Opens an existing registry and completes what an interrupted process has left.
    /// - Parameter rows: a database apart from the folder; nil: SQLite in it.
    /// - Parameter maker: the program that makes patches and downloads, so that the memory for it ends with it; nil: they
    ///   are made in this process.
    package static func open(
        _ folder: URL, rows: RegistryRows? = nil, maker: MakerProgram? = nil,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> LocalRegistry {
        let files = RegistryFolder(folder)
        guard rows != nil || files.exists else {
            throw RegistryError(
                .notFound,
                "there is no registry in \(files.name): make one with packtool init, or give the right "
                    + "place with --registry")
        }
        let rows = try rows ?? RegistryRows(files, clock: clock)
        let (app, mark) = try await rows.database.reading { db in
            let settings = SettingTable(db: db)
            return (try settings.app(), try settings.value(FolderMark.setting))
        }
        guard let app else {
            throw rows.isShared
                ? RegistryError(
                    .notFound, "there is no registry in \(rows.database.name): make one with packtool init")
                : RegistryError(
                    .unusable, "the registry in \(files.name) is incomplete: run packtool init again")
        }
        if rows.isShared { try FolderMark(files).check(mark, of: rows.database.name) }
        let registry = LocalRegistry(
            files: files, rows: rows, clock: clock, makers: ArtifactMakers(maker),
            reportStore: SQLiteReportStore(folder: files), app: app)
        let isWhole = ViewCheck(folder: files).isRecent ? try await registry.services.showIfWhole() : false
        if !isWhole { try await registry.check() }
        return registry
    }

    /// Makes a registry of an app from metadata that its owner signed; making it again is an error.
    ///
    /// Everything becomes visible in one transaction, so an interrupted call is simply repeated.
    static func create(
        _ folder: URL, rows: RegistryRows?, app: String, root: SignedDocument<RootMetadata>,
        targets: SignedDocument<TargetsMetadata>,
        keys: OnlineKeys, clock: @escaping @Sendable () -> Date
    ) async throws -> LocalRegistry {
        let files = RegistryFolder(folder)
        try SystemCall.makeFolders(files.root)
        try keys.save(to: files)
        let rows = try rows ?? RegistryRows(files, clock: clock)
        let mark = rows.isShared ? try FolderMark(files).made() : nil
        var founding = ChangeSet(by: .local(user: NSUserName()), at: clock())
        let facts = RegistryFacts(app: app)
        try RegistryFounding(root: root, targets: targets).decide(facts, into: &founding)
        try MetadataSigner(facts, signer: keys, now: founding.time).sign(&founding)
        let changes = founding
        try await rows.database.writing { db in
            let settings = SettingTable(db: db)
            guard try settings.app() == nil else {
                let place = rows.isShared ? rows.database.name : files.name
                throw RegistryError(.conflict, "there is a registry in \(place) already")
            }
            try settings.setApp(app)
            if let mark { try settings.set(FolderMark.setting, to: mark) }
            try ChangeWriter(db: db, changes: changes).write()
        }
        return try await open(folder, rows: rows, clock: clock)
    }

    /// The parts behind their ports.
    var services: RegistryServices {
        RegistryServices(
            store: SQLStore(database: database, app: app, clock: rows.clock), leases: leases,
            signer: FileOnlineSigner(folder: files), content: FolderContentStore(folder: files),
            view: FolderViewStore(folder: files), downloads: LocalDownloads(local: self), reports: reportStore,
            webhooks: SQLWebhooks(database: database, app: app), clock: clock)
    }

    package var now: Date { clock() }

    /// What is to be sent to webhooks.
    package var webhookQueue: any WebhookQueue { SQLWebhooks(database: database, app: app) }

    /// What devices reported.
    package var reports: (any ReportStore)? { reportStore }

    package func offeredVersions() async throws -> OfferedVersions {
        try await database.reading { try OfferedVersionReader(db: $0).read() }
    }

    /// The identity of a token's holder.
    /// - Throws: ``RegistryError`` of the kind `.unauthorized` for an unknown, expired or revoked one.
    package func authenticate(_ secret: String) async throws -> Identity { try await services.authenticate(secret) }

    /// The same registry with the rights of one identity, whose name the audit log records.
    package func registry(as identity: Identity) -> any Registry { AuthorizedRegistry(services, as: identity) }

    /// The manifest of a published version; nil if there is none, or it was withdrawn.
    package func manifest(of package: PackageID, _ version: SemanticVersion) async throws -> Manifest? {
        try await database.reading { db in
            let versions = VersionTable(db: db)
            guard let published = try versions.published(package, version), published.withdrawn == nil else {
                return nil
            }
            return try versions.manifest(published.manifest)
        }
    }

    /// What a channel offers; nil if nothing was ever offered on it.
    package func channelFile(_ channel: ChannelName) async throws -> ChannelFile? {
        try await database.reading { try MetadataTable(db: $0).channelFile(channel) }
    }

    /// Renews signatures that expire soon, updates the view, and makes the files that are derived from versions.
    /// - Parameter time: After this time, and if the task is cancelled, the rest is left to the next call; the
    ///   current file is finished.
    /// - Parameter lease: The lease of the server that does it; nil for a command.
    /// - Parameter report: how many of those files are made, and how many there are in all.
    package func maintain(
        for time: Duration? = nil, under lease: Lease? = nil,
        report: @escaping @Sendable (_ made: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws {
        try await services.renew(under: lease)
        // What another process recorded and died before it was shown.
        if try await !services.showIfWhole() { try await check() }
        try await BlockingWork.runCancellable(for: time) { [self] isOver in
            if try artifacts.hasLostFolder() { try artifacts.forgetLost() }
            try artifacts.makeWanted(until: isOver, report: report)
        }
    }

    /// Makes the compressed forms in which a server sends online copies.
    /// - Returns: false if something else is wanted first.
    func makeEncodings(for time: Duration? = nil) async throws -> Bool {
        try await BlockingWork.runCancellable(for: time) { [self] in try artifacts.makeEncodings(until: $0) }
    }

    /// Looks for every file of the view: what was lost is written again, or made again by ``maintain(report:)``.
    func check() async throws {
        let (check, view) = (ViewCheck(folder: files), FolderViewStore(folder: files))
        try await BlockingWork.run { [self] in
            try artifacts.forgetLost()
            try check.begin()
        }
        let names = view.forgettable()
        let kept = try await services.complete()
        try await BlockingWork.run {
            view.remove(names, keeping: kept)
            try check.end()
        }
    }

    /// Renews signatures that expire soon.
    /// - Returns: the roles that were due.
    @discardableResult
    package func renew() async throws -> [String] { try await services.renew() }

    /// The online roles that ``renew()`` would sign.
    package func dueRoles() async throws -> [String] { try await services.dueRoles() }
}

extension LocalRegistry: RegistryHost {}
