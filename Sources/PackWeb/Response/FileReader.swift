public import Foundation

/// Reads a range of a file in chunks, in constant memory. The file is open from the start, so that nothing that is
/// cleaned up meanwhile breaks the answer.
///
///     var reader = try FileReader(url, range: range)
///     while let chunk = try reader.next() { … }
public struct FileReader: ~Copyable {
    /// Bytes in a chunk: large enough that a call per chunk costs nothing, small enough for many at once.
    public static let chunkSize = 256 << 10

    private let handle: FileHandle
    private let path: String
    private var remaining: Int

    /// - Throws: ``WebError/unreadableFile(_:reason:)``
    public init(_ url: URL, range: Range<Int>) throws(WebError) {
        handle = try Self.open(url, at: range.lowerBound)
        path = url.path
        remaining = range.count
    }

    deinit {
        try? handle.close()
    }

    /// The next chunk; nil after the last.
    /// - Throws: ``WebError/unreadableFile(_:reason:)``, also where the file ends before the range does.
    public mutating func next() throws(WebError) -> Data? {
        guard remaining > 0 else { return nil }
        let chunk: Data
        do {
            chunk = try handle.read(upToCount: min(remaining, Self.chunkSize)) ?? Data()
        } catch {
            throw .unreadableFile(path, reason: "\(error)")
        }
        guard !chunk.isEmpty else { throw .unreadableFile(path, reason: "it is shorter than it should be") }
        remaining -= chunk.count
        return chunk
    }

    private static func open(_ url: URL, at offset: Int) throws(WebError) -> FileHandle {
        do {
            let handle = try FileHandle(forReadingFrom: url)
            if offset > 0 { try handle.seek(toOffset: UInt64(offset)) }
            return handle
        } catch {
            throw .unreadableFile(url.path, reason: "\(error)")
        }
    }
}
