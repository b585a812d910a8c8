import Foundation
import PackFormat
import PackPatch
import PackRegistry
import PackRegistryAPI
import PackRegistrySQL

/// Makes artifacts of a registry whose files are in remote storage: fetches what a job needs, has another maker make it from the copies
/// on this machine, and sends what was made. What is recorded afterwards is in the storage.
struct MirroredMaker: ArtifactMaker {
    let base: any ArtifactMaker
    let mirror: ViewMirror
    let database: any RegistryDatabase

    func make(_ job: ArtifactJob) throws -> [Int?] {
        let (needed, made) = try plan(job)
        let mirror = mirror
        let there = try AsyncWork.wait { try await Self.fetch(needed, made, mirror) }
        let sizes = try base.make(job)
        let new =
            zip(made.paths, sizes).compactMap { $1 == nil ? nil : $0 }
            + made.extra.filter { !there.contains($0) && !made.paths.contains($0) && mirror.hasCopy(of: $0) }
        try AsyncWork.wait { for path in new { try await mirror.send(path) } }
        return sizes
    }

    /// - Returns: the extra files that are there.
    private static func fetch(
        _ needed: [Digest], _ made: Made, _ mirror: ViewMirror
    ) async throws -> Set<StoredPath> {
        if made.mayLeaveOut {
            for object in needed {
                // A damaged one is left out. One that cannot be fetched now is waited for.
                do { _ = try await mirror.fetch(.view(.object(object))) } catch let error as RegistryError
                    where error.kind == .unusable
                {}
            }
        } else {
            try await mirror.fetch(needed.map { .view(.object($0)) })
        }
        var there: Set<StoredPath> = []
        for path in made.extra where try await mirror.fetch(path) { there.insert(path) }
        return there
    }

    /// What a job makes.
    private struct Made: Sendable {
        /// In the order of its answer.
        let paths: [StoredPath]
        /// Files that it takes if they are there, and may make else.
        let extra: [StoredPath]
        /// Whether it does without objects that are damaged.
        var mayLeaveOut = false
    }

    private func plan(_ job: ArtifactJob) throws -> (needed: [Digest], made: Made) {
        switch job {
        case .encodings(let objects):
            let paths = objects.flatMap { object in ContentCoding.allCases.map { StoredPath.encoded(object, $0) } }
            return (objects, Made(paths: paths, extra: [], mayLeaveOut: true))
        case .quickDownload(let version):
            let path = StoredPath.view(.patch(from: nil, to: version))
            return (try objects(from: nil, to: version), Made(paths: [path], extra: [path]))
        case .file(let file):
            let target = try manifest(file.target)
            let paths = [StoredPath.view(file.path(in: target.package, target.version))]
            switch file.kind {
            case .archive: return (target.ownObjects.map(\.digest), Made(paths: paths, extra: []))
            case .full: return (try objects(from: nil, to: file.target), Made(paths: paths, extra: []))
            case .manifest: return ([], Made(paths: paths, extra: []))
            case .patch: return (try objects(from: file.base, to: file.target), Made(paths: paths, extra: []))
            case .update:
                let patch = StoredPath.view(.patch(from: file.base, to: file.target))
                return (try objects(from: file.base, to: file.target), Made(paths: paths, extra: [patch]))
            }
        }
    }

    private func objects(from base: Digest?, to target: Digest) throws -> [Digest] {
        let plan = PatchPlan(from: try base.map(manifest), to: try manifest(target))
        return (plan.lost + plan.new).map(\.digest)
    }

    private func manifest(_ digest: Digest) throws -> Manifest {
        guard let manifest = try database.read({ try VersionTable(db: $0).manifest(digest) }) else {
            throw RegistryError(.unusable, "the manifest \(digest) is not in the database: restore it from a backup")
        }
        return manifest
    }
}
