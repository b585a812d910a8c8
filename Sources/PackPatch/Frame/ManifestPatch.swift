package import PackFormat

/// A document as a zstd frame against an older version that the device has. Manifests and large metadata are sent
/// like this.
///
///     let patch = try ManifestPatch.encode(base: old, target: new)
///     let new = try ManifestPatch.apply(patch, base: old, expecting: digest, maximumByteCount: 64 << 20)
///
/// Digests do not compress, so the manifest of 1,000 files costs some 45 KB whole, and about 40 bytes per changed file
/// as a patch. `zstd -d --patch-from=OLD` applies it too.
package enum ManifestPatch {
    /// Makes the frame from which a device with `base` gets `target`. Equal input gives equal bytes.
    package static func encode(base: [UInt8], target: [UInt8]) throws(PatchError) -> [UInt8] {
        var patch = [UInt8](repeating: 0, count: FrameCompressor.bound(target.count))
        let compressor = try FrameCompressor()
        let settings = FrameCompressor.Settings(level: 22, matchesLongDistances: false)
        do {
            let count = try base.withUnsafeBytes { base in
                try target.withUnsafeBytes { target in
                    try patch.withUnsafeMutableBytes { output in
                        try compressor.compress(target, prefix: base, settings: settings, into: output)
                    }
                }
            }
            return Array(patch.prefix(count))
        } catch let error as PatchError {
            throw error
        } catch {
            throw .corrupt(reason: "\(error)")
        }
    }

    /// Applies a patch to `base` and returns the new document.
    /// - Parameter digest: The SHA-256 of the document in the signed metadata.
    /// - Throws: ``PatchError``; then fetch the whole document.
    package static func apply(
        _ patch: [UInt8], base: [UInt8], expecting digest: Digest, maximumByteCount: Int
    ) throws(PatchError) -> [UInt8] {
        var target: [UInt8] = []
        do {
            try base.withUnsafeBytes { prefix in
                let content = FrameContent(
                    atMost: maximumByteCount, prefix: prefix,
                    windowLimit: FrameContent.windowLimit(prefix: prefix.count, content: maximumByteCount))
                var source = ChunkReader(patch)
                try content.read(&source) { target.append(contentsOf: $0) }
            }
        } catch let error as PatchError {
            throw error
        } catch {
            throw .corrupt(reason: "\(error)")
        }
        guard Digest(of: target) == digest else { throw .wrongDigest(expected: digest) }
        return target
    }
}
