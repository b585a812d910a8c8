import CDeflate

/// A whole content as one gzip member (RFC 1952) without name and time: equal input gives equal bytes.
package enum Gzip {
    /// The smallest that libdeflate makes: it is made once and sent often.
    private static let level: Int32 = 12

    /// Nil if the result would not be smaller than the input.
    package static func compress(_ input: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let from = input.baseAddress, input.count > 1, let handle = libdeflate_alloc_compressor(level) else {
            return nil
        }
        defer { libdeflate_free_compressor(handle) }
        let output = [UInt8](unsafeUninitializedCapacity: input.count - 1) { buffer, count in
            count = libdeflate_gzip_compress(handle, from, input.count, buffer.baseAddress, buffer.count)
        }
        return output.isEmpty ? nil : output
    }
}
