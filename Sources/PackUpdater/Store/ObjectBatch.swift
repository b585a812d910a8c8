import Crypto
import PackFormat

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

/// Objects that are being added to a store: written beside it, verified one by one, then synced and moved in
/// together.
///
///     let batch = try ObjectBatch(store)
///     try batch.add(object, from: file)
///     try batch.commit()
///
/// A batch that is given up leaves nothing in the store, only files in `downloads/`, which the next update removes.
final class ObjectBatch {
    private let store: ObjectStore
    private let folder: URL
    /// What was finished, in this order.
    private(set) var written: [Object] = []
    private var current: OpenFile?
    private var begun: Object?

    init(_ store: ObjectStore) throws(UpdateError) {
        self.store = store
        folder = store.layout.downloads.appending(path: "objects-\(UUID().uuidString.lowercased())")
        try Durable.makeFolder(folder)
    }

    private func url(_ object: Object) -> URL { folder.appending(path: object.digest.hex) }

    /// Begins an object whose bytes the caller verifies before ``finish(_:)``.
    func begin(_ object: Object) throws(UpdateError) {
        begun = object
        current = try OpenFile(url(object), flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o444)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(UpdateError) {
        try current?.write(bytes)
    }

    /// - Parameter object: Has another digest than at ``begin(_:)`` where that was not known then.
    func finish(_ object: Object) throws(UpdateError) {
        current = nil
        if let begun, begun.digest != object.digest { try Durable.rename(url(begun), to: url(object)) }
        written.append(object)
    }

    /// Takes one object from a file and verifies it.
    func add(_ object: Object, from file: URL) throws {
        let source = try OpenFile(file, flags: O_RDONLY)
        var hash = SHA256()
        var count = 0
        try begin(object)
        while let chunk = try source.read(upTo: 1 << 18) {
            count += chunk.count
            guard count <= object.size else { break }
            hash.update(data: chunk)
            try chunk.withUnsafeBytes { try write($0) }
        }
        try ObjectStore.verify(object, count, count == object.size ? Digest(hash.finalize()) : nil)
        try finish(object)
    }

    /// Syncs the files, moves them in, syncs the folders they came into.
    func commit() throws(UpdateError) {
        try Durable.sync(files: written.map(url), folders: [], in: folder)
        var folders: Set<URL> = []
        for object in written {
            let target = store.url(object.digest)
            let parent = target.deletingLastPathComponent()
            if folders.insert(parent).inserted { try Durable.makeFolder(parent) }
            try Durable.rename(url(object), to: target)
        }
        if !folders.isEmpty { try Durable.sync(files: [], folders: Array(folders), in: store.layout.objects) }
        store.verified?.insert(written)
        written = []
        try Durable.remove(folder)
    }

    func discard() {
        current = nil
        try? Durable.remove(folder)
    }
}
