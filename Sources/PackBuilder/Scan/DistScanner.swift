package import Foundation
package import PackArchive
import PackFormat

#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Walks a dist folder: applies the ignore rules, follows links that stay inside, and checks the limits before any
/// content is read.
package struct DistScanner {
    private let rules: PathRules
    private let limits: ArchiveLimits
    /// Folders that are never part of the site, such as the one that the packages are written to.
    private let excluded: [String]

    package init(rules: PathRules, limits: ArchiveLimits = .standard, excluding excluded: [URL] = []) {
        self.rules = rules
        self.limits = limits
        self.excluded = excluded.compactMap { Self.realPath($0.path) }
    }

    /// - Throws: ``BuildError``
    package func scan(_ folder: URL) throws -> ScannedDist {
        guard let root = Self.realPath(folder.path), try Self.kind(root, shown: folder.path) == .folder else {
            throw BuildError.notAFolder(folder.path)
        }
        guard !excluded.contains(root) else { throw BuildError.outIsDist(folder.path) }
        var walk = Walk(root: root, shown: folder.path)
        try visit("", walk: &walk)
        walk.leaveOutCompressedCopies()
        if walk.files.isEmpty, walk.invalidNames.isEmpty {
            throw BuildError.emptyDist(folder.path, leftOut: walk.leftOut.count)
        }
        let total = walk.files.reduce(0) { $0 + $1.size }
        guard total <= limits.maximumTotalSize else {
            throw BuildError.overLimit(folder.path, limit: limits.maximumTotalSize, found: total)
        }
        return ScannedDist(
            folder: folder, files: walk.files.sorted { $0.path < $1.path },
            leftOut: walk.leftOut.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) },
            invalidNames: walk.invalidNames.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) })
    }

    private struct Walk {
        /// Without symbolic links.
        let root: String
        /// The folder as the user named it, for messages.
        let shown: String
        var files: [ScannedDist.File] = []
        var leftOut: [ScannedDist.LeftOut] = []
        var invalidNames: [(path: String, reason: String)] = []
        /// What no pattern decides over.
        var undecided: Set<String> = []

        /// Leaves out what a build tool compressed for a web server: a device and the registry send the original in a
        /// smaller form, and no delta shortens a compressed file. A pattern such as `!*.gz` keeps them.
        mutating func leaveOutCompressedCopies() {
            let paths = Set(files.map(\.path.text))
            files.removeAll { file in
                let path = file.path.text
                guard undecided.contains(path),
                    let ending = [".gz", ".br", ".zst"].first(where: { path.hasSuffix($0) }),
                    paths.contains(String(path.dropLast(ending.count)))
                else { return false }
                leftOut.append(.init(path: path, pattern: "the file beside it, compressed"))
                return true
            }
        }
    }

    private func visit(_ folder: String, walk: inout Walk) throws {
        let absolute = folder.isEmpty ? walk.root : "\(walk.root)/\(folder)"
        let shown = folder.isEmpty ? walk.shown : "\(walk.shown)/\(folder)"
        for name in try Self.names(in: absolute, shown: shown) {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            let place = "\(absolute)/\(name)"
            guard var kind = try Self.kind(place, shown: "\(shown)/\(name)") else { continue }
            let decision = rules.decision(path, isFolder: kind == .folder)
            if decision == nil { walk.undecided.insert(path) }
            if let decision, !decision.isNegated {
                walk.leftOut.append(.init(path: path + (kind == .folder ? "/" : ""), pattern: decision.text))
                continue
            }
            if kind == .link {
                guard let target = Self.realPath(place),
                    let followed = try Self.kind(target, shown: "\(shown)/\(name)")
                else {
                    throw BuildError.brokenLink("\(shown)/\(name)")
                }
                guard target == walk.root || target.hasPrefix(walk.root + "/") else {
                    throw BuildError.linkOutside("\(shown)/\(name)", target: target)
                }
                if followed == .folder { throw BuildError.linkToFolder("\(shown)/\(name)") }
                kind = followed
            }
            switch kind {
            case .folder:
                if excluded.contains(place) {
                    walk.leftOut.append(.init(path: path + "/", pattern: "the output folder"))
                } else {
                    try visit(path, walk: &walk)
                }
            case .file(let stamp): try add(path, stamp, walk: &walk)
            case .link, .special: throw BuildError.specialFile("\(shown)/\(name)")
            }
        }
    }

    private func add(_ path: String, _ stamp: FileStamp, walk: inout Walk) throws {
        guard stamp.size <= limits.maximumFileSize else {
            throw BuildError.overLimit("\(walk.shown)/\(path)", limit: limits.maximumFileSize, found: stamp.size)
        }
        guard walk.files.count < limits.maximumFileCount - 1 else {
            throw BuildError.tooManyFiles(walk.shown, limit: limits.maximumFileCount - 1)
        }
        do {
            let valid = try PackagePath(path)
            // Also in other letters, and as a folder: the manifest stands in that place.
            guard valid.collisionKey.prefix(while: { $0 != "/" }) != Manifest.fileName else {
                throw BuildError.reservedName("\(walk.shown)/\(path)")
            }
            walk.files.append(.init(path: valid, place: "\(walk.root)/\(path)", stamp: stamp))
        } catch FormatError.invalidPath(_, let reason) {
            walk.invalidNames.append((path, reason))
        }
    }

    // MARK: System calls

    private enum Kind: Equatable { case file(FileStamp), folder, link, special }

    /// - Returns: nil for what is gone since its folder was read. Anything else that hides a file from us, a folder
    ///   without the right to search it, must not make a site without that file.
    private static func kind(_ path: String, shown: String) throws(BuildError) -> Kind? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw .unreadable(shown, reason: String(cString: strerror(errno)))
        }
        if let stamp = FileStamp(status) { return .file(stamp) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .folder
        case S_IFLNK: return .link
        default: return .special
        }
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }

    private static func names(in folder: String, shown: String) throws -> [String] {
        guard let stream = opendir(folder) else {
            throw BuildError.unreadable(shown, reason: String(cString: strerror(errno)))
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw BuildError.unreadable(shown, reason: String(cString: strerror(errno))) }
                return names
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(validatingCString: $0)
                }
            }
            guard let name else { throw BuildError.nameNotUTF8(folder: shown) }
            if name != ".", name != ".." { names.append(name) }
        }
    }
}
