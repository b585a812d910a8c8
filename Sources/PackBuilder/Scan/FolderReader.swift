import PackArchive
import PackFormat
import PackSystem

#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads single folders of a dist, from any thread.
struct FolderReader: Sendable {
    /// The dist without symbolic links.
    let root: String
    /// The dist as the user named it, for messages.
    let shown: String
    let rules: PathRules
    let limits: ArchiveLimits
    let excluded: [String]

    /// - Throws: ``BuildError`` of the first name that no package can be made with.
    func read(_ folder: FolderListing.Folder) throws -> FolderListing {
        let prefix = folder.path.isEmpty ? "" : folder.path + "/"
        let place = folder.path.isEmpty ? root : "\(root)/\(folder.path)"
        let names = try Self.names(in: place, shown: folder.path.isEmpty ? shown : "\(shown)/\(folder.path)")
        var listing = FolderListing()
        listing.entries.reserveCapacity(names.count)
        var parts = PathRules.parts(folder.path)
        parts.append([])
        for name in names {
            let path = prefix + name.text
            parts[parts.count - 1] = Array(name.text.utf8)[...]
            let decision = rules.decision(parts, isFolder: name.kind == .folder)
            if case .unreadable(let reason) = name.kind {
                throw BuildError.unreadable("\(shown)/\(path)", reason: reason)
            }
            if let decision, !decision.isNegated {
                let ending = name.kind == .folder ? "/" : ""
                listing.leftOut.append(.init(path: path + ending, pattern: decision.text))
                continue
            }
            // The manifest stands in that place, also in other letters, and as a folder.
            let isReserved = folder.path.isEmpty ? Self.isReserved(name.text) : folder.isReserved
            switch try name.kind == .link ? follow(path) : name.kind {
            case .folder:
                if excluded.contains("\(root)/\(path)") {
                    listing.leftOut.append(.init(path: path + "/", pattern: "the output folder"))
                } else {
                    listing.entries.append(.folder(.init(path: path, isReserved: isReserved)))
                }
            case .file(let stamp):
                let file = "\(place)/\(name.text)"
                guard let valid = try add(path, place: file, stamp, isReserved, to: &listing), decision == nil else {
                    continue
                }
                if let original = Self.original(of: path) { listing.compressed.append((valid, original)) }
                if valid.fileExtension == "zip" {
                    listing.archives.append(.init(path: valid, place: file, stamp: stamp))
                }
            case .link, .special, .unreadable: throw BuildError.specialFile("\(shown)/\(path)")
            }
        }
        return listing
    }

    /// - Returns: nil for a name that no package can hold.
    private func add(
        _ path: String, place: String, _ stamp: FileStamp, _ isReserved: Bool, to listing: inout FolderListing
    ) throws -> PackagePath? {
        guard stamp.size <= limits.maximumFileSize else {
            throw BuildError.overLimit("\(shown)/\(path)", limit: limits.maximumFileSize, found: stamp.size)
        }
        do {
            let valid = try PackagePath(path)
            if isReserved { throw BuildError.reservedName("\(shown)/\(path)") }
            listing.entries.append(.file(.init(path: valid, place: place, stamp: stamp)))
            listing.fileCount += 1
            guard listing.fileCount < limits.maximumFileCount else {
                throw BuildError.tooManyFiles(shown, limit: limits.maximumFileCount - 1)
            }
            return valid
        } catch FormatError.invalidPath(_, let reason) {
            listing.invalidNames.append((path, reason))
            return nil
        }
    }

    /// What a link leads to: a file inside the dist.
    private func follow(_ path: String) throws -> Kind {
        let link = "\(shown)/\(path)"
        guard let target = Self.realPath("\(root)/\(path)"),
            let kind = try Self.kind(target, shown: link)
        else { throw BuildError.brokenLink(link) }
        guard target == root || target.hasPrefix(root + "/") else {
            throw BuildError.linkOutside(link, target: target)
        }
        if kind == .folder { throw BuildError.linkToFolder(link) }
        return kind
    }

    private static func isReserved(_ name: String) -> Bool {
        guard let path = try? PackagePath(name) else { return false }
        return path.collisionKey.prefix { $0 != "/" } == Manifest.fileName
    }

    /// The path without the ending of a compressed copy; nil if there is none.
    private static func original(of path: String) -> String? {
        for ending in [".gz", ".br", ".zst"] where path.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) {
            return String(path.dropLast(ending.count))
        }
        return nil
    }

    // MARK: System calls

    private enum Kind: Equatable { case file(FileStamp), folder, link, special, unreadable(String) }

    private struct Name {
        let text: String
        let kind: Kind

        /// By the bytes of the paths: those below a folder go on with a slash.
        static func < (left: Name, right: Name) -> Bool {
            var (leftText, rightText) = (left.text, right.text)
            return leftText.withUTF8 { leftBytes in
                rightText.withUTF8 { rightBytes in
                    let common = min(leftBytes.count, rightBytes.count)
                    for index in 0..<common where leftBytes[index] != rightBytes[index] {
                        return leftBytes[index] < rightBytes[index]
                    }
                    return left.next(leftBytes, common) < right.next(rightBytes, common)
                }
            }
        }

        private func next(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> UInt8 {
            if index < bytes.count { return bytes[index] }
            return kind == .folder ? UInt8(ascii: "/") : 0
        }
    }

    static func isFolder(_ path: String, shown: String) throws -> Bool { try kind(path, shown: shown) == .folder }

    /// - Returns: nil for what is not there.
    private static func kind(_ path: String, shown: String) throws(BuildError) -> Kind? {
        let kind = kind(path, in: AT_FDCWD)
        if case .unreadable(let reason)? = kind { throw .unreadable(shown, reason: reason) }
        return kind
    }

    /// - Returns: nil for what is gone since its folder was read. Anything else that hides a file from us, a folder
    ///   without the right to search it, must not make a site without that file.
    private static func kind(_ name: UnsafePointer<CChar>, in folder: Int32) -> Kind? {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return errno == ENOENT ? nil : .unreadable(String(cString: strerror(errno)))
        }
        if let stamp = FileStamp(status) { return .file(stamp) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .folder
        case S_IFLNK: return .link
        default: return .special
        }
    }

    static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }

    /// The names in a folder, sorted, each once: one that changes meanwhile may give a name twice.
    private static func names(in folder: String, shown: String) throws(BuildError) -> [Name] {
        guard let stream = opendir(folder) else { throw .unreadable(shown, reason: String(cString: strerror(errno))) }
        defer { closedir(stream) }
        var names: [Name] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw .unreadable(shown, reason: String(cString: strerror(errno))) }
                break
            }
            let found = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    (text: String(validatingCString: $0), kind: kind($0, in: dirfd(stream)))
                }
            }
            guard let text = found.text else { throw .nameNotUTF8(folder: shown) }
            if text != ".", text != "..", let kind = found.kind { names.append(Name(text: text, kind: kind)) }
        }
        names.sort { $0 < $1 }
        // By bytes: two Unicode forms of one name, which are equal strings, are two files, and one of them is refused.
        func isRepeated(_ name: Name, _ next: Name) -> Bool { name.text.utf8.elementsEqual(next.text.utf8) }
        guard zip(names, names.dropFirst()).contains(where: isRepeated) else { return names }
        return names.indices.filter { $0 + 1 == names.count || !isRepeated(names[$0], names[$0 + 1]) }.map { names[$0] }
    }
}
