import Foundation
import PackArchive
import PackFormat
import Synchronization

@testable import PackRegistry
@testable import PackRegistryAPI

/// The twin of a bucket: files and mark in memory, with a count of what was asked.
final class MemoryStorage: RemoteStorage, RemoteViewStore {
    private struct State {
        var files: [String: [UInt8]] = [:]
        var mark: String?
        var requestCount = 0
        var timestampReadCount = 0
        var isAway = false
    }

    private let state = Mutex(State())

    let name = "s3://memory/shop"
    var view: any RemoteViewStore { self }

    // MARK: What tests look at

    var names: Set<String> { state.withLock { Set($0.files.keys) } }
    var mark: String? { state.withLock { $0.mark } }

    func bytes(_ name: String) -> [UInt8]? { state.withLock { $0.files[name] } }

    /// How often the timestamp was read.
    var timestampReadCount: Int { state.withLock { $0.timestampReadCount } }

    func set(_ name: String, _ bytes: [UInt8]?) { state.withLock { $0.files[name] = bytes } }

    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    /// The requests since the last call.
    func takeRequestCount() -> Int {
        state.withLock { state in
            defer { state.requestCount = 0 }
            return state.requestCount
        }
    }

    private func request<Value>(_ body: (inout State) throws -> sending Value) throws -> sending Value {
        try state.withLock { state in
            guard !state.isAway else { throw RegistryError(.unreachable, "\(name) cannot be reached") }
            state.requestCount += 1
            return try body(&state)
        }
    }

    // MARK: The storage

    func content(scratch: URL, keeping keep: @escaping @Sendable (Object, URL) -> Void) -> any ContentStore {
        Objects(storage: self, scratch: scratch, keep: keep)
    }

    func prepare() async throws { try request { _ in } }

    func readingURL(of path: StoredPath, seconds: Int) async throws -> String? {
        try request { $0.files[path.description] == nil ? nil : "memory://\(path)?\(seconds)" }
    }

    func readMark() async throws -> String? { try request { $0.mark } }

    func writeMark(_ mark: String) async throws -> Bool {
        try request { state in
            guard state.mark == nil else { return state.mark == mark }
            state.mark = mark
            return true
        }
    }

    @discardableResult
    func put(_ files: [ViewFile]) async throws -> Set<ViewPath> {
        var missing: Set<ViewPath> = []
        for file in files where try request({ $0.files[file.path.description] }) == nil {
            let bytes = try await file.bytes()
            try request { $0.files[file.path.description] = bytes }
            missing.insert(file.path)
        }
        return missing
    }

    func show(_ timestamp: [UInt8], replacing shown: [UInt8]?) async throws {
        let name = ViewPath.timestamp.description
        try request { state in
            guard state.files[name] == shown else { throw StaleView() }
            state.files[name] = timestamp
        }
    }

    func remove(_ paths: [ViewPath]) async throws { try await remove(listed: paths.map(\.description)) }

    func read(_ path: StoredPath, from offset: Int, maximumByteCount: Int) async throws -> ViewPart? {
        try request { state in
            if path == .view(.timestamp) { state.timestampReadCount += 1 }
            return state.files[path.description]
        }.map {
            ViewPart(Array($0.dropFirst(offset).prefix(maximumByteCount)), size: $0.count)
        }
    }

    func put(_ path: StoredPath, file: URL, size: Int, digest: Digest) async throws {
        let bytes = [UInt8](try Data(contentsOf: file))
        guard bytes.count == size, Digest(of: bytes) == digest else { throw RegistryError(.unusable, "other bytes") }
        try request { $0.files[path.description] = bytes }
    }

    func list(_ start: String, _ body: ([ListedFile]) async throws -> Void) async throws {
        let found = try request { $0.files.filter { $0.key.hasPrefix(start) } }
        for (name, bytes) in found { try await body([ListedFile(name: name, size: bytes.count)]) }
    }

    func remove(listed names: [String]) async throws {
        for name in names { try request { $0.files[name] = nil } }
    }

    private struct Objects: ContentStore {
        let storage: MemoryStorage
        let scratch: URL
        let keep: @Sendable (Object, URL) -> Void

        func missing(among objects: [Object]) async throws -> Set<Digest> {
            let names = storage.names
            return Set(objects.map(\.digest).filter { !names.contains(ViewPath.object($0).description) })
        }

        func open(archive: URL) async throws -> any UploadedArchive {
            do {
                return Upload(store: self, archive: try PackageArchive.open(archive, allowsMissing: true))
            } catch let error as ArchiveError {
                throw RegistryError(.invalid, "\(error)")
            }
        }
    }

    private struct Upload: UploadedArchive {
        let store: Objects
        let archive: PackageArchive

        var sealed: SealedManifest { archive.sealed }

        func storeObjects(recorded: [Object]) async throws {
            let absent = try await store.missing(among: sealed.manifest.ownObjects)
            let folder = store.scratch.appending(path: "upload-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            var taken: [Object] = []
            try archive.extractObjects { object in
                guard absent.contains(object.digest) else { return nil }
                taken.append(object)
                return try ObjectFile(folder.appending(path: object.digest.hex))
            }
            for object in taken {
                let file = folder.appending(path: object.digest.hex)
                try await store.storage.put(
                    .view(.object(object.digest)), file: file, size: object.size, digest: object.digest)
                store.keep(object, file)
            }
        }
    }
}
