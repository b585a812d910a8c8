package import PackFormat

/// The objects of a patch between two versions. Both ends derive it from the two manifests.
/// `PatchPlanRule` of PackRegistry chooses the pairs of versions between which patches are made.
///
///     let plan = PatchPlan(from: installed, to: wanted)        // from: nil is the full download
///
///     try PatchEncoder().encode(plan, to: file) { digest in store.url(of: digest) }       // registry
///     try PatchDecoder(plan).apply(file, to: &sink) { digest in store.url(of: digest) }   // device
///
/// A patch has no header: the objects have the order of their first path in the manifest. Only the objects of the
/// package's own zip are included, because a shared bundle has its own patches.
package struct PatchPlan: Sendable {
    /// The most bytes of old and new objects together in one encoding: zstd's tables count in 32 bits, and a device
    /// must hold as much.
    package static let maximumByteCount = 1 << 30

    /// The objects that only the base has, each once. They are the patch's reference prefix.
    package let lost: [Object]
    /// The objects that only the target has, each once. They are the patch's content.
    package let new: [Object]

    /// The names under which each version has its own objects; renaming needs them on both ends.
    let basePaths: [NamedObject]
    let targetPaths: [NamedObject]

    /// The plan from the version `base` to the version `target`; from nothing if `base` is nil.
    package init(from base: Manifest?, to target: Manifest) {
        self.init(basePaths: base.map(Self.ownPaths) ?? [], targetPaths: Self.ownPaths(target))
    }

    /// The plan to a version of which only its own files' names and objects are known.
    init(from base: Manifest, to targetPaths: [NamedObject]) {
        self.init(basePaths: Self.ownPaths(base), targetPaths: targetPaths)
    }

    init(basePaths: [NamedObject], targetPaths: [NamedObject]) {
        let baseDigests = Set(basePaths.map(\.object.digest))
        let targetDigests = Set(targetPaths.map(\.object.digest))
        lost = Self.unique(basePaths.map(\.object), without: targetDigests)
        new = Self.unique(targetPaths.map(\.object), without: baseDigests)
        self.basePaths = basePaths
        self.targetPaths = targetPaths
    }

    /// The bytes of ``lost``.
    package var lostByteCount: Int { lost.reduce(0) { $0 + $1.size } }
    /// The bytes of ``new``, which are exactly the content of a patch.
    package var newByteCount: Int { new.reduce(0) { $0 + $1.size } }
    /// Whether the base has every object of the target, so that there is nothing to fetch.
    package var isEmpty: Bool { new.isEmpty }

    private static func ownPaths(_ manifest: Manifest) -> [NamedObject] {
        manifest.sortedPaths.compactMap { path in
            guard let file = manifest.files[path], file.from == nil else { return nil }
            return NamedObject(path: path, object: Object(digest: file.digest, size: file.size))
        }
    }

    private static func unique(_ objects: [Object], without excluded: Set<Digest>) -> [Object] {
        var seen = excluded
        return objects.filter { seen.insert($0.digest).inserted }
    }
}

/// An object with one of its paths.
struct NamedObject: Sendable {
    let path: PackagePath
    let object: Object
}
