package import PackFormat

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Makes the patches `full(B)` and `patch(A→B)`. The same two versions give the same bytes with the same libzstd.
///
///     let plan = PatchPlan(from: installed, to: wanted)
///     let size = try PatchEncoder().encode(plan, to: file) { digest in store.url(of: digest) }
///
/// Blocking and slow (some 1 to 3 MB a second) on one core: call it off the cooperative pool. The output is neither
/// synced nor renamed; give it a temporary name. The format is that of docs/PATCH-FORMAT.md.
package struct PatchEncoder: Sendable {
    private let scratch: URL
    private let usesRenaming: Bool
    private let effort: Effort

    package enum Effort: Sendable {
        /// The smallest patch at a reasonable cost.
        case best
        /// Some 50 MB a second, and 7 to 12 % larger (docs/PATCH-FORMAT.md); above 128 MB, 200 MB a second and a
        /// third larger. It does not look for renamings and does not verify the objects.
        case quick
    }

    /// - Parameter scratch: A folder for temporary files as large as the changed objects, which have no name there.
    /// - Parameter usesRenaming: Tries a renaming map; without, a patch is always a plain zstd frame.
    package init(
        scratch: URL = FileManager.default.temporaryDirectory, usesRenaming: Bool = true,
        effort: Effort = .best
    ) {
        self.scratch = scratch
        self.usesRenaming = usesRenaming && effort == .best
        self.effort = effort
    }

    /// Up to which a renaming is looked for: it takes some nine times these bytes of memory.
    private static let maximumRenamedByteCount = 160 << 20

    /// Writes the patch of `plan` to `file`.
    /// - Parameter object: Where an object of ``PatchPlan/lost`` or ``PatchPlan/new`` is.
    /// - Returns: The patch's size in bytes.
    /// - Throws: ``PatchError/damagedBase(_:)`` for an object that is not what its digest says,
    ///   ``PatchError/tooLarge(byteCount:limit:)``, or what `object` throws.
    @discardableResult
    package func encode(_ plan: PatchPlan, to file: URL, object: (Digest) throws -> URL) throws -> Int {
        let byteCount = plan.lostByteCount + plan.newByteCount
        guard byteCount <= PatchPlan.maximumByteCount else {
            throw PatchError.tooLarge(byteCount: byteCount, limit: PatchPlan.maximumByteCount)
        }
        return try withoutActuallyEscaping(object) { object in
            let reader = ObjectReader(locate: object)
            let prefix = try reader.concatenate(plan.lost, scratch: scratch, isVerified: effort == .best)
            let content = try reader.concatenate(plan.new, scratch: scratch, isVerified: effort == .best)
            let target = try OpenFile(writing: file)
            if usesRenaming, byteCount <= Self.maximumRenamedByteCount, !plan.lost.isEmpty, !plan.new.isEmpty {
                let attempt = RenamingAttempt(plan: plan, plain: prefix.bytes, content: content.bytes)
                let patch = try attempt.shortest(settings: settings(for: plan)) { renamer in
                    let memory = try MappedMemory(zeroed: plan.lost.map(\.size).max() ?? 0)
                    return try reader.concatenate(
                        plan.lost, scratch: scratch, renamer: renamer, memory: memory.mutableBytes)
                }
                try target.write(patch.map)
                try target.write(patch.frame.bytes)
                return patch.byteCount
            }
            let frame = try CompressedFrame(content.bytes, prefix: prefix.bytes, settings(for: plan))
            try target.write(frame.bytes)
            return frame.bytes.count
        }
    }

    /// Level 22 makes patches 3 % smaller than 19 (docs/PATCH-FORMAT.md), for up to 640 MB of tables; above some size
    /// nobody waits for it. `full(B)`, which every publication needs, has 19.
    private func settings(for plan: PatchPlan) -> FrameCompressor.Settings {
        let byteCount = plan.lostByteCount + plan.newByteCount
        if effort == .quick { return FrameCompressor.Settings(level: byteCount <= 128 << 20 ? 9 : 3) }
        if plan.lost.isEmpty { return FrameCompressor.Settings(level: byteCount <= 128 << 20 ? 19 : 12) }
        switch byteCount {
        case ...Self.maximumRenamedByteCount: return FrameCompressor.Settings(level: 22)
        case ...(320 << 20): return FrameCompressor.Settings(level: 19)
        default: return FrameCompressor.Settings(level: 12)
        }
    }
}
