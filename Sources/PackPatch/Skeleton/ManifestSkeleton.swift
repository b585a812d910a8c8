package import PackFormat

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A new manifest without what follows from the content that comes with it: the digests of the new objects.
///
///     let skeleton = try ManifestSkeleton(bytes, base: installed, baseBytes: old, limits: limits)
///     try PatchDecoder(skeleton, scratch: folder).apply(patch, to: &sink, base: place)     // names.look(at: …)
///     let manifest = skeleton.manifestBytes(new: objects, names: names)       // right only with the signed digest
///
/// Nothing in a skeleton is signed. It says what to decode, and within which limits; what comes out is believed when the
/// manifest that it gives has the digest that the publisher signed, and is thrown away otherwise.
package struct ManifestSkeleton: Sendable {
    /// What bounds a skeleton before anything of it is verified.
    package struct Limits: Sendable {
        /// The signed length of the manifest.
        let manifestByteCount: Int
        /// The most bytes of new objects.
        let contentByteCount: Int

        /// - Parameter base: What the device has: a version's new objects have no more than its own ones and 8 MiB, or the
        ///   manifest comes by its plain patch, which costs little beside so much content.
        package init(manifestByteCount: Int, base: Manifest) {
            self.manifestByteCount = manifestByteCount
            contentByteCount = base.ownObjects.reduce(8 << 20) { $0 + $1.size }
        }
    }

    private enum Entry: Sendable {
        case known(Manifest.File)
        /// A new object, by its place in ``PatchPlan/new``.
        case new(Int)
    }

    /// What the content is decoded by. The digests of its new objects only tell them apart.
    package let plan: PatchPlan
    /// The app versions that can run the version, if the skeleton is right.
    package var requiredApp: VersionRange? { head.requiredApp }
    /// Is to look at each new object, in their order.
    package let names: NameFinder
    private let head: ManifestHead
    private let files: [(path: PackagePath, entry: Entry)]
    /// The files whose hashes are found in the content: which name, and which of its hashes.
    private let found: [PackagePath: (kind: NameFinder.Kind, index: Int)]
    /// Those of which the whole names are found there, by what stands for them.
    private let unnamed: ManifestChanges.Unnamed?
    private let unnamedPlaces: [PackagePath: Int]

    /// The skeleton that gives the manifest `target` to who has `base`; equal input gives equal bytes.
    /// - Parameter object: Where an object of the target is.
    /// - Returns: nil where there can be none.
    package static func encode(base: [UInt8], target: [UInt8], object: (Digest) throws -> URL) throws -> [UInt8]? {
        let (old, new) = try (Manifest(parsing: base), Manifest(parsing: target))
        let (oldHead, newHead) = try (ManifestHead(parsing: base), ManifestHead(parsing: target))
        var changes = ManifestChanges(from: old, to: new, head: newHead.bytes, pins: newHead.pins)
        let plan = PatchPlan(from: old, to: new)
        var finder = NameFinder(changes.findable, textEndings: changes.findableEndings)
        for new in plan.new where !finder.isIdle {
            let content = try Data(contentsOf: object(new.digest), options: .alwaysMapped)
            content.withUnsafeBytes { finder.look(at: $0) }
            finder.endObject()
        }
        var ways: [ManifestChanges] = []
        if let names = changes.names(foundBy: finder, from: old, to: new) {
            var unnamed = ManifestChanges(from: old, to: new, head: newHead.bytes, pins: newHead.pins, names: names)
            unnamed.leaveOutHashes(foundBy: finder, from: old, to: new)
            ways.append(unnamed)
        }
        changes.leaveOutHashes(foundBy: finder, from: old, to: new)
        ways.append(changes)
        var best: [UInt8]?
        for way in ways {
            var coder = SkeletonCoder(BinaryEncoder())
            _ = try ManifestChanges.code(
                way, base: old, head: oldHead, manifestByteCount: target.count, &coder)
            let bytes = coder.coder.end()
            guard bytes.count < best?.count ?? .max else { continue }
            // What a device would make of it, with the right content.
            let limits = Limits(manifestByteCount: target.count, base: old)
            guard let skeleton = try? ManifestSkeleton(bytes[...], base: old, baseBytes: base, limits: limits),
                skeleton.plan.isSame(as: plan), skeleton.manifestBytes(new: plan.new, names: finder) == target
            else { continue }
            best = bytes
        }
        return best
    }

    /// Reads a skeleton, which comes from anybody.
    /// - Throws: ``PatchError``; then the manifest is to be fetched by its plain patch.
    package init(
        _ bytes: ArraySlice<UInt8>, base: Manifest, baseBytes: [UInt8], limits: Limits
    ) throws(PatchError) {
        var coder = SkeletonCoder(BinaryDecoder(bytes))
        let oldHead: ManifestHead
        do { oldHead = try ManifestHead(parsing: baseBytes) } catch { throw .corrupt(reason: "\(error)") }
        let changes = try ManifestChanges.code(
            nil, base: base, head: oldHead, manifestByteCount: limits.manifestByteCount, &coder)
        try coder.coder.end()
        try self.init(changes, base: base, limits: limits)
    }

    private init(_ changes: ManifestChanges, base: Manifest, limits: Limits) throws(PatchError) {
        do { head = try ManifestHead(parsing: changes.head) } catch { throw .corrupt(reason: "\(error)") }
        var table = FileTable(base: base, pins: head.pins, limit: limits.contentByteCount)
        for (path, fate) in zip(table.basePaths, changes.fates) {
            switch fate {
            case .kept: if let file = base.files[path] { table.add(path, file) }
            case .changed(let content): try table.add(path, content)
            case .renamed(let hash, let content):
                guard let name = HashedName(path) else { throw .corrupt(reason: "a name has no hash") }
                try table.add(name.path(with: hash), content)
            case .removed: break
            }
        }
        var found: [PackagePath: (kind: NameFinder.Kind, index: Int)] = [:]
        for added in changes.added {
            try table.add(added.path, added.content)
            guard let index = added.found else { continue }
            guard let kind = NameFinder.Kind(added.path) else { throw .corrupt(reason: "a name has no hash") }
            found[added.path] = (kind, index)
        }
        self.found = found
        unnamed = changes.unnamed
        names = NameFinder(Set(found.values.map { $0.kind }), textEndings: Set(changes.unnamed?.endings ?? []))
        var files = table.files.sorted { $0.path < $1.path }
        for (left, right) in zip(files, files.dropFirst()) where left.path == right.path {
            throw .corrupt(reason: "it has a path twice")
        }
        var places: [PackagePath: Int] = [:]
        if let unnamed = changes.unnamed { try table.insert(unnamed, into: &files, &places) }
        unnamedPlaces = places
        plan = PatchPlan(
            from: base,
            to: files.compactMap { path, file in
                file.from == nil ? NamedObject(path: path, object: Object(digest: file.digest, size: file.size)) : nil
            })
        let objects = Dictionary(uniqueKeysWithValues: plan.new.enumerated().map { ($1.digest, $0) })
        self.files = files.map { path, file in
            (path, file.from == nil ? objects[file.digest].map { .new($0) } ?? .known(file) : .known(file))
        }
    }

    /// The manifest, if these are its new objects: only the signed digest tells.
    /// - Parameter new: In the order of ``PatchPlan/new``.
    /// - Parameter names: Has looked at their content.
    package func manifestBytes(new: [Object], names: NameFinder) -> [UInt8] {
        var unnamedPaths: [PackagePath] = []
        if let unnamed {
            let known = Set(files.lazy.map(\.path).filter { unnamedPlaces[$0] == nil })
            guard let paths = unnamed.paths(foundBy: names, without: known) else { return [] }
            unnamedPaths = paths
        }
        return head.manifestBytes(
            with: files.compactMap { path, entry in
                var path = path
                if let place = unnamedPlaces[path] {
                    path = unnamedPaths[place]
                } else if let (kind, index) = found[path] {
                    guard let hashes = names.hashes[kind], hashes.indices.contains(index),
                        let whole = try? HashedName(path)?.path(with: hashes[index])
                    else { return nil }
                    path = whole
                }
                switch entry {
                case .known(let file): return (path, file)
                case .new(let index):
                    guard new.indices.contains(index) else { return nil }
                    return (path, Manifest.File(digest: new[index].digest, size: new[index].size))
                }
            })
    }

    /// Puts the files of both versions together.
    private struct FileTable {
        let base: Manifest
        let basePaths: [PackagePath]
        let pins: [PackageID]
        var files: [(path: PackagePath, file: Manifest.File)] = []
        private var new: [Object] = []
        private var left: Int

        init(base: Manifest, pins: [PackageID], limit: Int) {
            self.base = base
            self.pins = pins
            basePaths = base.sortedPaths
            left = limit
        }

        /// Puts the files whose names are not known between those whose names are.
        mutating func insert(
            _ unnamed: ManifestChanges.Unnamed, into sorted: inout [(path: PackagePath, file: Manifest.File)],
            _ places: inout [PackagePath: Int]
        ) throws(PatchError) {
            let known = files.count
            let paths = Set(files.map(\.path))
            for (index, file) in unnamed.files.enumerated() {
                let path = try unnamed.placeholder(index)
                guard file.place <= known, !paths.contains(path) else {
                    throw .corrupt(reason: "it names what is not there")
                }
                places[path] = index
                try add(path, file.content)
            }
            var result: [(path: PackagePath, file: Manifest.File)] = []
            result.reserveCapacity(files.count)
            var next = 0
            for (place, file) in sorted.enumerated() {
                while next < unnamed.files.count, unnamed.files[next].place == place {
                    result.append(files[known + next])
                    next += 1
                }
                result.append(file)
            }
            sorted = result + files[(known + next)...]
        }

        mutating func add(_ path: PackagePath, _ file: Manifest.File) {
            files.append((path, file))
        }

        mutating func add(_ path: PackagePath, _ content: ManifestChanges.Content) throws(PatchError) {
            switch content {
            case .new(let size):
                guard size <= left else {
                    throw .tooLarge(byteCount: size, limit: left)
                }
                left -= size
                let object = Object(digest: Digest(of: Array("new object \(new.count)".utf8)), size: size)
                new.append(object)
                add(path, Manifest.File(digest: object.digest, size: size))
            case .repeated(let index):
                guard new.indices.contains(index) else {
                    throw .corrupt(reason: "it refers to something that does not exist")
                }
                add(path, Manifest.File(digest: new[index].digest, size: new[index].size))
            case .old(let index):
                guard basePaths.indices.contains(index), let file = base.files[basePaths[index]], file.from == nil
                else { throw .corrupt(reason: "it refers to something that does not exist") }
                add(path, file)
            case .shared(let pin, let object):
                guard pins.indices.contains(pin) else {
                    throw .corrupt(reason: "it refers to something that does not exist")
                }
                add(path, Manifest.File(digest: object.digest, size: object.size, from: pins[pin]))
            }
        }
    }
}
