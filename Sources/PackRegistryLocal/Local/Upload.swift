import Foundation
import PackArchive
import PackFormat
import PackRegistryAPI

/// Takes a package zip apart into the store.
struct Upload {
    let local: LocalRegistry
    let identity: Identity

    func take(_ file: URL) throws -> Digest {
        let archive: PackageArchive
        do {
            archive = try PackageArchive.open(file, allowsMissing: true)
        } catch let error as ArchiveError {
            throw RegistryError(.invalid, "\(error)")
        }
        let manifest = archive.manifest
        let digest = archive.manifestDigest
        try identity.require(.publish, package: manifest.package)
        _ = try local.database.read { db in
            try Publication(db: db, local: local, identity: identity).refuseOtherContent(manifest, digest)
        }
        let objects = manifest.ownObjects
        let store = local.store
        let workspace = try Workspace(in: local.files)
        let absent = store.missing(among: objects)
        var taken: [Object] = []
        let folder = workspace.folder
        try archive.extractObjects { object in
            guard absent.contains(object.digest) else { return nil }
            taken.append(object)
            return try ObjectFile(folder.appending(path: object.digest.hex, directoryHint: .notDirectory))
        }
        let stillMissing = absent.subtracting(taken.map(\.digest))
        if !stillMissing.isEmpty {
            let path = archive.missing.first { path in
                manifest.files[path].map { stillMissing.contains($0.digest) } ?? false
            }
            throw RegistryError(
                .invalid,
                "the upload leaves out \(stillMissing.count) files that the registry does not have, such as "
                    + "\"\(path?.text ?? "?")\": send the whole package")
        }
        try store.take(taken, from: workspace)
        // Objects that were there already are durable, unless their upload is not over yet.
        if workspace.hasCompany {
            try store.synchronizeNames(of: objects.filter { !absent.contains($0.digest) })
        }
        let now = local.clock()
        try local.database.write { db in
            try VersionTable(db: db).take(
                manifest, bytes: archive.manifestBytes, digest: digest, by: identity, now: now)
        }
        return digest
    }
}
