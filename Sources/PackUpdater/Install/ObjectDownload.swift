import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Fetches one object by itself and adds it to the store as soon as it is verified.
struct ObjectDownload: Sendable {
    let objects: ObjectStore
    let transport: any UpdateTransport
    let turns: DownloadTurns
    /// Whether an object that is here is on the disk as well. A page that waits for it does not wait for the disk: see
    /// ``ObjectStore/syncArrived()`` for who does.
    var isSynced = true

    /// What is not kept in part when a connection breaks, in bytes: it comes into memory, and is written once.
    private static let largestInMemory = 1 << 18

    /// Fetches an object that is not here; of several that want it at once, one does.
    func fetch(_ object: Object) async throws {
        try await turns.during(object.digest) {
            if !objects.has(object) { try await fetchAnew(object) }
        }
    }

    /// Fetches an object whatever stands in its place.
    func fetchAnew(_ object: Object) async throws {
        let path = ViewPath.object(object.digest).description
        let file = objects.layout.partial(of: path)
        if !isSynced, object.size <= Self.largestInMemory {
            let answer = try await transport.read(path, maximumByteCount: object.size, validator: nil)
            guard case .bytes(let bytes, _) = answer else { throw UpdateError.notFound(address: path) }
            return try objects.takeArrived(object, bytes)
        }
        guard try await transport.download(path, to: file, maximumByteCount: object.size) else {
            throw UpdateError.notFound(address: path)
        }
        do {
            if isSynced {
                try takeSynced(object, from: file)
            } else {
                try objects.takeArrived(object, from: file)
            }
        } catch {
            try DownloadFile.remove(file)
            throw error
        }
        try DownloadFile.remove(file)
    }

    private func takeSynced(_ object: Object, from file: URL) throws {
        let batch = try ObjectBatch(objects)
        do {
            try batch.add(object, from: file)
            try batch.commit()
        } catch {
            batch.discard()
            throw error
        }
    }
}
