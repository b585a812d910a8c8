/// How long a store may take, and how much is sent at once.
package struct S3Limits: Hashable, Sendable {
    /// The most connections of this process, and so the most requests at a time.
    package var connections = 16
    /// How long making a connection may take.
    package var connecting: Duration = .seconds(5)
    /// How long nothing may come or go on a connection.
    package var silence: Duration = .seconds(15)
    /// How long one try of a request may take, with its body and the answer's.
    package var attempt: Duration = .seconds(60)
    /// How long a request is tried again while the store is away or asks for patience. The last try may go on after it.
    package var patience: Duration = .seconds(40)
    /// The same before the store has answered once: most likely the address is wrong.
    package var firstPatience: Duration = .seconds(3)
    /// The longest wait between two tries.
    package var longestPause: Duration = .seconds(4)
    /// Larger files are sent in parts.
    package var wholeByteCount = 16 << 20
    /// The size of a part; 5 MiB at least (Amazon S3 User Guide, "Amazon S3 multipart upload limits").
    package var partByteCount = 8 << 20
    /// How many parts of one file are in memory at once.
    package var partsAtOnce = 4
    /// Of larger files only a few are sent at once, because what is sent is in memory.
    package var smallByteCount = 1 << 20
    package var largeFilesAtOnce = 2

    package init() {}
}
