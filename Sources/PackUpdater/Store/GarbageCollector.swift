import PackFormat
import PackSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#endif

/// Removes what nothing needs: versions that are not active, previous, staged, embedded or pinned by a page of any
/// live process, shared bundles that only they used, objects that no remaining version uses, and leftovers of
/// interrupted updates. It does not depend on time, so a wrong clock deletes nothing.
///
/// Runs under the update lock.
struct GarbageCollector {
    /// What was removed.
    struct Outcome: Equatable {
        var versions: [String] = []
        var objectCount = 0
        /// Bytes.
        var size = 0
    }

    let store: DeviceStore

    /// - Parameter keepsPartialDownloads: after an update that did not finish, what it has goes on next time.
    func run(keepsPartialDownloads: Bool) throws -> Outcome {
        let layout = store.layout
        var outcome = Outcome()
        let (live, trash, arrived) = try removeTrees(&outcome)
        for folder in trash { try Durable.remove(folder) }
        if let live { try removeObjects(outside: live, &outcome) }
        if !arrived.isEmpty { try ObjectStore(layout: layout).syncArrived() }
        for url in arrived { try Durable.remove(url) }
        for name in try Durable.names(in: layout.downloads)
        where !(keepsPartialDownloads && name.hasPrefix(StoreLayout.partialPrefix)) {
            try Durable.remove(layout.downloads.appending(path: name))
        }
        return outcome
    }

    /// Moves dead trees aside under the state lock, so that no page can start on one meanwhile.
    /// - Returns: the digests that stay, nil if a manifest cannot be read and so nothing can be said; and what
    ///   stands for versions that nobody installs any more.
    private func removeTrees(_ outcome: inout Outcome) throws -> (live: Set<Digest>?, trash: [URL], arrived: [URL]) {
        let layout = store.layout
        return try store.change { state in
            var keep: Set<TreeName> = []
            for (package, state) in state.packages {
                for installed in state.kept {
                    keep.insert(TreeName(package: package.text, version: installed.id.version.description))
                }
            }
            var present: Set<TreeName> = []
            for package in try Durable.names(in: layout.unzipFiles) {
                for version in try Durable.names(in: layout.unzipFiles.appending(path: package)) {
                    present.insert(TreeName(package: package, version: version))
                }
            }
            // Of a version that must stay and is not here, nobody can say which objects it needs.
            var digests: Set<Digest>? = keep.isSubset(of: present) ? [] : nil
            for tree in present where !keep.contains(tree) {
                if try isPinned(tree) { keep.insert(tree) }
            }
            // Bundles of bundles do not exist, but a manifest may say so: go on until nothing is added.
            var queue = keep.filter(present.contains)
            while let tree = queue.popFirst() {
                guard let manifest = manifest(of: tree) else {
                    digests = nil
                    continue
                }
                digests?.formUnion(manifest.files.values.map(\.digest))
                for (bundle, pin) in manifest.shared {
                    let name = TreeName(package: bundle.text, version: pin.version.description)
                    if present.contains(name), keep.insert(name).inserted { queue.insert(name) }
                }
            }
            var trash: [URL] = []
            for tree in present.sorted(by: { ($0.package, $0.version) < ($1.package, $1.version) })
            where !keep.contains(tree) {
                let target = layout.downloads.appending(path: "old-\(UUID().uuidString.lowercased())")
                try Durable.makeFolder(layout.downloads)
                try Durable.rename(tree.url(layout), to: target)
                trash.append(target)
                outcome.versions.append("\(tree.package)@\(tree.version)")
            }
            for package in try Durable.names(in: layout.unzipFiles) {
                let folder = layout.unzipFiles.appending(path: package)
                if try Durable.names(in: folder).isEmpty { try Durable.remove(folder) }
            }
            try removePins()
            let (arriving, arrived) = try arriving(state)
            digests?.formUnion(arriving)
            return (digests, trash, arrived)
        }
    }

    private func removeObjects(outside live: Set<Digest>, _ outcome: inout Outcome) throws {
        for prefix in try Durable.names(in: store.layout.objects) {
            let folder = store.layout.objects.appending(path: prefix)
            var isEmpty = true
            for name in try Durable.names(in: folder) {
                if let digest = try? Digest(hex: name), live.contains(digest) {
                    isEmpty = false
                    continue
                }
                let url = folder.appending(path: name)
                outcome.objectCount += 1
                outcome.size += Durable.size(of: url) ?? 0
                try Durable.remove(url)
            }
            if isEmpty { try Durable.remove(folder) }
        }
    }

    /// The objects of versions that install themselves while pages use them: a process does so now, or did before it
    /// died, and the package's next page goes on with what is here.
    private func arriving(_ state: StoreState) throws -> (live: Set<Digest>, over: [URL]) {
        let folder = store.layout.arriving
        var (live, over): (Set<Digest>, [URL]) = ([], [])
        for name in try Durable.names(in: folder) {
            let url = folder.appending(path: name)
            let bytes = try Durable.readSound(url, maximumByteCount: Manifest.maximumByteCount) ?? []
            guard let manifest = try? Manifest(parsing: bytes) else {
                over.append(url)
                continue
            }
            let package = state[manifest.package]
            let id = VersionID(version: manifest.version, manifest: Digest(of: bytes))
            let isNext = package.active == nil && package.offered == id
            if try isNext || Durable.lock(ifFree: url, .exclusive, creating: false) == nil {
                live.formUnion(manifest.files.values.map(\.digest))
            } else {
                over.append(url)
            }
        }
        return (live, over)
    }

    /// A page holds a shared lock on its version's pin, or on its manifest; a lock of a process that died is gone.
    private func isPinned(_ tree: TreeName) throws -> Bool {
        for url in [
            store.layout.pins.appending(path: "\(tree.package)@\(tree.version)"),
            tree.url(store.layout).appending(path: Manifest.fileName),
        ] where try Durable.exists(url) {
            if try Durable.lock(ifFree: url, .exclusive, creating: false) == nil { return true }
        }
        return false
    }

    private func removePins() throws {
        for name in try Durable.names(in: store.layout.pins) {
            let url = store.layout.pins.appending(path: name)
            if let lock = try Durable.lock(ifFree: url, .exclusive) {
                try withExtendedLifetime(lock) { try Durable.remove(url) }
            }
        }
    }

    private func manifest(of tree: TreeName) -> Manifest? {
        let url = tree.url(store.layout).appending(path: Manifest.fileName)
        guard let bytes = try? Durable.read(url, maximumByteCount: Manifest.maximumByteCount) else { return nil }
        return try? Manifest(parsing: bytes)
    }

    private struct TreeName: Hashable {
        let package: String
        let version: String

        func url(_ layout: StoreLayout) -> URL { layout.unzipFiles.appending(path: "\(package)/\(version)") }
    }
}
