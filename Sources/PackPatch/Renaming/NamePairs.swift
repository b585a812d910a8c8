import PackFormat

/// Pairs the paths of the base with those of the target whose names differ only in a hash.
struct NamePairs {
    /// The paths with a hash in the name that only one version has, in path order.
    let gone: [Entry]
    let added: [Entry]
    /// The pairs that both ends see from the names alone: the only two of their kind.
    let evident: [(gone: Int, added: Int)]

    struct Entry {
        let name: HashedName
        let object: Object
    }

    init(_ plan: PatchPlan) {
        let basePaths = Set(plan.basePaths.map(\.path))
        let targetPaths = Set(plan.targetPaths.map(\.path))
        gone = Self.entries(plan.basePaths, without: targetPaths)
        added = Self.entries(plan.targetPaths, without: basePaths)
        let goneByKey = Dictionary(grouping: gone.indices) { [gone] in gone[$0].name.key }
        let addedByKey = Dictionary(grouping: added.indices) { [added] in added[$0].name.key }
        evident = goneByKey.compactMap { key, gone in
            guard gone.count == 1, let added = addedByKey[key], added.count == 1 else { return nil }
            return (gone[0], added[0])
        }.sorted { $0.gone < $1.gone }
    }

    /// What replaces the hashes of the evident pairs and of `others`.
    func rules(with others: [(gone: Int, added: Int)]) -> [RenamingRule] {
        (evident + others).map { RenamingRule(old: gone[$0.gone].name.hash, new: added[$0.added].name.hash) }
    }

    private static func entries(_ paths: [NamedObject], without others: Set<PackagePath>) -> [Entry] {
        paths.compactMap { path in
            guard !others.contains(path.path), let name = HashedName(path.path) else { return nil }
            return Entry(name: name, object: path.object)
        }
    }
}
