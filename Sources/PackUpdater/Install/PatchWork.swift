import Foundation
import PackFormat
import PackPatch

/// Applies patches to a store.
enum PatchWork {
    static func manifest(patch: [UInt8], base: [UInt8], expecting: Digest, byteCount: Int) throws -> [UInt8] {
        throw UpdateError.damagedContent("patch", reason: "not yet")
    }

    static func apply(
        patch: URL, base: Manifest?, target: Manifest, objects: ObjectStore, into batch: ObjectBatch
    ) throws {
        throw UpdateError.damagedContent("patch", reason: "not yet")
    }
}
