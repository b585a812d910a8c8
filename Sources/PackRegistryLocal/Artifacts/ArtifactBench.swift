import Foundation
import PackArchive
import PackFormat
import PackPatch
import PackRegistry
import PackRegistryAPI
import PackRegistrySQL
import PackSystem

/// Makes artifacts in this process. Two large versions at the same time take some hundred megabytes, and the memory
/// allocator keeps most of it, so a server uses ``MakerProcess`` instead.
struct ArtifactBench: ArtifactMaker {
    let folder: RegistryFolder
    let database: any RegistryDatabase

    private var store: ObjectStore { ObjectStore(folder: folder) }

    func make(_ job: ArtifactJob) throws -> [Int?] {
        switch job {
        case .file(let file): [try make(file)]
        case .quickDownload(let version): [try makeQuickDownload(of: version)]
        case .encodings(let objects): try encode(objects)
        }
    }

    /// - Returns: nil if the version has no content of its own, or it is too much work, or a download is there already.
    private func makeQuickDownload(of digest: Digest) throws -> Int? {
        let destination = folder.view(.patch(from: nil, to: digest))
        let manifest = try manifest(digest)
        let plan = PatchPlan(from: nil, to: manifest)
        guard !plan.isEmpty, SystemCall.size(of: destination) == nil else { return nil }
        let workspace = try Workspace(in: folder)
        let temporary = workspace.file("quick")
        let size: Int
        do {
            size = try PatchEncoder(scratch: workspace.folder, effort: .quick).encode(plan, to: temporary) {
                store.file(of: $0)
            }
        } catch PatchError.tooLarge {
            return nil
        }
        try SystemCall.synchronize(temporary)
        try workspace.moveIfAbsent(temporary, to: destination)
        return size
    }

    /// Both forms of each object, in the order of ``ContentCoding/allCases``; nil for what is not smaller, or damaged.
    private func encode(_ objects: [Digest]) throws -> [Int?] {
        var files: [(bytes: [UInt8], destination: URL)] = []
        var sizes: [Int?] = []
        for object in objects {
            let content = try? Data(contentsOf: folder.view(.object(object)), options: .alwaysMapped)
            for coding in ContentCoding.allCases {
                // A damaged object is served as it is, if at all.
                guard let content, Digest(of: content) == object,
                    let bytes = try content.withUnsafeBytes({ try coding.compress($0) })
                else {
                    sizes.append(nil)
                    continue
                }
                files.append((bytes, folder.view(coding.path(of: object))))
                sizes.append(bytes.count)
            }
        }
        let workspace = try Workspace(in: folder)
        try workspace.put(files)
        return sizes
    }

    private func manifest(_ digest: Digest) throws -> Manifest {
        guard let manifest = try database.read({ try VersionTable(db: $0).manifest(digest) }) else {
            throw RegistryError(.unusable, "the manifest \(digest) is not in the database: restore it from a backup")
        }
        return manifest
    }

    /// - Returns: nil if the file is not worth having.
    private func make(_ file: DerivedFile) throws -> Int? {
        let workspace = try Workspace(in: folder)
        let temporary = workspace.file("made")
        let target = try manifest(file.target)
        let size: Int?
        switch file.kind {
        case .archive:
            size = try writeArchive(target, to: temporary)
        case .full:
            size = try writePatch(from: nil, to: target, limit: .max, temporary, workspace.folder)
        case .patch:
            guard let base = file.base else { return nil }
            size = try writePatch(
                from: manifest(base), to: target, limit: fullSize(of: file.target), temporary, workspace.folder)
        case .manifest:
            guard let base = file.base else { return nil }
            size = try writeManifestPatch(from: base, to: file.target, temporary)
        case .update:
            guard let base = file.base else { return nil }
            size = try writeUpdateFile(from: manifest(base), to: target, file, temporary, workspace)
        }
        if size != nil {
            try SystemCall.synchronize(temporary)
            try workspace.move(temporary, to: folder.view(file.path(in: target.package, target.version)))
        }
        return size
    }

    /// What a patch has to be smaller than: the full download, the quick one until the small one is there.
    private func fullSize(of target: Digest) throws -> Int {
        if let size = try database.read({ try DerivedTable(db: $0).size(of: DerivedFile(.full, of: target)) }) {
            return size
        }
        return SystemCall.size(of: folder.view(.patch(from: nil, to: target))) ?? .max
    }

    private func writeArchive(_ manifest: Manifest, to file: URL) throws -> Int {
        var requests = manifest.files.compactMap { path, entry in
            entry.from == nil ? ContentRequest(.file(store.file(of: entry.digest)), path: path) : nil
        }
        requests.append(ContentRequest(.bytes(manifest.bytes), path: try PackagePath(Manifest.fileName)))
        return try ArchiveWriter.write(requests, to: file)
    }

    /// - Returns: nil if the patch is not smaller than `limit`, or too much work.
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

    /// The patch of the objects is that of the view: made here where it is not there yet, for a device that asks.
    /// - Returns: nil where a device does better without: there is no patch, or a skeleton saves nothing.
    private func writeUpdateFile(
        from base: Manifest, to target: Manifest, _ file: DerivedFile, _ temporary: URL,
        _ workspace: borrowing Workspace
    ) throws -> Int? {
        guard let digest = file.base, let (old, new) = try manifestBytes(digest, file.target),
            let skeleton = try ManifestSkeleton.encode(base: old, target: new, object: { store.file(of: $0) }),
            try skeleton.count < ManifestPatch.encode(base: old, target: new).count
        else { return nil }
        var content: [UInt8] = []
        if !PatchPlan(from: base, to: target).isEmpty {
            let patch = folder.view(.patch(from: digest, to: file.target))
            if SystemCall.size(of: patch) == nil {
                let derived = DerivedFile(.patch, of: file.target, from: digest)
                // It was made, and is not smaller than the full download.
                if try database.read({ try DerivedTable(db: $0).isRecorded(derived) }) { return nil }
                let made = workspace.file("patch")
                guard
                    try writePatch(
                        from: base, to: target, limit: fullSize(of: file.target), made, workspace.folder) != nil
                else { return nil }
                try SystemCall.synchronize(made)
                try workspace.move(made, to: patch)
            }
            if let size = SystemCall.size(of: patch), size <= UpdateFile.maximumPatchByteCount {
                content = [UInt8](try Data(contentsOf: patch))
            }
        }
        let bytes = UpdateFile.bytes(skeleton: skeleton, patch: content)
        try Data(bytes).write(to: temporary)
        return bytes.count
    }

    private func writeManifestPatch(from base: Digest, to target: Digest, _ file: URL) throws -> Int? {
        guard let (old, new) = try manifestBytes(base, target) else { return nil }
        let patch = try ManifestPatch.encode(base: old, target: new)
        guard patch.count < new.count else { return nil }
        try Data(patch).write(to: file)
        return patch.count
    }

    /// As they were published: their digests are over these bytes.
    private func manifestBytes(_ base: Digest, _ target: Digest) throws -> (old: [UInt8], new: [UInt8])? {
        try database.read { db in
            let versions = VersionTable(db: db)
            guard let old = try versions.manifestBytes(base), let new = try versions.manifestBytes(target) else {
                return nil
            }
            return (old, new)
        }
    }
}
