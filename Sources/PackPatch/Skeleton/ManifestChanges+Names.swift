import PackFormat

extension ManifestChanges {
    /// The endings of added names that may be found in the content as a whole.
    var findableEndings: Set<[UInt8]> {
        Set(added.compactMap { HashedName($0.path) == nil ? nil : Self.ending(of: $0.path) })
    }

    /// The added files that need no name, because a device finds it in the content that it decodes.
    ///
    /// It decodes the content before it knows these names, so they may have no part in the renaming. Their order is told.
    /// - Parameter finder: Has looked at the content for ``findableEndings``.
    /// - Returns: nil where there are none, or where there are too many other names among them.
    func names(
        foundBy finder: NameFinder, from base: Manifest, to target: Manifest
    ) -> (paths: Set<PackagePath>, of: Unnamed)? {
        let gone = Set(base.files.keys.filter { target.files[$0] == nil }.compactMap { HashedName($0)?.key })
        let texts = Set(finder.texts)
        var folders: [[UInt8]: Set<PackagePath>] = [:]
        for path in added.map(\.path) {
            guard let name = HashedName(path), !gone.contains(name.key), texts.contains(Array(path.name.utf8)) else {
                continue
            }
            folders[Array(path.text.utf8.dropLast(path.name.utf8.count)), default: []].insert(path)
        }
        // The most files of one folder; of equal ones the first by its name.
        let best = folders.max { ($0.value.count, Self.text($1.key)) < ($1.value.count, Self.text($0.key)) }
        guard let (folder, paths) = best else { return nil }
        let endings = Set(paths.map { Self.ending(of: $0) })
        let known = Set(target.files.keys.filter { !paths.contains($0) })
        let candidates = Self.candidates(finder.texts, in: folder, endings: endings, without: known)
        let excluded = candidates.indices.filter { !paths.contains(candidates[$0]) }
        guard excluded.count < 2 * paths.count, candidates.count - excluded.count == paths.count else { return nil }
        let sorted = endings.sorted { Self.text($0) < Self.text($1) }
        return (paths, Unnamed(folder: folder, endings: sorted, excluded: excluded))
    }

    /// The paths that names in the content would have in a folder, and that no file with a known path has.
    static func candidates(
        _ texts: [[UInt8]], in folder: [UInt8], endings: Set<[UInt8]>, without known: Set<PackagePath>
    ) -> [PackagePath] {
        texts.compactMap { text in
            guard let path = try? PackagePath(Self.text(folder + text)), endings.contains(ending(of: path)),
                !known.contains(path)
            else { return nil }
            return path
        }
    }

    /// From the last dot of the name on.
    private static func ending(of path: PackagePath) -> [UInt8] {
        let name = Array(path.name.utf8)
        return name.lastIndex(of: Tokenizer.dot).map { Array(name[$0...]) } ?? []
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension ManifestChanges.Unnamed {
    /// What stands for a name until the content is decoded: it has a hash, as each of these names does, and the key of no other file.
    func placeholder(_ index: Int) throws(PatchError) -> PackagePath {
        do {
            return try PackagePath("\(String(decoding: folder, as: UTF8.self))new-00000000-\(index)")
        } catch {
            throw .corrupt(reason: "\(error)")
        }
    }

    /// The paths, in order.
    /// - Parameter names: Has looked at the content.
    /// - Returns: nil where there are not so many.
    func paths(foundBy names: NameFinder, without known: Set<PackagePath>) -> [PackagePath]? {
        let candidates = ManifestChanges.candidates(
            names.texts, in: folder, endings: Set(endings), without: known)
        let excluded = Set(excluded)
        let paths = candidates.indices.filter { !excluded.contains($0) }.map { candidates[$0] }.sorted()
        return paths.count == files.count ? paths : nil
    }
}
