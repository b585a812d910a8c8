import PackFormat

/// What one client may ask of a server. Every bound is here, so that tests can make them small.
package struct ServerLimits: Sendable {
    /// Open connections; more wait in the kernel's queue.
    package var maximumConnections = 4096
    /// Requests under way that change something; more are answered 503 with `Retry-After`.
    package var maximumConcurrentWrites = 32
    /// Overviews and manifests for older clients, which read much and which anybody may ask for, at a time.
    package var maximumConcurrentReports = 4
    /// Uploads under way; more are answered 503 with `Retry-After`.
    package var maximumConcurrentUploads = 4
    /// Bytes of an uploaded package zip.
    package var maximumUploadByteCount = 2 << 30
    /// Bytes of a manifest that is asked about.
    package var maximumManifestByteCount = Manifest.maximumByteCount
    /// Bytes of every other request body.
    package var maximumDocumentByteCount = 16 << 20
    /// Bytes of a request's header fields together.
    package var maximumHeaderByteCount = 32 << 10
    /// The time from a connection's start, or from its last answer, to the end of the next request's header. A client
    /// that trickles header bytes does not extend it.
    package var idleTimeout: Duration = .seconds(30)
    /// The whole time that a request body may take, however it trickles.
    package var bodyTimeout: Duration = .seconds(1800)
    /// Bytes a second, on average from the body's start, below which a body is given up once the grace is over.
    package var minimumBodyRate = 1024
    package var bodyGrace: Duration = .seconds(10)
    /// How often it is looked whether a client that has answers to read does read.
    package var stallTimeout: Duration = .seconds(60)
    /// Bytes a second, on average over ``stallTimeout``, that such a client reads at least.
    package var minimumReadRate = 1024
    /// Bytes of files too large to keep that are held on their way to clients; beyond it they are sent from the disk.
    package var maximumTransferByteCount = 32 << 20
    /// The time that an answer to an unread body stays readable before the connection is closed.
    package var lingerTimeout: Duration = .seconds(5)
    /// The time that requests under way get after SIGTERM.
    package var shutdownTimeout: Duration = .seconds(30)

    package init() {}
}
