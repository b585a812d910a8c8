import PackArchive
import PackFormat

/// Decides which files of several packages go to a shared bundle, and computes what that saves.
///
/// Only the content decides a split: the bundle has each shared content once, under the smallest path that it has in
/// any package. Packages keep their paths and only name in `from` the bundle that has a file, so no URL changes.
struct SharedSplit {
    /// One package before the split.
    struct Package {
        let id: PackageID
        let contents: [PackagePath: PreparedContent]
    }

    /// The bundle's files; empty if nothing is shared.
    let files: [PackagePath: PreparedContent]
    /// The digests of the contents that are in the bundle.
    let digests: Set<Digest>

    /// - Parameters:
    ///   - include: patterns of files that go to the bundle from whatever package has them.
    ///   - isAutomatic: also takes each content that two or more packages have.
    init(_ packages: [Package], include: PathRules, isAutomatic: Bool) {
        if !isAutomatic, include.isEmpty {
            files = [:]
            digests = []
            return
        }
        struct Use {
            let content: PreparedContent
            var paths: [PackagePath] = []
            var packages: Set<PackageID> = []
            var isIncluded = false
        }
        var uses: [Digest: Use] = [:]
        for package in packages {
            for (path, content) in package.contents {
                var use = uses[content.object.digest] ?? Use(content: content)
                use.paths.append(path)
                use.packages.insert(package.id)
                use.isIncluded = use.isIncluded || include.selects(path)
                uses[content.object.digest] = use
            }
        }
        let shared = uses.filter { $1.isIncluded || isAutomatic && $1.packages.count > 1 }
        var files: [PackagePath: PreparedContent] = [:]
        var taken = TakenNames()
        for (digest, use) in shared.sorted(by: {
            ($0.value.paths.min() ?? $0.value.paths[0], $0.key) < ($1.value.paths.min() ?? $1.value.paths[0], $1.key)
        }) {
            guard let preferred = use.paths.min() else { continue }
            // Another content under the same name, from another package: the digest makes the name its own.
            let fallback = try? PackagePath("by-content/\(digest.hex)")
            for path in [preferred, fallback].compactMap({ $0 }) where taken.take(path) {
                files[path] = use.content
                break
            }
        }
        self.files = files
        digests = Set(shared.keys)
    }

    /// `0.0.0-h` and the start of the digest of the bundle's manifest: the version follows from the content alone.
    static func version(of files: [PackagePath: Manifest.File], id: PackageID) throws -> SemanticVersion {
        let unversioned = try Manifest(package: id, version: SemanticVersion("0.0.0"), entry: nil, files: files)
        return try SemanticVersion("0.0.0-h\(unversioned.digest.hex.prefix(16))")
    }
}

/// The names in use, by the rule of PathCollisions: no two differ only in case, and no file is also a folder.
private struct TakenNames {
    private var files: Set<String> = []
    private var folders: Set<String> = []

    mutating func take(_ path: PackagePath) -> Bool {
        let key = path.collisionKey
        var parents: [String] = []
        var folder = key[...]
        while let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) {
            folder = folder[..<slash]
            parents.append(String(folder))
        }
        guard !files.contains(key), !folders.contains(key), files.isDisjoint(with: parents) else { return false }
        files.insert(key)
        folders.formUnion(parents)
        return true
    }
}
