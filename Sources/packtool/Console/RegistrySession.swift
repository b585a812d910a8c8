import Foundation
import PackBuilder
import PackFormat
import PackPublisher
import PackRegistry
import PackRegistryAPI
import PackRegistryLocal
import PackTrust

/// A command's registry, with the project's keys and root of trust.
struct RegistrySession {
    let registry: any Registry
    let configuration: PackConfiguration?
    let project: ProjectFolder
    let location: RegistryLocation
    /// The registry of a folder or a database; nil for a server.
    let local: LocalRegistry?
    /// What a publication refuses, and another change is warned of (``finish(console:)``).
    private let olderState: String?
    private let console: Console

    /// - Parameter waitsForServer: Whether a server that starts anew is waited for (``RetryPolicy``).
    init(_ options: RegistryOptions, console: Console, waitsForServer: Bool = true) async throws {
        self.console = console
        try options.authorities.trust()
        let current = try CurrentProject()
        configuration = current.configuration
        project = current.folder
        location = try options.location(of: current)
        let token = try options.token()
        if case .server = location, token == nil, ProcessInfo.processInfo.environment["PACKTOOL_TOKEN"] != nil {
            console.note(
                "warning: PACKTOOL_TOKEN is set and empty, so no access token is sent; a CI service does that for a secret that "
                    + "is missing, or that this job may not see")
        }
        if case .server(let url) = location, token != nil, url.scheme?.lowercased() == "http",
            !LoopbackName.isOne(url.host() ?? "")
        {
            console.note("warning: the access token travels unencrypted to \(url.host() ?? ""): use https")
        }
        switch location {
        case .folder, .database:
            let opened = try await RegistryPlace(location)?.open()
            guard let opened else { throw CommandFailure("the registry cannot be opened") }
            if let text = opened.migration { console.note(text) }
            if opened.isBehind { console.note("warning: \(ViewWriter.behind)") }
            registry = opened.registry(as: .local(user: NSUserName()))
            local = opened
        case .server(let url):
            var retry = try ServerPatience.policy(console)
            if !waitsForServer { retry.patience = .zero }
            registry = try RemoteRegistry(url.absoluteString, token: token, retry: retry)
            local = nil
        }
        // Copies of folders are left behind; a database and a bucket have one address each.
        if case .folder = location {
            olderState = await Self.olderState(of: registry, at: location, project)
        } else {
            olderState = nil
        }
    }

    /// How a folder is behind what the project has verified of it; nil if it is not.
    private static func olderState(
        of registry: any Registry, at location: RegistryLocation, _ project: ProjectFolder
    ) async -> String? {
        guard FileManager.default.fileExists(atPath: project.root.path(percentEncoded: false)),
            let anchor = try? await TrustAnchor(project: project, registry: registry, isKept: false),
            let seen = anchor.seenTimestampVersion(in: project),
            let bytes = try? await registry.viewFile(.timestamp, maximumByteCount: 1 << 20),
            let shown = try? SignedDocument<TimestampMetadata>(parsing: bytes).body.version, shown < seen
        else { return nil }
        return
            "the registry \(location) shows an older state than this project has seen: timestamp \(shown), after \(seen). If it is "
            + "an old copy, no device sees what was changed in it: give the right one with --registry"
    }

    /// Keys from the environment, else from the project's key folder.
    var keys: KeyFolder {
        KeyFolder(
            folder: project.keys, environment: ProcessInfo.processInfo.environment,
            notice: { [console] in console.interrupt($0) }
        ) { name in
            guard isatty(FileHandle.standardInput.fileDescriptor) == 1, let text = getpass("Passphrase of \(name): ")
            else {
                throw CommandFailure("\(name) is encrypted: give its passphrase in \(KeyFolder.passphraseVariable)")
            }
            return String(cString: text)
        }
    }

    /// Signatures of a folder that expire soon are renewed first: what is expired can be neither verified nor built upon.
    /// - Parameter isRenewing: False where the online key is replaced, which perhaps cannot sign.
    func trust(console: Console, isRenewing: Bool = true) async throws -> PublisherTrust {
        if isRenewing { _ = try await local?.renew() }
        let anchor = try await TrustAnchor(project: project, registry: registry)
        if anchor.isNew {
            console.note(
                "trusting this registry's root from now on: it was written to \(project.root.path), commit it")
        }
        return try PublisherTrust(
            registry: registry, root: anchor.root, store: anchor.store(in: project), place: "the registry \(location)",
            shared: project.root)
    }

    /// The same for what only reads: nothing is renewed, and nothing that was seen is kept.
    func readingTrust() async throws -> PublisherTrust {
        let anchor = try await TrustAnchor(project: project, registry: registry, isKept: false)
        let store = PreviewTrustStore(try anchor.store(in: project))
        return PublisherTrust(registry: registry, root: anchor.root, store: store, shared: project.root)
    }

    /// Removes what the project has seen of the registry; its root stays.
    func forgetSeenMetadata() async throws {
        let folder = try await TrustAnchor(project: project, registry: registry).store(in: project).folder
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        try FileManager.default.removeItem(at: folder)
    }

    /// The roots that the project has seen, by their version.
    func seenRoots() async throws -> [Int: [UInt8]] {
        try await TrustAnchor(project: project, registry: registry).store(in: project).roots()
    }

    func maintenance(console: Console, isRenewing: Bool = true) async throws -> KeyMaintenance {
        KeyMaintenance(registry: registry, trust: try await trust(console: console, isRenewing: isRenewing))
    }

    /// - Parameter isDryRun: writes nothing, neither here nor in the registry.
    func publisher(
        console: Console, origin: BuildOrigin? = nil, isDryRun: Bool = false
    ) async throws -> Publisher {
        let keys = try keys.signingKeys()
        guard !keys.publisher.isEmpty else {
            let variable = KeyFolder.Name.publisher.variable
            if ProcessInfo.processInfo.environment[variable] != nil {
                throw CommandFailure(
                    "\(variable) is set and empty: give it the publisher's private key; a CI "
                        + "service sets an empty variable for a secret that is missing, or that this job may not see")
            }
            throw CommandFailure(
                "there is no key to sign with: set \(KeyFolder.Name.publisher.variable), or make one with "
                    + "packtool keys generate publisher")
        }
        guard isDryRun else {
            return Publisher(registry: registry, trust: try await trust(console: console), keys: keys, origin: origin)
        }
        return Publisher(registry: registry, trust: try await readingTrust(), keys: keys, origin: origin)
    }

    /// Makes changes that devices of this command's own registry see at once, after the last of them. A server shows each.
    func showingTogether<Value>(_ body: () async throws -> Value) async throws -> Value {
        guard let local else { return try await body() }
        return try await local.showingTogether(body)
    }

    /// Makes the patches and small downloads that a change left to be made. The change is there already, devices can use
    /// it; a server, where the registry has one, makes them by itself. So what goes wrong here is told, and is no
    /// failure of the command.
    func finish(console: Console) async {
        if let olderState { console.note("warning: \(olderState)") }
        guard let local, await !local.isServed() else { return }
        let line = ProgressLine(console)
        do {
            try await local.maintain { made, all in line.show("making patches and downloads: \(made) of \(all)") }
            line.clear()
        } catch {
            line.clear()
            console.note("warning: \(error)")
        }
    }
}
