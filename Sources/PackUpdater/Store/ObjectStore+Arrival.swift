import PackFormat

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

/// Objects that a page waits for. They are verified and readable at once, but reach the disk only when the system
/// writes them.
///
/// A power cut can leave such an object empty, or with other bytes. Two rules ensure that this only costs a download:
///
/// 1. It belongs to a version in `arriving/`, whose entry was on the disk before the object. Before a tree is made while
///    `arriving/` has entries, the disk is synced (``syncArrived()``). An entry is removed only after that.
/// 2. An open or an update that reuses existing objects reads them first (``dropDamaged(among:)``).
extension ObjectStore {
    /// - Throws: ``UpdateError/damagedContent(_:reason:)`` if the bytes differ from what was signed.
    func takeArrived(_ object: Object, _ bytes: [UInt8]) throws(UpdateError) {
        try Self.verify(object, bytes.count, bytes.count == object.size ? Digest(of: bytes) : nil)
        try Durable.makeFolder(layout.downloads)
        let temporary = layout.downloads.appending(path: "object-\(UUID().uuidString.lowercased())")
        do {
            let file = try OpenFile(temporary, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o444)
            try file.write(bytes)
        } catch {
            try Durable.remove(temporary)
            throw error
        }
        try moveIn(temporary, object)
    }

    /// Takes a whole download; its file is the object's then.
    func takeArrived(_ object: Object, from file: URL) throws {
        let size = Durable.size(of: file) ?? 0
        try Self.verify(object, size, size == object.size ? Self.digest(of: file) : nil)
        guard chmod(file.path, 0o444) == 0 else { throw UpdateError.system("chmod", file) }
        try moveIn(file, object)
    }

    private func moveIn(_ file: URL, _ object: Object) throws(UpdateError) {
        let target = url(object.digest)
        let parent = target.deletingLastPathComponent()
        // Its name is synced with what is in it.
        if mkdir(parent.path, 0o700) != 0, errno == ENOENT { try Durable.makeFolder(parent) }
        try Durable.rename(file, to: target)
        verified?.insert([object])
    }

    /// Waits until every object that is here is on the disk, if any may not be. Under the update lock, before a tree is
    /// made of objects, and before `arriving/` loses a name.
    func syncArrived() throws(UpdateError) {
        guard try !Durable.names(in: layout.arriving).isEmpty else { return }
        try Durable.sync(everythingIn: layout.objects)
    }
}
