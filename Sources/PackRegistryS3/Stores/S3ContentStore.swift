package import Foundation
import PackArchive
package import PackFormat
package import PackRegistry
import PackRegistryAPI
import PackSystem

/// The objects of a registry in S3-compatible storage, each under its digest. The store itself verifies what it receives by the
/// digest in the name.
package struct S3ContentStore: ContentStore {
    private let bucket: S3Bucket
    private let scratch: URL
    private let keep: @Sendable (Object, URL) -> Void
    private let answers = KeptAnswers()

    /// - Parameter keep: told of the file of each object that was stored, which nobody needs any more.
    init(_ bucket: S3Bucket, scratch: URL, keeping keep: @escaping @Sendable (Object, URL) -> Void = { _, _ in }) {
        self.bucket = bucket
        self.scratch = scratch
        self.keep = keep
    }

    package func missing(among objects: [Object]) async throws -> Set<Digest> {
        let bucket = bucket
        let objects = Array(Set(objects))
        let found = try await ParallelRequests(bucket).map(objects) { object in
            let info = try await bucket.info(ViewPath.object(object.digest).description)
            return (object, info?.size == object.size)
        }
        answers.keep(found)
        return Set(found.filter { !$0.1 }.map(\.0.digest))
    }

    package func believed(among recorded: [Object]) -> Set<Digest> {
        answers.keep(recorded.map { ($0, true) })
        return Set(recorded.map(\.digest))
    }

    /// Bytes of an object that is sent again rather than asked for, after an upload that was interrupted.
    private static let unlikelyByteCount = 256 << 10

    package func unlikely(among unrecorded: [Object]) -> Set<Digest> {
        let small = unrecorded.filter { $0.size <= Self.unlikelyByteCount }
        answers.keep(small.map { ($0, false) })
        return Set(small.map(\.digest))
    }

    package func open(archive: URL) async throws -> any UploadedArchive {
        try await BlockingWork.run {
            do {
                return S3Upload(
                    store: self, archive: try PackageArchive.open(archive, allowsMissing: true))
            } catch let error as ArchiveError {
                throw RegistryError(.invalid, "\(error)")
            }
        }
    }

    fileprivate func store(_ archive: PackageArchive, recorded: Set<Object>) async throws {
        let objects = archive.manifest.ownObjects
        let known = answers.of(objects).filter { !$0.value || recorded.contains($0.key) }
        var absent = try await missing(among: objects.filter { known[$0] == nil })
        absent.formUnion(known.filter { !$0.value }.map(\.key.digest))
        guard !absent.isEmpty else { return }
        let folder = scratch.appending(path: "upload-\(UUID().uuidString)", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: folder) }
        let taken = try await BlockingWork.run { [absent] in
            try SystemCall.makeFolders(folder)
            var taken: [Object] = []
            try archive.extractObjects { object in
                guard absent.contains(object.digest) else { return nil }
                taken.append(object)
                return try ObjectFile(Self.file(of: object, in: folder))
            }
            return taken
        }
        // Somebody else may have stored one since it was asked for.
        let out = absent.subtracting(taken.map(\.digest))
        let left = try await missing(among: objects.filter { out.contains($0.digest) })
        guard left.isEmpty else { throw RegistryError.leftOut(left, of: archive.manifest, among: archive.missing) }
        let small = taken.filter { $0.size <= bucket.limits.smallByteCount }
        let large = taken.filter { $0.size > bucket.limits.smallByteCount }
        try await send(small, from: folder, ParallelRequests(bucket))
        try await send(large, from: folder, ParallelRequests(bucket, atMost: bucket.limits.largeFilesAtOnce))
        answers.keep(taken.map { ($0, true) })
        for object in taken { keep(object, Self.file(of: object, in: folder)) }
    }

    private func send(_ objects: [Object], from folder: URL, _ requests: ParallelRequests) async throws {
        let bucket = bucket
        try await requests.forEach(objects) { object in
            let path = ViewPath.object(object.digest)
            try await bucket.put(
                path.description, file: Self.file(of: object, in: folder), size: object.size, digest: object.digest,
                as: S3Kind(path))
        }
    }

    private static func file(of object: Object, in folder: URL) -> URL {
        folder.appending(path: object.digest.hex, directoryHint: .notDirectory)
    }
}

/// A package zip whose objects go into the bucket.
private struct S3Upload: UploadedArchive {
    let store: S3ContentStore
    let archive: PackageArchive

    var sealed: SealedManifest { archive.sealed }

    func storeObjects(recorded: [Object]) async throws { try await store.store(archive, recorded: Set(recorded)) }
}
