import Foundation
import PackFormat
import PackRegistry
import PackRegistryAPI
import PackSystem
import Synchronization

/// The copies that this machine has of a registry's files in remote storage: in the folder `view`, under the same names.
///
///     guard try await mirror.fetch(.view(path)) else { … }      // there is no such file
///     let bytes = try Data(contentsOf: mirror.place(of: .view(path)))
///
/// All but the timestamp and the full downloads never change under their names, so a copy is right for ever. Any copy may be lost at
/// any time: it is fetched again.
final class ViewMirror: Sendable {
    private static let filesAtOnce = 16
    /// Copies may take so much of the disk, if nobody says how much.
    static let usualByteCount = 16 << 30
    /// Seconds for which it is believed that the storage has the few files that every device reads.
    private static let lookInterval: TimeInterval = 3600
    /// What the names of files that are being fetched begin with.
    static let scratchPrefix = "fetch-"

    let folder: RegistryFolder
    let storage: any RemoteStorage
    let content: any ContentStore
    /// What copies may take of the disk.
    let maximumByteCount: Int
    private let timestamp: TimestampCopy
    /// The timestamp of the storage, as this process read or showed it last.
    private let seen = Mutex<(timestamp: [UInt8], time: ContinuousClock.Instant)?>(nil)
    /// For so long whoever writes goes on from it without reading it again: if another process has shown one since, the storage refuses to
    /// replace it.
    private static let seenTime: Duration = .seconds(5)
    /// Why the storage could not be reached, and until when nobody tries again: each try waits for long.
    private let outage = Mutex<(error: RegistryError, end: ContinuousClock.Instant)?>(nil)
    private static let outageTime: Duration = .seconds(5)
    /// Whoever asks for a file that is being fetched waits for the same request.
    private let loading = Mutex<[StoredPath: Task<Bool, any Error>]>([:])

    init(_ folder: RegistryFolder, of storage: any RemoteStorage, maximumByteCount: Int = ViewMirror.usualByteCount) {
        self.folder = folder
        self.maximumByteCount = maximumByteCount
        self.storage = storage
        content = storage.content(scratch: folder.uploads) { object, file in
            // What was just uploaded is what patches are made of next.
            try? CopyFile.take(file, as: folder.view(.object(object.digest)))
        }
        timestamp = TimestampCopy(of: storage.view, at: folder.view(.timestamp))
    }

    func place(of path: StoredPath) -> URL { folder.view(path.description) }

    /// An empty file counts as none: a power cut may leave one in the place of what was not synchronized.
    func hasCopy(of path: StoredPath) -> Bool { SystemCall.size(of: place(of: path)) ?? 0 > 0 }

    // MARK: Fetching

    /// Copies a file to this machine, if it is not here.
    /// - Returns: False if there is no such file.
    /// - Throws: ``RegistryError`` if the storage cannot be reached, or has other bytes than the file's name says.
    func fetch(_ path: StoredPath) async throws -> Bool {
        guard !hasCopy(of: path) else { return true }
        // It is replaced, and only what the storage shows now may be shown here.
        if path == .view(.timestamp) {
            try await refreshTimestamp()
            return hasCopy(of: path)
        }
        let task = loading.withLock { loading in
            if let known = loading[path] { return known }
            let task = Task { try await self.load(path) }
            loading[path] = task
            return task
        }
        defer { loading.withLock { if $0[path] == task { $0[path] = nil } } }
        return try await task.value
    }

    /// Copies those files that are there, some at a time.
    func fetch(_ paths: [StoredPath]) async throws {
        try await ConcurrentTasks.forEach(paths.filter { !hasCopy(of: $0) }, atMost: Self.filesAtOnce) { path in
            _ = try await self.fetch(path)
        }
    }

    private func load(_ path: StoredPath) async throws -> Bool {
        if let outage = outage.withLock(\.self), outage.end > .now { throw outage.error }
        do {
            return try await copy(path)
        } catch let error as RegistryError where [.unreachable, .busy].contains(error.kind) {
            outage.withLock { $0 = (error, .now + Self.outageTime) }
            throw error
        }
    }

    private func copy(_ path: StoredPath) async throws -> Bool {
        let scratch = folder.uploads.appending(path: Self.scratchPrefix + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: scratch) }
        try SystemCall.makeFolders(folder.uploads, isDurable: false)
        guard try await storage.view.copy(path, to: scratch) else { return false }
        try await BlockingWork.run { [self] in
            if let digest = path.digest, try Digest(of: Data(contentsOf: scratch, options: .alwaysMapped)) != digest {
                throw RegistryError(
                    .unusable,
                    "\(path) in \(storage.name) is damaged: packtool registry check --repair mends what it can")
            }
            try CopyFile.take(scratch, as: place(of: path))
        }
        return true
    }

    /// Keeps a copy of what was just written there.
    func keep(_ bytes: [UInt8], as path: StoredPath) throws { try CopyFile.write(bytes, to: place(of: path)) }

    // MARK: Writing

    /// Sends a file of this machine to the storage, where it is durable at return.
    func send(_ path: StoredPath) async throws {
        try await storage.view.put(path, file: place(of: path))
    }

    func remove(_ paths: [ViewPath]) async throws {
        try await storage.view.remove(paths)
        for path in paths { dropCopy(of: .view(path)) }
    }

    func dropCopy(of path: StoredPath) { try? FileManager.default.removeItem(at: place(of: path)) }

    // MARK: The timestamp

    /// Reads the timestamp that is shown, and shows it here.
    /// - Parameter seen: what this process has read or shown there within ``seenTime``.
    func refreshTimestamp(seen: [UInt8]? = nil) async throws {
        // What is read now may be another process's.
        if seen == nil { remember(nil) }
        try await timestamp.refresh(seen: seen)
    }

    /// The timestamp that this process read or showed in the storage a moment ago.
    var seenTimestamp: [UInt8]? { seen.withLock { $0.flatMap { .now - $0.time < Self.seenTime ? $0.timestamp : nil } } }

    /// - Parameter timestamp: nil: it is not known any more what the storage shows.
    func remember(_ timestamp: [UInt8]?) { seen.withLock { $0 = timestamp.map { ($0, .now) } } }

    /// The timestamp as this machine shows it.
    var shownTimestamp: [UInt8]? { timestamp.bytes }

    // MARK: Looks

    /// Whether it is time to look at the storage itself again.
    var isLookDue: Bool {
        let path = folder.storageLook.path(percentEncoded: false)
        let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        return date.map { abs($0.timeIntervalSinceNow) > Self.lookInterval } ?? true
    }

    /// Notes a look at the storage, for all processes of this machine.
    func look() {
        let path = folder.storageLook.path(percentEncoded: false)
        // Whatever the umask allows, only the owner writes it. If it is not written, the next command looks again.
        _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o644])
    }
}
