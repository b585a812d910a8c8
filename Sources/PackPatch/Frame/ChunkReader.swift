/// Reads a patch piece by piece, from a file or from memory.
struct ChunkReader: ~Copyable {
    private static let chunkSize = 128 << 10

    private let file: OpenFile?
    private var buffer: [UInt8]
    private var position = 0
    private var end: Int

    init(_ file: consuming OpenFile) {
        self.file = consume file
        buffer = [UInt8](repeating: 0, count: Self.chunkSize)
        end = 0
    }

    init(_ bytes: [UInt8]) {
        file = nil
        buffer = bytes
        end = bytes.count
    }

    /// The bytes at hand, at least `count` of them unless the patch ends earlier; none only at its end.
    /// - Parameter count: At most the size of a chunk.
    mutating func bytes(atLeast count: Int) throws(PatchError) -> ArraySlice<UInt8> {
        try fill(count)
        return buffer[position..<end]
    }

    /// Gives the bytes at hand, at least one unless at the end, to `body`, which says how many it has used.
    mutating func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Int) throws {
        try fill(1)
        let used = try buffer.withUnsafeBytes { all in
            try body(UnsafeRawBufferPointer(rebasing: all[position..<end]))
        }
        consume(used)
    }

    /// Goes on by `count` of the bytes at hand.
    mutating func consume(_ count: Int) {
        position = min(position + count, end)
    }

    /// Takes exactly the next `count` bytes.
    mutating func take(_ count: Int) throws(PatchError) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        while result.count < count {
            let chunk = try bytes(atLeast: 1).prefix(count - result.count)
            if chunk.isEmpty { throw .truncated }
            result.append(contentsOf: chunk)
            consume(chunk.count)
        }
        return result
    }

    private mutating func fill(_ count: Int) throws(PatchError) {
        guard end - position < count, file != nil else { return }
        buffer.replaceSubrange(0..<end - position, with: buffer[position..<end])
        end -= position
        position = 0
        while end < count, let read = try readMore(), read > 0 { end += read }
    }

    private mutating func readMore() throws(PatchError) -> Int? {
        let start = end
        do {
            return try buffer.withUnsafeMutableBytes { all in
                try file?.read(into: UnsafeMutableRawBufferPointer(rebasing: all[start...]))
            }
        } catch let error as PatchError {
            throw error
        } catch {
            throw .corrupt(reason: "\(error)")
        }
    }
}
