import Foundation
import PackFormat

/// Fetches one object by itself; it is in the store as soon as it is verified.
struct ObjectDownload: Sendable {
    let objects: ObjectStore
    let transport: any UpdateTransport

    func fetch(_ object: Object) async throws {
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
