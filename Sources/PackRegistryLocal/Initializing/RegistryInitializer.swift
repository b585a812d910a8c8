package import Foundation
import PackFormat
package import PackPublisher
package import PackRegistry
package import PackRegistryAPI
import PackRegistrySQL
import PackSystem
import PackTrust

/// Creates a registry and the keys of a single developer, so that `packtool publish` works at once.
///
///     let made = try RegistryInitializer(project: project, app: "shop").make(at: folder)
///     print(made.root.path)        // embed this in the app
///
/// The owner's keys (root, targets) and the publisher's key are made in the project's key folder and stay there. The
/// registry gets its own online key. Existing keys are used, so that an interrupted call can be repeated, and a
/// deleted registry can be made again under the same keys.
package struct RegistryInitializer: Sendable {
    package struct Made: Sendable {
        package let registry: LocalRegistry
        /// The root of trust to embed in the app.
        package let root: URL
        /// The key files that were created by this call.
        package let keys: [URL]
    }

    let project: ProjectFolder
    let keys: KeyFolder
    let app: String
    let clock: @Sendable () -> Date

    /// - Throws: ``RegistryError`` for an app id that is not 1 to 100 letters, digits, `.`, `-` and `_`.
    package init(
        project: ProjectFolder, app: String, environment: [String: String] = ProcessInfo.processInfo.environment,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) throws(RegistryError) {
        let isValid = app.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "._-".utf8.contains(byte)
        }
        guard isValid, (1...100).contains(app.utf8.count) else {
            throw RegistryError(.invalid, "\"\(app)\" is not an app id: use 1 to 100 letters, digits, dots, - and _")
        }
        self.project = project
        keys = KeyFolder(folder: project.keys, environment: environment)
        self.app = app
        self.clock = clock
    }

    /// Looks whether a new registry can have its place. Nothing is written.
    /// - Throws: ``RegistryError`` of the kind `.conflict` where another registry has folder or storage.
    package func check(at folder: URL, rows: RegistryRows? = nil, storage: (any RemoteStorage)? = nil) async throws {
        try await NewRegistryMark(folder: RegistryFolder(folder), storage: storage, hasRows: rows == nil).checkIsFree()
    }

    /// - Parameter rows: a database apart from the folder; nil: SQLite in it.
    /// - Parameter storage: for the files; nil: they are in the folder.
    package func make(
        at folder: URL, rows: RegistryRows? = nil, storage: (any RemoteStorage)? = nil
    ) async throws -> Made {
        if try !LocalRegistry.exists(folder, rows: rows) {
            try await check(at: folder, rows: rows, storage: storage)
        }
        let files = RegistryFolder(folder)
        try SystemCall.makeFolders(files.root)
        // Two commands that start in a fresh project at once make one registry.
        let lock = try FolderLock(files.root.appending(path: "init.lock", directoryHint: .notDirectory))
        guard try !LocalRegistry.exists(folder, rows: rows) else {
            throw RegistryError(.conflict, "there is a registry in \(rows?.database.name ?? files.name) already")
        }
        var made: [URL] = []
        try project.make()
        let root = try key(.root, made: &made)
        let owner = try key(.owner, made: &made)
        _ = try key(.publisher, made: &made)
        let online = try existingOnlineKeys(files) ?? OnlineKeys([PrivateKey.generate(.ed25519)])
        let now = clock()
        var rootMetadata = RootMetadata(expires: now.addingTimeInterval(MetadataLifetime.root))
        rootMetadata.setKeys([root.publicKey], for: .root)
        rootMetadata.setKeys([owner.publicKey], for: .targets)
        rootMetadata.setKeys(online.keys.map(\.publicKey), for: .snapshot)
        rootMetadata.setKeys(online.keys.map(\.publicKey), for: .timestamp)
        var targets = TargetsMetadata(expires: now.addingTimeInterval(MetadataLifetime.targets))
        try targets.delegate(
            ViewLayout.channelsRole, to: online.keys.map(\.publicKey), paths: [ViewLayout.channelPaths],
            isTerminating: true)
        let signedRoot = try SignedDocument(unsigned: rootMetadata).signed(by: root)
        // Before the registry can be seen, for whoever sees it needs the root. Written beside and renamed, for the
        // project may be on another file system than the registry.
        try SystemCall.replace(project.root, with: signedRoot.bytes)
        let registry = try await LocalRegistry.create(
            folder, rows: rows, storage: storage, app: app, root: signedRoot,
            targets: SignedDocument(unsigned: targets).signed(by: owner),
            keys: online, clock: clock)
        _ = consume lock
        return Made(registry: registry, root: project.root, keys: made)
    }

    private func key(_ name: KeyFolder.Name, made: inout [URL]) throws -> any Signer {
        if let signer = try keys.signer(name) { return signer }
        let (key, file) = try keys.make(name)
        made.append(file)
        return key
    }

    private func existingOnlineKeys(_ files: RegistryFolder) throws -> OnlineKeys? {
        FileManager.default.fileExists(atPath: files.onlineKeys.path(percentEncoded: false))
            ? try OnlineKeys.load(from: files) : nil
    }
}
