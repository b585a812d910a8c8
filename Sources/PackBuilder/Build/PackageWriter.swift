import Foundation
import PackArchive
import PackFormat

/// A package that is decided and not written yet.
struct PackageDraft {
    let manifest: Manifest
    /// Own and shared contents.
    let contents: [PackagePath: PreparedContent]
    /// The paths in the order of the zip.
    let order: [PackagePath]
    let isBundle: Bool
    var leftOut: [ScannedDist.LeftOut] = []

    init(manifest: Manifest, contents: [PackagePath: PreparedContent], isBundle: Bool) {
        self.manifest = manifest
        self.contents = contents
        order = manifest.sortedPaths
        self.isBundle = isBundle
    }

    init(plan: PackagePlan, manifest: Manifest) {
        self.manifest = manifest
        contents = plan.contents
        order = plan.dist.files.map(\.path)
        isBundle = false
        leftOut = plan.dist.leftOut
    }
}

/// Writes all packages of a build under temporary names, and puts them in their places only when all are whole.
struct PackageWriter {
    let pool: ContentPool
    let out: URL
    let limits: ArchiveLimits

    func write(_ drafts: [PackageDraft], progress: (Int) -> Void) throws -> [BuiltPackage] {
        let hadFolder = FileManager.default.fileExists(atPath: out.path)
        do {
            try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
        } catch {
            throw BuildError.outUnusable(out.path, isFile: hadFolder)
        }
        StagedFile.removeLeftovers(in: out)
        var staged: [(file: StagedFile, package: BuiltPackage)] = []
        do {
            for draft in drafts {
                staged.append(try stage(draft))
                progress(staged.count)
            }
            try commit(staged.map(\.file))
        } catch {
            staged = []
            if !hadFolder { rmdir(out.path) }
            throw error
        }
        return staged.map(\.package)
    }

    /// Puts all in their places, or none: what a failure leaves half done is taken back.
    private func commit(_ files: [StagedFile]) throws {
        var new: [URL] = []
        do {
            for file in files {
                let isNew = !FileManager.default.fileExists(atPath: file.destination.path)
                try file.commit()
                if isNew { new.append(file.destination) }
            }
        } catch {
            for url in new { unlink(url.path) }
            throw error
        }
    }

    private func stage(_ draft: PackageDraft) throws -> (StagedFile, BuiltPackage) {
        let manifest = draft.manifest
        let bytes = manifest.bytes
        let manifestPath = try PackagePath(Manifest.fileName)
        var own: [(PackagePath, PreparedContent)] = []
        var sharedSaving = 0
        for path in draft.order {
            guard let content = draft.contents[path] else { continue }
            if manifest.files[path]?.from == nil {
                own.append((path, content))
            } else {
                sharedSaving += content.compressedSize
            }
        }
        let document = try pool.prepare([ContentRequest(.bytes(bytes), path: manifestPath)])
        let place = own.firstIndex { manifestPath < $0.0 } ?? own.count
        let entries = (own[..<place] + document.map { (manifestPath, $0) } + own[place...]).map {
            ArchiveWriter.Entry(path: $0, content: $1)
        }
        let archive = out.appending(path: "\(manifest.package)-\(manifest.version).zip")
        let staged = try StagedFile(for: archive)
        let size = try ArchiveWriter().write(entries, to: staged)
        return (
            staged,
            BuiltPackage(
                manifest: manifest, manifestDigest: Digest(of: bytes), archive: archive, archiveSize: size,
                isBundle: draft.isBundle, sharedSaving: sharedSaving,
                compressedSizes: Dictionary(
                    own.map { ($0, $1.compressedSize) }, uniquingKeysWith: { first, _ in first }),
                leftOut: draft.leftOut)
        )
    }
}
