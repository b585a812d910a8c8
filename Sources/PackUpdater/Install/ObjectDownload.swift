import Foundation
import PackFormat

/// Fetches one object by itself; it is in the store as soon as it is verified.
struct ObjectDownload: Sendable {
    let objects: ObjectStore
    let transport: any UpdateTransport
    let turns: DownloadTurns

    /// Fetches an object that is not here; of several that want it at once, one does.
    func fetch(_ object: Object) async throws {
        await turns.take(object.digest)
        do {
            if !objects.has(object) { try await fetchAnew(object) }
        } catch {
            await turns.end(object.digest)
            throw error
        }
        await turns.end(object.digest)
    }

    /// Fetches an object whatever stands in its place.
    func fetchAnew(_ object: Object) async throws {
        let path = ViewLayout.object(object.digest)
        let file = objects.layout.partial(of: path)
        guard try await transport.download(path, to: file, maximumByteCount: object.size) else {
            throw UpdateError.notFound(address: path)
        }
        let batch = try ObjectBatch(objects)
        do {
            try batch.add(object, from: file)
            try batch.commit()
        } catch {
            batch.discard()
            try DownloadFile.remove(file)
            throw error
        }
        try DownloadFile.remove(file)
    }
}
