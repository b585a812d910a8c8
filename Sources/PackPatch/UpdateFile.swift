/// What one request brings of a small update (`patches/TO/FROM.update`): the manifest's skeleton, and the patch of the objects
/// where it is small. The format is that of docs/PATCH-FORMAT.md.
package struct UpdateFile: Sendable {
    private static let format: UInt8 = 1
    /// A larger patch has a file of its own only, whose download can be continued.
    package static let maximumPatchByteCount = 64 << 10
    private static let maximumHeaderByteCount = 6

    /// For ``ManifestSkeleton``.
    package let skeleton: ArraySlice<UInt8>
    /// The patch; empty where it has a file of its own, or nothing is new.
    package let patch: ArraySlice<UInt8>

    /// - Parameter patch: At most ``maximumPatchByteCount`` bytes.
    package static func bytes(skeleton: [UInt8], patch: [UInt8]) -> [UInt8] {
        var count: [UInt8] = []
        var rest = skeleton.count
        repeat {
            count.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return [format] + count + skeleton + patch
    }

    /// - Throws: ``PatchError``: the file is damaged, or of a format that this program does not know.
    package init(parsing bytes: [UInt8]) throws(PatchError) {
        var reader = ByteReader(bytes.prefix(Self.maximumHeaderByteCount))
        guard let format = reader.byte() else { throw .truncated }
        guard format == Self.format else { throw .corrupt(reason: "its format is \(format)") }
        guard let count = reader.variable() else { throw .truncated }
        let start = min(bytes.count, Self.maximumHeaderByteCount) - reader.remaining
        guard count <= bytes.count - start else { throw .truncated }
        skeleton = bytes[start..<start + count]
        patch = bytes[(start + count)...]
        guard patch.count <= Self.maximumPatchByteCount else { throw .trailingData }
    }

    /// More than any update file of use.
    /// - Parameter manifest: The signed length of the manifest: a skeleton that is not shorter is not made.
    package static func maximumByteCount(manifest: Int) -> Int {
        maximumHeaderByteCount + max(manifest, 1024) + maximumPatchByteCount
    }
}
