import Foundation
import PackArchive
import PackFormat
import PackRegistry
import PackRegistryAPI
import PackSystem

/// The content store of a registry in a folder.
struct FolderContentStore: ContentStore {
    let folder: RegistryFolder

    func missing(among objects: [Object]) async throws -> Set<Digest> {
        try await BlockingWork.run { [self] in ObjectStore(folder: folder).missing(among: objects) }
    }

    func open(archive: URL) async throws -> any UploadedArchive {
        try await BlockingWork.run { [self] in
            do {
                return FolderUpload(folder: folder, archive: try PackageArchive.open(archive, allowsMissing: true))
            } catch let error as ArchiveError {
                throw RegistryError(.invalid, "\(error)")
            }
        }
    }
}

/// Reads a package zip into the object store.
private struct FolderUpload: UploadedArchive {
    let folder: RegistryFolder
    let archive: PackageArchive

    var sealed: SealedManifest { archive.sealed }

    func storeObjects(recorded: [Object]) async throws { try await BlockingWork.run { [self] in try store() } }

    private func store() throws {
        let manifest = sealed.manifest
        let objects = manifest.ownObjects
        let store = ObjectStore(folder: folder)
        let workspace = try Workspace(in: folder)
        let absent = store.missing(among: objects)
        var taken: [Object] = []
        let scratch = workspace.folder
        try archive.extractObjects { object in
            guard absent.contains(object.digest) else { return nil }
            taken.append(object)
            return try ObjectFile(scratch.appending(path: object.digest.hex, directoryHint: .notDirectory))
        }
        let stillMissing = absent.subtracting(taken.map(\.digest))
        guard stillMissing.isEmpty else {
            throw RegistryError.leftOut(stillMissing, of: manifest, among: archive.missing)
        }
        try store.take(taken, from: workspace)
        // Objects that were there already are durable, unless their upload is not over yet.
        if workspace.hasCompany {
            try store.synchronizeNames(of: objects.filter { !absent.contains($0.digest) })
        }
    }
}
