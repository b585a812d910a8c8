package import Foundation
import PackArchive
package import PackFormat
package import PackRegistry
package import PackRegistryAPI
import PackRegistrySQL
import PackSystem
import PackTrust

/// A registry whose files are in a folder, and whose rows are beside them in SQLite, or in a database that several servers share
/// (``RegistryRows``). The files may be in remote storage instead (``RemoteStorage``); then the folder has copies of them. Several
/// processes may have it open at once.
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
    private let hold = ViewHold()
    let claims = ArtifactClaims()
    let makers: ArtifactMakers
    /// The copies in the folder, if the files are in remote storage.
    let mirror: ViewMirror?
    let signatures = SignatureExpiries()
    let reportStore: any ReportStore
    /// The app that the registry belongs to.
    package let app: String
    /// Whether devices have seen newer signed metadata than the rows had when it was opened (``ViewWriter/behind``).
    package private(set) var isBehind = false

    /// What to tell people where the rows were brought to this program's form when they were opened; nil: they had it.
    package var migration: String? {
        guard database.isMigrated else { return nil }
        return
            "\(database.name) was of an earlier packtool and has this one's form now: an earlier one cannot open it any more, and no "
            + "copy of it was made (docs/RELEASING.md)"
    }

    var database: any RegistryDatabase { rows.database }
    var leases: any LeaseStore { rows.leases }

    package var folder: URL { files.root }
    /// The published view: plain files that anything can serve, or copies of some of them (``fetch(_:)``).
    package var viewFolder: URL { files.view }

    /// The folder for incoming uploads, on the same file system as the view.
    package var uploadFolder: URL { files.uploads }

    var store: ObjectStore { ObjectStore(folder: files) }
    var artifacts: ArtifactBuilder {
        ArtifactBuilder(folder: files, database: database, claims: claims, makers: makers, mirror: mirror)
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
    /// - Parameter storage: where the files are; nil: in the folder.
    /// - Parameter look: what was begun to be read there; nil: nothing was.
    /// - Parameter maker: the program that makes patches and downloads, so that the memory for it ends with it; nil: they
    ///   are made in this process.
    /// - Parameter copyByteCount: what copies of files in remote storage may take of the folder's disk; nil: the usual.
    package static func open(
        _ folder: URL, rows: RegistryRows? = nil, storage: (any RemoteStorage)? = nil, look: StorageLook? = nil,
        maker: MakerProgram? = nil, copyByteCount: Int? = nil,
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
        let settings = try await rows.database.reading { try SettingTable(db: $0).values() }
        let (mark, address) = (settings[FolderMark.setting], settings[StorageMark.setting])
        guard let app = settings[SettingTable.appName] else {
            throw rows.isShared
                ? RegistryError(
                    .notFound,
                    "there is no registry in \(rows.database.name): make one with packtool init, or, if there was one, "
                        + "restore the database first (docs/SCALING.md)")
                : RegistryError(
                    .unusable, "the registry in \(files.name) is incomplete: run packtool init again")
        }
        let place = rows.isShared ? rows.database.name : files.name
        let mirror = storage.map {
            ViewMirror(files, of: $0, maximumByteCount: copyByteCount ?? ViewMirror.usualByteCount)
        }
        if let storage, let mirror {
            let look = look ?? StorageLook(at: storage)
            try await StorageMark(storage: storage, folder: files).check(
                mark, look, known: address, of: place, hasRows: !rows.isShared)
            await mirror.remember(look.timestamp)
        } else if let address {
            throw RegistryError(
                .unusable,
                "the files of the registry in \(place) are in \(address): give this address with --storage or "
                    + "PACKTOOL_STORAGE")
        } else if rows.isShared {
            try FolderMark(files).check(mark, of: place)
        }
        var registry = LocalRegistry(
            files: files, rows: rows, clock: clock, makers: ArtifactMakers(maker), mirror: mirror,
            reportStore: rows.reports ?? SQLiteReportStore(folder: files), app: app)
        // Remote storage keeps what it has. A server looks for every file there once a day, a command does not.
        let isWhole =
            storage != nil || ViewCheck(folder: files).isRecent ? try await registry.services.showIfWhole() : false
        if !isWhole {
            do { try await registry.check() } catch let error as RegistryError where error == ViewWriter.behind {
                // It opens all the same: reading helps to find out what is missing, and ``showRestored()`` ends it.
                registry.isBehind = true
            }
        }
        return registry
    }

    /// Makes a registry of an app from metadata that its owner signed; making it again is an error.
    ///
    /// Everything becomes visible in one transaction, so an interrupted call is simply repeated.
    static func create(
        _ folder: URL, rows: RegistryRows?, storage: (any RemoteStorage)?, app: String,
        root: SignedDocument<RootMetadata>, targets: SignedDocument<TargetsMetadata>,
        keys: OnlineKeys, clock: @escaping @Sendable () -> Date
    ) async throws -> LocalRegistry {
        let files = RegistryFolder(folder)
        try SystemCall.makeFolders(files.root)
        try keys.save(to: files)
        let rows = try rows ?? RegistryRows(files, clock: clock)
        let settled = try await NewRegistryMark(folder: files, storage: storage, hasRows: !rows.isShared).made()
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
            for (name, value) in settled { if let value { try settings.set(name, to: value) } }
            try ChangeWriter(db: db, changes: changes).write()
        }
        return try await open(folder, rows: rows, storage: storage, clock: clock)
    }

    /// The parts behind their ports.
    var services: RegistryServices {
        RegistryServices(
            store: SQLStore(database: database, app: app, clock: rows.clock), leases: leases,
            signer: FileOnlineSigner(folder: files), content: mirror?.content ?? FolderContentStore(folder: files),
            view: view, downloads: LocalDownloads(local: self), reports: reportStore,
            webhooks: SQLWebhooks(database: database, app: app), hold: hold, clock: clock)
    }

    /// Shows the changes of the body at once, after the last of them. Only for a command, whose changes come one after another.
    package func showingTogether<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await services.showingTogether(body)
    }

    private var view: any ViewStore {
        if let mirror { MirroredView(mirror: mirror) } else { FolderViewStore(folder: files) }
    }

    package var now: Date { clock() }

    /// What is to be sent to webhooks.
    package var webhookQueue: any WebhookQueue { SQLWebhooks(database: database, app: app) }

    /// What devices reported.
    package var reports: (any ReportStore)? { reportStore }

    /// Opens the reports, if there are any, and moves them to the present form.
    /// - Throws: `RegistryError`
    package func prepareReports() async throws { try await reportStore.prepare() }

    package func offeredVersions() async throws -> OfferedVersions {
        try await database.reading { try OfferedVersionReader(db: $0).read() }
    }

    /// The identity of a token's holder.
    /// - Throws: ``RegistryError`` of the kind `.unauthorized` for an unknown, expired or revoked one.
    package func authenticate(_ secret: String) async throws -> Identity { try await services.authenticate(secret) }

    package func trusts(in issuer: String) async throws -> [TokenTrust] { try await services.trusts(in: issuer) }

    package func exchange(_ token: IDToken, trust: String?) async throws -> CreatedToken {
        try await services.exchange(token, trust: trust)
    }

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

    /// Renews signatures that expire soon.
    /// - Returns: the roles that were due.
    @discardableResult
    package func renew() async throws -> [String] { try await services.renew() }

    /// The online roles that ``renew()`` would sign.
    package func dueRoles() async throws -> [String] { try await services.dueRoles() }
}

extension LocalRegistry: RegistryHost {}
