import Foundation
import PackArchive
import PackFormat
import Synchronization
import TestSupport

@testable import PackRegistry
@testable import PackRegistryAPI

/// The twin of the folder of objects: their bytes in memory.
final class MemoryContentStore: ContentStore {
    private let objects = Mutex<[Digest: [UInt8]]>([:])

    func bytes(of digest: Digest) -> [UInt8]? { objects.withLock { $0[digest] } }

    func missing(among objects: [Object]) async throws -> Set<Digest> {
        Set(objects.filter { bytes(of: $0.digest)?.count != $0.size }.map(\.digest))
    }

    func open(archive: URL) async throws -> any UploadedArchive {
        do {
            return Upload(store: self, archive: try PackageArchive.open(archive, allowsMissing: true))
        } catch let error as ArchiveError {
            throw RegistryError(.invalid, "\(error)")
        }
    }

    private final class Sink: ContentSink {
        private let bytes = Mutex<[UInt8]>([])
        private let store: MemoryContentStore
        private let digest: Digest

        init(_ digest: Digest, in store: MemoryContentStore) {
            self.store = store
            self.digest = digest
        }

        func write(_ bytes: UnsafeRawBufferPointer) throws { self.bytes.withLock { $0.append(contentsOf: bytes) } }

        func finish() throws {
            let bytes = bytes.withLock { $0 }
            store.objects.withLock { $0[digest] = bytes }
        }
    }

    private struct Upload: UploadedArchive {
        let store: MemoryContentStore
        let archive: PackageArchive

        var sealed: SealedManifest { archive.sealed }

        func storeObjects(recorded: [Object]) async throws {
            let absent = try await store.missing(among: sealed.manifest.ownObjects)
            let left = Set(archive.missing.compactMap { archive.manifest.files[$0]?.digest })
            guard absent.isDisjoint(with: left) else {
                throw RegistryError(.invalid, "the upload leaves out files that the registry does not have")
            }
            try archive.extractObjects { absent.contains($0.digest) ? Sink($0.digest, in: store) : nil }
        }
    }
}
