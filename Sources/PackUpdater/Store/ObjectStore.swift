import struct Crypto.SHA256
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

/// The content of a store: each object once, under its digest. An object is either complete or absent: it is
/// verified, synced, and then added by one rename.
struct ObjectStore: Sendable {
    let layout: StoreLayout
    /// Where what is verified on its way in is noted.
    var verified: VerifiedObjects?

    func url(_ digest: Digest) -> URL { layout.object(digest) }

    func has(_ object: Object) -> Bool { Durable.size(of: url(object.digest)) == object.size }

    func missing(among objects: [Object]) -> [Object] { objects.filter { !has($0) } }

    /// Reads through those of some objects that are here and were not read in this run. What is damaged is removed: it is
    /// of no use to anybody, and is then fetched like what was never here.
    /// - Returns: the damaged ones.
    func dropDamaged(among objects: some Sequence<Object>) throws(UpdateError) -> [Object] {
        var damaged: [Object] = []
        var sound: [Object] = []
        for object in objects where !(verified?.contains(object.digest) ?? false) && has(object) {
            if fault(of: object) == nil {
                sound.append(object)
            } else {
                try Durable.remove(url(object.digest))
                damaged.append(object)
            }
        }
        verified?.insert(sound)
        return damaged
    }

    /// Reads an object through and compares; nil if it is sound, else what is wrong.
    func fault(of object: Object) -> String? {
        let url = url(object.digest)
        guard let size = Durable.size(of: url) else { return "it is missing" }
        guard size == object.size else { return "it has \(size) bytes instead of \(object.size)" }
        guard let digest = try? Self.digest(of: url) else { return "it cannot be read" }
        return digest == object.digest ? nil : "its content has another digest"
    }

    /// Compares what came with what is signed.
    /// - Parameter digest: nil if the size is another already.
    static func verify(_ object: Object, _ size: Int, _ digest: Digest?) throws(UpdateError) {
        guard size == object.size else {
            throw .damagedContent(
                "object \(object.digest)", reason: "it does not have the \(object.size) signed bytes")
        }
        guard digest == object.digest else {
            throw .damagedContent("object \(object.digest)", reason: "its content has another digest")
        }
    }

    static func digest(of url: URL) throws -> Digest {
        let file = try OpenFile(url, flags: O_RDONLY)
        var hash = SHA256()
        while let chunk = try file.read(upTo: 1 << 18) { hash.update(data: chunk) }
        return Digest(hash.finalize())
    }
}
