import Foundation
import PackArchive
import PackFormat

/// Writes all packages of a build under temporary names, and puts them in place only when all are complete.
struct PackageWriter {
    let out: URL

    func write(_ drafts: [PackageDraft], progress: (Int) -> Void) throws -> [BuiltPackage] {
        let hadFolder = FileManager.default.fileExists(atPath: out.path)
        do {
            try FileManager.default.createDirectory(
                at: out, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
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
        let manifestPath = try PackageDraft.manifestPath.get()
        var entries: [ArchiveWriter.Entry] = []
        entries.reserveCapacity(draft.order.count + 1)
        var compressedSizes: [PackagePath: Int] = [:]
        compressedSizes.reserveCapacity(draft.order.count)
        var sharedSaving = 0
        for path in draft.order {
            guard let content = draft.contents[path] else { continue }
            if manifest.files[path]?.from == nil {
                entries.append(.init(path: path, content: content))
                compressedSizes[path] = content.compressedSize
            } else {
                sharedSaving += content.compressedSize
            }
        }
        let place = entries.firstIndex { manifestPath < $0.path } ?? entries.count
        entries.insert(.init(path: manifestPath, content: draft.document), at: place)
        let archive = out.appending(path: "\(manifest.package)-\(manifest.version).zip")
        let staged = try StagedFile(for: archive)
        let size = try ArchiveWriter().write(entries, to: staged)
        return (
            staged,
            BuiltPackage(
                manifest: manifest, manifestDigest: draft.document.object.digest, archive: archive, archiveSize: size,
                isBundle: draft.isBundle, sharedSaving: sharedSaving,
                compressedSizes: compressedSizes, leftOut: draft.leftOut)
        )
    }
}
