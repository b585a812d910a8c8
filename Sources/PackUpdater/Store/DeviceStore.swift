import PackFormat
import PackSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#endif

/// The durable layer around ``StoreState``: it opens a store, replaces its state as a whole, and holds its locks.
///
/// Two locks: `update.lock` for as long as an update, a repair or a collection works (others get a clear error),
/// `state.lock` for the moment of reading and replacing `state.json`, so that a page never waits for a download.
struct DeviceStore: Sendable {
    let layout: StoreLayout

    /// Opens a store; one that is not there is made by the first operation that writes. A store of a newer format is
    /// refused. A damaged one opens, for the repair; every other operation throws what is wrong with it.
    init(folder: URL) throws(UpdateError) {
        layout = StoreLayout(folder: folder.standardizedFileURL)
        do {
            // An earlier version let others read it.
            if try Self.read(layout) != nil { makePrivate() }
        } catch {
            guard case .storeIsDamaged = error else { throw error }
        }
    }

    /// What a store says about its owner (which packages, which device id) is nobody else's to read. Its folder keeps
    /// others away from all that is below.
    private func makePrivate() {
        for url in [layout.folder, layout.state, layout.events] { Durable.makePrivate(url) }
    }

    /// The state as it is on disk now.
    func state() throws(UpdateError) -> StoreState {
        try Self.read(layout) ?? StoreState(deviceID: "")
    }

    /// Reads the state, changes it and replaces it, alone among all processes; nothing is written where nothing
    /// changed. What `body` does besides (a pin) happens under the same lock.
    func change<Result>(_ body: (inout StoreState) throws -> Result) throws -> Result {
        if try !Durable.exists(layout.folder) { try Durable.makeFolder(layout.folder) }
        let lock = try Durable.lock(layout.stateLock, .exclusive)
        defer { withExtendedLifetime(lock) {} }
        let old = try Self.read(layout)
        var state = old ?? StoreState(deviceID: Self.randomID())
        let result = try body(&state)
        state.showWholeSets()
        if state != old { try Self.write(state, layout) }
        return result
    }

    static func write(_ state: StoreState, _ layout: StoreLayout) throws(UpdateError) {
        let bytes = state.bytes
        guard bytes.count <= StoreState.maximumByteCount else {
            throw .fileFailed(
                action: "write", path: layout.state.path,
                reason: "its \(bytes.count) bytes could not be read back, which takes \(StoreState.maximumByteCount)")
        }
        try Durable.write(bytes, to: layout.state)
    }

    /// Takes the store for an update.
    /// - Parameter patience: how long to wait for another updater before the error.
    func lockForUpdate(patience: Duration) async throws -> FileLock {
        let deadline = ContinuousClock.now + patience
        while true {
            try Durable.makeFolder(layout.folder)
            if let lock = try Durable.lock(ifFree: layout.updateLock, .exclusive) {
                lock.note("process \(ProcessInfo.processInfo.processIdentifier)")
                return lock
            }
            guard ContinuousClock.now < deadline else {
                let holder = try? Durable.read(layout.updateLock, maximumByteCount: 200)
                throw UpdateError.storeIsBusy(
                    folder: layout.folder.path, holder: String(decoding: holder ?? [], as: UTF8.self))
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Whether the store has a state, and so more than an attempt to make it.
    var isMade: Bool {
        get throws(UpdateError) { try Durable.exists(layout.state) }
    }

    /// Removes what a first update that came to nothing has written, its lock last. Under the update lock.
    func removeUnused() throws(UpdateError) {
        guard try !isMade else { return }
        for url in [layout.downloads, layout.trust, layout.cache, layout.events, layout.stateLock, layout.updateLock] {
            try Durable.remove(url)
        }
        // Others' files keep the folder.
        rmdir(layout.folder.path)
    }

    /// Whether a version's tree is in the store, whatever its content.
    func hasTree(of package: PackageID, _ id: VersionID) throws(UpdateError) -> Bool {
        try Durable.exists(layout.tree(package, id.version).appending(path: Manifest.fileName))
    }

    /// The manifest of a version whose tree is in the store; nil if it is missing or incomplete.
    /// - Throws: If the manifest cannot be read now, which says nothing about its content.
    func manifest(of package: PackageID, _ id: VersionID) throws -> (manifest: Manifest, bytes: [UInt8])? {
        let url = layout.tree(package, id.version).appending(path: Manifest.fileName)
        guard let bytes = try Durable.readSound(url, maximumByteCount: Manifest.maximumByteCount),
            Digest(of: bytes) == id.manifest, let manifest = try? Manifest(parsing: bytes),
            manifest.package == package, manifest.version == id.version
        else { return nil }
        return (manifest, bytes)
    }

    static func read(_ layout: StoreLayout) throws(UpdateError) -> StoreState? {
        let bytes: [UInt8]
        do {
            guard let found = try Durable.read(layout.state, maximumByteCount: StoreState.maximumByteCount) else {
                return nil
            }
            bytes = found
        } catch {
            guard case .damagedContent(_, let reason) = error else { throw error }
            throw .storeIsDamaged(file: layout.state.path, reason: reason)
        }
        do {
            return try StoreState(parsing: bytes)
        } catch {
            switch error {
            case .newer(let found):
                throw .storeIsNewer(folder: layout.folder.path, found: found, supported: StoreState.currentFormat)
            case .damaged(let reason):
                throw .storeIsDamaged(file: layout.state.path, reason: reason)
            }
        }
    }

    static func randomID() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let hex = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - hex.count) + hex
        }.joined()
    }
}
