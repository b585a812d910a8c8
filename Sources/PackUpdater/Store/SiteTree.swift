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

/// The site of a version as files: hard links to the objects, and the manifest as `pack.json`.
///
/// It is built in `downloads/`, synced, and appears under its name by one rename.
struct SiteTree {
    let layout: StoreLayout
    let manifest: Manifest
    let manifestBytes: [UInt8]

    var url: URL { layout.tree(manifest.package, manifest.version) }

    /// Makes the tree where it is not there. Every object must be in the store.
    /// - Throws: where another content stands under this version's name and `isInUse` says that it is needed.
    func install(isInUse: () throws -> Bool) throws {
        let place = url.appending(path: Manifest.fileName)
        if try Durable.exists(place) {
            let found = try Durable.readSound(place, maximumByteCount: Manifest.maximumByteCount)
            if found == manifestBytes, isSound { return }
            if found != manifestBytes, try isInUse() {
                throw UpdateError.refused(
                    manifest.package, manifest.version,
                    reason: "this version is installed with other content, and a version never changes")
            }
        }
        try replace()
    }

    /// Makes the tree anew and puts it in the place of what is there, in one step: a version that is active is never
    /// without its files. Open pages keep the files they have open.
    func replace() throws {
        let staging = try build()
        try Durable.makeFolder(url.deletingLastPathComponent())
        let replaces = try Durable.exists(url)
        if replaces {
            try Durable.exchange(staging, with: url)
        } else {
            try Durable.rename(staging, to: url)
        }
        try Durable.sync(folder: url.deletingLastPathComponent())
        if replaces { try Durable.remove(staging) }
    }

    /// Whether every file is there, and is the object's own or has its content.
    var isSound: Bool {
        let objects = ObjectStore(layout: layout)
        guard
            (try? Durable.read(url.appending(path: Manifest.fileName), maximumByteCount: manifestBytes.count))
                == manifestBytes
        else { return false }
        return manifest.files.allSatisfy { path, file in
            let copy = url.appending(path: path.text)
            if Durable.isSameFile(copy, objects.url(file.digest)) { return true }
            return Durable.size(of: copy) == file.size && (try? ObjectStore.digest(of: copy)) == file.digest
        }
    }

    private func build() throws(UpdateError) -> URL {
        let root = layout.downloads.appending(path: "tree-\(UUID().uuidString.lowercased())")
        try Durable.makeFolder(root)
        var folders: [URL] = [root]
        var known: Set<String> = []
        var copies: [URL] = []
        for path in manifest.sortedPaths {
            guard let file = manifest.files[path] else { continue }
            var parent = root
            var name = ""
            for component in path.components.dropLast() {
                name += "/" + component
                parent = parent.appending(path: String(component))
                if known.insert(name).inserted {
                    guard mkdir(parent.path, 0o700) == 0 else { throw .system("make the folder", parent) }
                    folders.append(parent)
                }
            }
            let target = root.appending(path: path.text)
            if try Self.place(layout.object(file.digest), at: target) == .copied { copies.append(target) }
        }
        try Durable.create(manifestBytes, at: root.appending(path: Manifest.fileName), mode: 0o444)
        try Durable.sync(files: copies, folders: folders.reversed(), in: root)
        return root
    }

    private enum Placed { case linked, copied }

    /// A hard link; a copy where the file system has none, or the object has all the links it can.
    private static func place(_ object: URL, at target: URL) throws(UpdateError) -> Placed {
        if link(object.path, target.path) == 0 { return .linked }
        guard [EMLINK, EPERM, EXDEV, ENOTSUP, ENOSYS].contains(errno) else { throw .system("link", object) }
        do {
            try FileManager.default.copyItem(at: object, to: target)
        } catch {
            throw .fileFailed(action: "copy", path: object.path, reason: SystemCall.reason(of: error))
        }
        return .copied
    }
}
