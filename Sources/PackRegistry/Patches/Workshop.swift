import Foundation
import PackArchive
import PackFormat
import PackPatch

/// Makes the files that are derived from versions: package zips, full downloads, patches.
///
/// A version is usable before they exist (devices fetch single objects then), so making them is no part of any
/// transaction: what is wanted follows from the database, and whoever comes next makes what is missing.
struct Workshop: Sendable {
    let folder: RegistryFolder
    let database: RegistryDatabase

    private var store: ObjectStore { ObjectStore(folder: folder) }

    /// Makes everything that is wanted and not there.
    func makeWanted() throws {
        guard try !database.read({ try DerivedTable(db: $0).wanted() }).isEmpty else { return }
        try makeWanted { _ in true }
    }

    /// Makes the zip and the full download of one version.
    func makeDownloads(of manifest: Digest) throws {
        try makeWanted { $0.target == manifest && $0.base == nil }
    }

    private func makeWanted(_ isMade: (DerivedFile) -> Bool) throws {
        // One process works at a time; the others find it done.
        let lock = try FolderLock(folder.root.appending(path: "work.lock", directoryHint: .notDirectory))
        var made: [(DerivedFile, Int?)] = []
        var saved = ContinuousClock.now
        // A commit for every small patch would cost more than the patch.
        func save() throws {
            try database.write { db in
                for (file, size) in made { try DerivedTable(db: db).record(file, size: size) }
            }
            made = []
            saved = .now
        }
        for file in try database.read({ try DerivedTable(db: $0).wanted() }) where isMade(file) {
            do {
                let full = made.first { $0.0 == DerivedFile(.full, of: file.target) }?.1
                made.append((file, try make(file, full: full)))
            } catch {
                try? save()
                let kind = (error as? RegistryError)?.kind ?? .unusable
                throw RegistryError(
                    kind,
                    "what was published is there, but a download of it could not be made yet: \(error). The next "
                        + "packtool command on this registry, or its server, makes it")
            }
            if saved + .milliseconds(500) < .now { try save() }
        }
        if !made.isEmpty { try save() }
        _ = consume lock
    }

    /// - Parameter full: the size of the target's full download, where it was made just now.
    /// - Returns: nil where the file is not worth having.
    private func make(_ file: DerivedFile, full: Int?) throws -> Int? {
        let workspace = try Workspace(in: folder)
        let temporary = workspace.file("made")
        let size: Int?
        let path: String
        switch file.kind {
        case .archive:
            let manifest = try manifest(file.target)
            path = ViewLayout.archive(manifest.package, manifest.version)
            size = try writeArchive(manifest, to: temporary)
        case .full:
            path = ViewLayout.patch(from: nil, to: file.target)
            size = try writePatch(from: nil, to: manifest(file.target), limit: .max, temporary, workspace.folder)
        case .patch:
            guard let base = file.base else { return nil }
            path = ViewLayout.patch(from: base, to: file.target)
            let recorded = try database.read { try DerivedTable(db: $0).size(of: DerivedFile(.full, of: file.target)) }
            size = try writePatch(
                from: manifest(base), to: manifest(file.target), limit: full ?? recorded ?? .max, temporary,
                workspace.folder)
        case .manifest:
            guard let base = file.base else { return nil }
            path = ViewLayout.manifestPatch(from: base, to: file.target)
            size = try writeManifestPatch(from: base, to: file.target, temporary)
        }
        if size != nil {
            try SystemCall.synchronize(temporary)
            try workspace.move(temporary, to: folder.view(path))
        }
        return size
    }

    private func manifest(_ digest: Digest) throws -> Manifest {
        guard let manifest = try database.read({ try VersionTable(db: $0).manifest(digest) }) else {
            throw RegistryError(.unusable, "the manifest \(digest) is not in the database: restore it from a backup")
        }
        return manifest
    }

    private func writeArchive(_ manifest: Manifest, to file: URL) throws -> Int {
        var requests = manifest.files.compactMap { path, entry in
            entry.from == nil ? ContentRequest(.file(store.file(of: entry.digest)), path: path) : nil
        }
        requests.append(ContentRequest(.bytes(manifest.bytes), path: try PackagePath(Manifest.fileName)))
        return try ArchiveWriter.write(requests, to: file)
    }

    /// - Returns: nil where the patch is not smaller than `limit`, or too much work.
    private func writePatch(
        from base: Manifest?, to target: Manifest, limit: Int, _ file: URL, _ scratch: URL
    ) throws -> Int? {
        let plan = PatchPlan(from: base, to: target)
        guard !plan.isEmpty else { return nil }
        do {
            let size = try PatchEncoder(scratch: scratch).encode(plan, to: file) { store.file(of: $0) }
            return size < limit ? size : nil
        } catch PatchError.tooLarge {
            return nil
        }
    }

    private func writeManifestPatch(from base: Digest, to target: Digest, _ file: URL) throws -> Int? {
        let (old, new) = try database.read { db in
            let versions = VersionTable(db: db)
            return (try versions.manifestBytes(base), try versions.manifestBytes(target))
        }
        guard let old, let new else { return nil }
        let patch = try ManifestPatch.encode(base: old, target: new)
        guard patch.count < new.count else { return nil }
        try Data(patch).write(to: file)
        return patch.count
    }
}
