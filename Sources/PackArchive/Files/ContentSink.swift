/// Accepts the bytes of one file as they are read from an archive.
package protocol ContentSink {
    /// Writes the next bytes. They are not verified yet: write them only to a temporary place.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws
    /// Called when the content is complete and verified.
    mutating func finish() throws
}
