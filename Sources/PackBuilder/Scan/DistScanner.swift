package import Foundation
package import PackArchive
import PackFormat

/// Scans a dist folder on all cores. It applies the ignore rules, follows links that stay inside, and checks the
/// limits before it reads any content.
///
/// Folders are judged level by level, their names in the order of their bytes, so that of several faults the same one is
/// named on every file system.
package struct DistScanner {
    /// Folders that are read before it is looked whether the dist has too many files: a whole disk, given by mistake,
    /// is noticed soon.
    private static let batchSize = 64

    private let rules: PathRules
    private let limits: ArchiveLimits
    /// Folders that are never part of the site, such as the one that the packages are written to.
    private let excluded: [String]

    package init(rules: PathRules, limits: ArchiveLimits = .standard, excluding excluded: [URL] = []) {
        self.rules = rules
        self.limits = limits
        self.excluded = excluded.compactMap { FolderReader.realPath($0.path) }
    }

    /// - Throws: ``BuildError``
    package func scan(_ folder: URL) throws -> ScannedDist {
        guard let root = FolderReader.realPath(folder.path), try FolderReader.isFolder(root, shown: folder.path) else {
            throw BuildError.notAFolder(folder.path)
        }
        guard !excluded.contains(root) else { throw BuildError.outIsDist(folder.path) }
        let reader = FolderReader(
            root: root, shown: folder.path, rules: rules, limits: limits, excluded: excluded)
        let listings = try listings(reader)
        var files: [ScannedDist.File] = []
        files.reserveCapacity(listings.reduce(0) { $0 + $1.fileCount })
        Self.collect(listings, from: 0, into: &files)
        var leftOut = listings.flatMap(\.leftOut)
        let invalidNames = listings.flatMap(\.invalidNames)
        Self.leaveOutCompressedCopies(listings.flatMap(\.compressed), of: &files, leftOut: &leftOut)
        Self.leaveOutPackages(listings.flatMap(\.archives), of: &files, leftOut: &leftOut)
        if files.isEmpty, invalidNames.isEmpty {
            throw BuildError.emptyDist(folder.path, leftOut: leftOut.count)
        }
        let total = files.reduce(0) { $0 + $1.size }
        guard total <= limits.maximumTotalSize else {
            throw BuildError.overLimit(folder.path, limit: limits.maximumTotalSize, found: total)
        }
        return ScannedDist(
            folder: folder, files: files,
            leftOut: leftOut.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) },
            invalidNames: invalidNames.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) })
    }

    /// Reads all folders, those near the root first.
    private func listings(_ reader: FolderReader) throws -> [FolderListing] {
        var folders = [FolderListing.Folder()]
        var listings: [FolderListing] = []
        var fileCount = 0
        while listings.count < folders.count {
            let batch = Array(folders[listings.count...].prefix(Self.batchSize))
            for var listing in try ConcurrentMap.run(batch.count, { try reader.read(batch[$0]) }) {
                fileCount += listing.fileCount
                guard fileCount < limits.maximumFileCount else {
                    throw BuildError.tooManyFiles(reader.shown, limit: limits.maximumFileCount - 1)
                }
                listing.firstFolder = folders.count
                for case .folder(let folder) in listing.entries { folders.append(folder) }
                listings.append(listing)
            }
        }
        return listings
    }

    /// Gathers the files in the order of their paths, in which a folder's content stands where its name does.
    private static func collect(_ listings: [FolderListing], from index: Int, into files: inout [ScannedDist.File]) {
        var next = listings[index].firstFolder
        for entry in listings[index].entries {
            switch entry {
            case .file(let file): files.append(file)
            case .folder:
                collect(listings, from: next, into: &files)
                next += 1
            }
        }
    }

    /// Leaves out packages: one that was built into the dist would carry every version before it along. A pattern such as
    /// `!*.zip` keeps them.
    private static func leaveOutPackages(
        _ candidates: [ScannedDist.File], of files: inout [ScannedDist.File], leftOut: inout [ScannedDist.LeftOut]
    ) {
        let packages = Set(candidates.lazy.filter { PackageArchive.looksLikeOne($0.url) }.map(\.path))
        if packages.isEmpty { return }
        files.removeAll { packages.contains($0.path) }
        leftOut += packages.map { .init(path: $0.text, pattern: "a package") }
    }

    /// Leaves out what a build tool compressed for a web server: a device and the registry send the original in a
    /// smaller form, and no delta shortens a compressed file. A pattern such as `!*.gz` keeps them.
    private static func leaveOutCompressedCopies(
        _ candidates: [(path: PackagePath, original: String)], of files: inout [ScannedDist.File],
        leftOut: inout [ScannedDist.LeftOut]
    ) {
        if candidates.isEmpty { return }
        let paths = Set(files.map(\.path.text))
        let copies = Set(candidates.lazy.filter { paths.contains($0.original) }.map(\.path))
        files.removeAll { copies.contains($0.path) }
        leftOut += copies.map { .init(path: $0.text, pattern: "the file beside it, compressed") }
    }
}
