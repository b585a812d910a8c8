/// Content as one plain zstd frame, as HTTP's content coding `zstd` defines it (RFC 8878, RFC 9659).
package enum ContentFrame {
    /// The most bytes of content. A browser need not accept a frame with a larger window, and the window is never
    /// larger than the content.
    package static let maximumByteCount = 8 << 20

    /// Compresses content. Equal input gives equal bytes.
    /// - Throws: ``PatchError/tooLarge(byteCount:limit:)`` above ``maximumByteCount``.
    package static func compress(_ content: UnsafeRawBufferPointer) throws(PatchError) -> [UInt8] {
        guard content.count <= maximumByteCount else {
            throw .tooLarge(byteCount: content.count, limit: maximumByteCount)
        }
        var frame = [UInt8](repeating: 0, count: FrameCompressor.bound(content.count))
        let compressor = try FrameCompressor()
        let settings = FrameCompressor.Settings(level: 19, matchesLongDistances: false)
        do {
            let count = try frame.withUnsafeMutableBytes { output in
                try compressor.compress(
                    content, prefix: UnsafeRawBufferPointer(start: nil, count: 0), settings: settings, into: output)
            }
            return Array(frame.prefix(count))
        } catch let error as PatchError {
            throw error
        } catch {
            throw .corrupt(reason: "\(error)")
        }
    }

    /// Decodes a frame that comes from outside.
    /// - Parameter maximumByteCount: The most bytes that it may give. It costs no more memory than that and 8 MiB.
    package static func decompress(_ frame: [UInt8], maximumByteCount: Int) throws(PatchError) -> [UInt8] {
        var content: [UInt8] = []
        let reader = FrameContent(
            atMost: maximumByteCount, prefix: UnsafeRawBufferPointer(start: nil, count: 0),
            windowLimit: FrameContent.windowLimit(prefix: 0, content: maximumByteCount))
        do {
            var source = ChunkReader(frame)
            try reader.read(&source) { content.append(contentsOf: $0) }
        } catch let error as PatchError {
            throw error
        } catch {
            throw .corrupt(reason: "\(error)")
        }
        return content
    }
}
