import CDeflate
import CZlib

/// Compresses a whole content in memory with libdeflate.
struct Deflater: ~Copyable {
    private let handle: OpaquePointer

    /// - Parameter level: libdeflate's, from 1, the fastest, to 12.
    init(_ level: Int32) throws(SystemFault) {
        guard let handle = libdeflate_alloc_compressor(level) else { throw SystemFault("no memory") }
        self.handle = handle
    }

    deinit {
        libdeflate_free_compressor(handle)
    }

    /// Compresses into `output` and says how many bytes it took; nil if the result is not smaller than the input.
    borrowing func deflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
        let room = min(output.count, input.count - 1)
        guard room > 0, let from = input.baseAddress, let to = output.baseAddress else { return nil }
        let count = libdeflate_deflate_compress(handle, from, input.count, to, room)
        return count > 0 ? count : nil
    }

    static func crc32(_ bytes: UnsafeRawBufferPointer, after crc: UInt32 = 0) -> UInt32 {
        guard let start = bytes.baseAddress else { return crc }
        return libdeflate_crc32(crc, start, bytes.count)
    }
}

/// Compresses content that is too large for memory with zlib, piece by piece.
struct StreamDeflater: ~Copyable {
    // zlib's state points back at the stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableRawBufferPointer

    init() throws(SystemFault) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Raw deflate (negative window bits) at level 9; the other numbers are zlib's defaults.
        let status = deflateInit2_(
            stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            throw SystemFault("no memory")
        }
        self.stream = stream
        output = .allocate(byteCount: 256 << 10, alignment: 16)
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// Compresses the next piece; the last call has `isLast` set and may be empty.
    mutating func deflate(
        _ input: UnsafeRawBufferPointer, isLast: Bool, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(input.count)
        repeat {
            stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(output.count)
            let status = CZlib.deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
                throw SystemFault("zlib failed with \(status)")
            }
            let count = output.count - Int(stream.pointee.avail_out)
            if count > 0 { try body(UnsafeRawBufferPointer(rebasing: output[..<count])) }
        } while stream.pointee.avail_out == 0
    }
}
