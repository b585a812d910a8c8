/// Takes the bytes of one file as they come out of an archive.
package protocol ContentSink {
    /// Takes the next bytes. They are not verified yet: write them to a temporary place only.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws
    /// The content is whole and verified.
    mutating func finish() throws
}
