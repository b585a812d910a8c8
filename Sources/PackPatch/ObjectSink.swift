package import PackFormat

/// Accepts the objects of a patch, one after the other, in the order of ``PatchPlan/new``.
///
/// For each object the decoder calls `begin`, any number of times `write`, then `finish`. The bytes are verified only
/// when `finish` is called. Write them to a temporary file until then, and remove the file if `finish` is never
/// called. A decoder that was made of a ``ManifestSkeleton`` finishes an object under its own digest, which `begin` did
/// not know. The calls may come from another thread than the decoder's caller, one at a time. An error thrown by the
/// sink ends the decoding and is passed on.
package protocol ObjectSink {
    mutating func begin(_ object: Object) throws
    /// Writes bytes, which are valid only during the call.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws
    /// Ends an object: all its bytes have been written, and its SHA-256 and size are correct.
    mutating func finish(_ object: Object) throws
}
