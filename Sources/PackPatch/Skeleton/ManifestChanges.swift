import PackFormat

/// How a version's list of files came from another one's, without what follows from the content.
struct ManifestChanges {
    /// What became of a file of the base.
    enum Fate {
        case kept
        /// Its path has another content.
        case changed(Content)
        /// Its name carries another hash, and it mostly has another content.
        case renamed(hash: [UInt8], Content)
        case removed
    }

    /// What a file of the target consists of.
    enum Content {
        /// An object that the base does not have, with its size: it comes with the content.
        case new(size: Int)
        /// The same object as the file whose new object was this one, in the order in which they are coded.
        case repeated(Int)
        /// The object of the base's own file at this place in its order of paths.
        case old(Int)
        /// A file of the shared bundle at this place among the pins, in order.
        case shared(pin: Int, Object)
    }

    /// Added files of one folder whose whole names are found in the content: all names that ``NameFinder`` finds there and that no other
    /// file of the folder has, but for the excluded ones.
    struct Unnamed {
        /// With its slash; empty for the package's own.
        let folder: [UInt8]
        /// The endings of the names, with their dots, in order.
        let endings: [[UInt8]]
        /// The names that are none of them, by their places among all.
        let excluded: [Int]
        /// In the order of the paths that they have.
        var files: [UnnamedFile] = []
    }

    struct UnnamedFile {
        /// How many files with a known path stand before it.
        let place: Int
        let content: Content
    }

    struct Added {
        /// With zeros in place of a hash that is found in the content.
        let path: PackagePath
        let content: Content
        /// Which of the hashes that ``NameFinder`` finds for this name is its own.
        var found: Int?
    }

    /// The target's document without its files.
    var head: [UInt8] = []
    /// For each file of the base, in the order of paths.
    var fates: [Fate] = []
    /// In the order of paths.
    var added: [Added] = []
    var unnamed: Unnamed?
}

extension ManifestChanges {
    /// - Parameter pins: The target's shared bundles, in order.
    /// - Parameter names: The added files that need no name, and how a device finds it.
    init(
        from base: Manifest, to target: Manifest, head: [UInt8], pins: [PackageID],
        names: (paths: Set<PackagePath>, of: Unnamed)? = nil
    ) {
        self.head = head
        let basePaths = base.sortedPaths
        let targetPaths = target.sortedPaths
        let renamed = Self.renamed(base, basePaths, target, targetPaths)
        var contents = ContentTable(base, basePaths, pins)
        var taken: Set<PackagePath> = []
        for path in basePaths {
            if let file = target.files[path] {
                let content = file == base.files[path] ? nil : contents.content(of: file)
                fates.append(content.map { .changed($0) } ?? .kept)
            } else if let new = renamed[path], let file = target.files[new.path] {
                taken.insert(new.path)
                fates.append(.renamed(hash: new.hash, contents.content(of: file)))
            } else {
                fates.append(.removed)
            }
        }
        let new = targetPaths.filter { base.files[$0] == nil && !taken.contains($0) }
        for path in new where names?.paths.contains(path) != true {
            guard let file = target.files[path] else { continue }
            added.append(Added(path: path, content: contents.content(of: file)))
        }
        guard let names else { return }
        var unnamed = names.of
        var known = 0
        for path in targetPaths {
            guard names.paths.contains(path), let file = target.files[path] else {
                known += 1
                continue
            }
            unnamed.files.append(UnnamedFile(place: known, content: contents.content(of: file)))
        }
        self.unnamed = unnamed
    }

    /// The names of added files whose hashes may be found in the content.
    var findable: Set<NameFinder.Kind> { Set(added.compactMap { NameFinder.Kind($0.path) }) }

    /// Leaves out the hashes of added files that are found in the content.
    ///
    /// A device decodes the content before it knows these names. So the names may have no part in the renaming, and the order of
    /// all names must not depend on the hashes.
    mutating func leaveOutHashes(foundBy finder: NameFinder, from base: Manifest, to target: Manifest) {
        let gone = Set(base.files.keys.filter { target.files[$0] == nil }.compactMap { HashedName($0)?.key })
        let paths = target.sortedPaths
        let places = Dictionary(uniqueKeysWithValues: paths.enumerated().map { ($1, $0) })
        let found = finder.hashes.mapValues { hashes in
            Dictionary(hashes.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        }
        for index in added.indices {
            let path = added[index].path
            guard let kind = NameFinder.Kind(path), let name = HashedName(path), !gone.contains(name.key),
                let hashIndex = found[kind]?[name.hash], let place = places[path],
                let unknown = try? name.path(with: Self.unknownHash(name.hash.count)),
                HashedName(unknown)?.key == name.key,
                let first = try? name.path(with: [UInt8](repeating: UInt8(ascii: "-"), count: name.hash.count)),
                let last = try? name.path(with: [UInt8](repeating: UInt8(ascii: "z"), count: name.hash.count)),
                place == 0 || paths[place - 1] < first, place == paths.count - 1 || last < paths[place + 1]
            else { continue }
            added[index] = Added(path: unknown, content: added[index].content, found: hashIndex)
        }
    }

    /// What stands for a hash that is not known yet.
    static func unknownHash(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "0"), count: count) }

    /// Which files of the base have another hash in their names, as far as it has as many characters.
    private static func renamed(
        _ base: Manifest, _ basePaths: [PackagePath], _ target: Manifest, _ targetPaths: [PackagePath]
    ) -> [PackagePath: (path: PackagePath, hash: [UInt8])] {
        var candidates: [NameFinder.Kind: [(path: PackagePath, hash: [UInt8], file: Manifest.File)]] = [:]
        for path in targetPaths where base.files[path] == nil {
            guard let name = HashedName(path), HashAlphabet(of: name.hash) != nil, let file = target.files[path] else {
                continue
            }
            candidates[NameFinder.Kind(key: name.key, hashByteCount: name.hash.count), default: []].append(
                (path, name.hash, file))
        }
        var result: [PackagePath: (PackagePath, [UInt8])] = [:]
        for path in basePaths where target.files[path] == nil {
            guard let name = HashedName(path), let old = base.files[path] else { continue }
            let kind = NameFinder.Kind(key: name.key, hashByteCount: name.hash.count)
            guard let all = candidates[kind], !all.isEmpty else { continue }
            // The most similar size is the cheapest one to tell; of thousands the first will do.
            let near = all.prefix(Self.comparedCount).enumerated().min { left, right in
                func distance(_ file: Manifest.File) -> Int {
                    file.digest == old.digest ? -1 : abs(file.size - old.size)
                }
                return distance(left.element.file) < distance(right.element.file)
            }
            guard let near else { continue }
            result[path] = (near.element.path, near.element.hash)
            candidates[kind]?.remove(at: near.offset)
        }
        return result
    }

    private static let comparedCount = 256

    /// Says what each file of the target consists of, in the order in which they are coded.
    private struct ContentTable {
        private let pins: [PackageID: Int]
        private var old: [Digest: Int] = [:]
        private var new: [Digest: Int] = [:]

        init(_ base: Manifest, _ basePaths: [PackagePath], _ pins: [PackageID]) {
            self.pins = Dictionary(uniqueKeysWithValues: pins.enumerated().map { ($1, $0) })
            for (index, path) in basePaths.enumerated() {
                guard let file = base.files[path], file.from == nil, old[file.digest] == nil else { continue }
                old[file.digest] = index
            }
        }

        mutating func content(of file: Manifest.File) -> Content {
            if let bundle = file.from {
                // A manifest pins each bundle that it takes files from.
                return .shared(pin: pins[bundle] ?? 0, Object(digest: file.digest, size: file.size))
            }
            if let index = old[file.digest] { return .old(index) }
            if let index = new[file.digest] { return .repeated(index) }
            new[file.digest] = new.count
            return .new(size: file.size)
        }
    }
}

/// The characters that a hash in a file name is made of, as the tools write them.
enum HashAlphabet: Int {
    case hexadecimal, base32, base64

    /// The smallest that has all characters; nil where none has.
    init?(of hash: [UInt8]) {
        var found = HashAlphabet.hexadecimal
        while !hash.allSatisfy({ found.characters.contains($0) }) {
            guard let next = HashAlphabet(rawValue: found.rawValue + 1) else { return nil }
            found = next
        }
        self = found
    }

    var bits: Int {
        switch self {
        case .hexadecimal: 4
        case .base32: 5
        case .base64: 6
        }
    }

    /// Two to the power of ``bits``, in the order of their values.
    var characters: [UInt8] {
        switch self {
        case .hexadecimal: Array("0123456789abcdef".utf8)
        case .base32: Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        case .base64: Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        }
    }
}
