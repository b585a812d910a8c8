import Foundation
import PackFormat
import PackUpdaterOnline

@testable import PackUpdater

/// A device whose store is a temporary folder.
final class TestDevice {
    let store: URL
    let registry: TestRegistry
    var configuration: UpdaterConfiguration

    init(_ registry: TestRegistry) throws {
        self.registry = registry
        store = try Folders.temporary("device").appending(path: "store")
        configuration = UpdaterConfiguration(store: store, base: registry.view, channel: registry.channel)
        configuration.activation = .atOnce
        configuration.appVersion = try AppVersion("3.0.0")
    }

    deinit {
        try? FileManager.default.removeItem(at: store.deletingLastPathComponent())
    }

    /// The updater of a newly started app.
    func updater(transport: (any UpdateTransport)? = nil, trust: UpdateError? = nil) throws -> Updater {
        let signed = registry.signed
        return try Updater(configuration, transport: transport ?? FolderTransport(folder: registry.view)) {
            _, _, transport, _ in
            // A preset brings its own targets beside its view.
            if let preset = transport as? FolderTransport, preset.folder != signed,
                FileManager.default.fileExists(
                    atPath: preset.folder.appending(path: "signed").path)
            {
                return UnsignedTargets(folder: preset.folder.appending(path: "signed"))
            }
            return UnsignedTargets(folder: signed, fault: trust)
        }
    }

    func state(_ package: String) throws -> PackageState {
        try DeviceStore(folder: store).state()[PackageID(package)]
    }

    /// What a page of the active version reads; nil where none is installed.
    func page(_ package: String, _ path: String = "index.html", by updater: Updater? = nil) async throws -> String? {
        let opened = try await (updater ?? self.updater()).openInstalled(PackageID(package))
        guard let session = opened, let file = try session.file(at: PackagePath(path)) else {
            return nil
        }
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Starts the app, opens the package and confirms it.
    func confirm(_ package: String) async throws {
        let updater = try updater()
        guard case .installed(let session) = try await updater.open(PackageID(package)) else { return }
        try await updater.confirm(session.package, version: session.version, loadToken: session.loadToken)
    }

    func events(_ kind: Event.Kind) throws -> [Event] {
        EventLog(file: store.appending(path: "events.jsonl")).events(limit: .max).filter { $0.kind == kind }
    }

    func listing() throws -> [String] { try Folders.listing(store) }
}

/// A transport that notes what was asked for, and can be made to fail or lie.
actor WatchedTransport: UpdateTransport {
    private let inner: any UpdateTransport
    private(set) var paths: [String] = []
    private let rewrite: @Sendable (String, [UInt8]) throws -> [UInt8]?

    init(
        _ inner: any UpdateTransport, rewrite: @escaping @Sendable (String, [UInt8]) throws -> [UInt8]? = { $1 }
    ) {
        self.inner = inner
        self.rewrite = rewrite
    }

    func read(_ path: String, maximumByteCount: Int, validator: String?) async throws -> ReadAnswer {
        paths.append(path)
        let answer = try await inner.read(path, maximumByteCount: maximumByteCount, validator: validator)
        guard case .bytes(let bytes, let validator) = answer else { return answer }
        guard let bytes = try rewrite(path, bytes) else { return .missing }
        return .bytes(bytes, validator: validator)
    }

    func download(_ path: String, to file: URL, maximumByteCount: Int) async throws -> Bool {
        paths.append(path)
        guard try await inner.download(path, to: file, maximumByteCount: maximumByteCount) else { return false }
        guard let bytes = try rewrite(path, Array(Data(contentsOf: file))) else {
            try FileManager.default.removeItem(at: file)
            return false
        }
        try Data(bytes).write(to: file)
        return true
    }
}
