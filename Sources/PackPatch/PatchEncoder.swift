package import Foundation
package import PackFormat

/// Makes patches: `full(B)` and `patch(A→B)`, the same bytes for the same two versions and libzstd.
///
///     let plan = PatchPlan(from: installed, to: wanted)
///     let size = try PatchEncoder().encode(plan, to: file) { digest in store.url(of: digest) }
///
/// Blocking and slow (some 1 to 3 MB a second) on one core: call it off the cooperative pool. The output is neither
/// synced nor renamed; give it a temporary name. The format is that of docs/PATCH-FORMAT.md.
package struct PatchEncoder: Sendable {
    private let scratch: URL

    /// - Parameter scratch: A folder for temporary files as large as the changed objects, which have no name there.
    package init(scratch: URL = FileManager.default.temporaryDirectory) {
        self.scratch = scratch
    }

    /// What one encoding may work on, old and new objects together: zstd's tables count in 32 bits, and a device has
    /// to hold that much. Bytes.
    package static let maximumByteCount = 1 << 30

    /// Writes the patch of `plan` to `file`.
    /// - Parameter object: Where an object of ``PatchPlan/lost`` or ``PatchPlan/new`` is.
    /// - Returns: The patch's size in bytes.
    /// - Throws: ``PatchError/damagedBase(_:)`` for an object that is not what its digest says,
    ///   ``PatchError/tooLarge(byteCount:limit:)``, or what `object` throws.
    @discardableResult
    package func encode(_ plan: PatchPlan, to file: URL, object: (Digest) throws -> URL) throws -> Int {
        let byteCount = plan.lostByteCount + plan.newByteCount
        guard byteCount <= Self.maximumByteCount else {
            throw PatchError.tooLarge(byteCount: byteCount, limit: Self.maximumByteCount)
        }
        return try withoutActuallyEscaping(object) { object in
            let reader = ObjectReader(locate: object)
            let prefix = try reader.concatenate(plan.lost, scratch: scratch, isVerified: true)
            let content = try reader.concatenate(plan.new, scratch: scratch, isVerified: true)
            // Zero pages, of which only those that the frame fills become memory.
            let output = try MappedMemory(zeroed: FrameCompressor.bound(content.count))
            let count = try FrameCompressor().compress(
                content.bytes, prefix: prefix.bytes, settings: Self.settings(for: plan), into: output.mutableBytes)
            let target = try OpenFile(writing: file)
            try target.write(UnsafeRawBufferPointer(rebasing: output.bytes.prefix(count)))
            return count
        }
    }

    /// Level 22 makes patches 6 % smaller than 19, and takes 1.5 times the time and 640 MB of tables. Without a prefix
    /// it gains less and costs the same, so `full(B)`, which every publication waits for, has 19.
    private static func settings(for plan: PatchPlan) -> FrameCompressor.Settings {
        let byteCount = plan.lostByteCount + plan.newByteCount
        if plan.lost.isEmpty { return FrameCompressor.Settings(level: byteCount <= 128 << 20 ? 19 : 12) }
        switch byteCount {
        case ...(160 << 20): return FrameCompressor.Settings(level: 22)
        case ...(320 << 20): return FrameCompressor.Settings(level: 19)
        default: return FrameCompressor.Settings(level: 12)
        }
    }
}
