/// What one client may ask of a server. Every bound is here, so that tests can make them small.
package struct ServerLimits: Sendable {
    /// Open connections; more wait in the kernel's queue.
    package var maximumConnections = 4096
    /// Of them, connections of one address (of one /64 for IPv6), and requests under way of one client behind a trusted proxy;
    /// more are answered 429 with `Retry-After`.
    package var maximumConnectionsPerAddress = 512
    /// Refused connections of all addresses in a second that are told why; the others are closed without a word.
    package var maximumRefusalAnswers = 100
    /// Tokens that are not valid, of one address in a minute; more are answered 429 with `Retry-After`.
    package var maximumFailedTokens = 20
    /// Proxies whose word about who asks is taken.
    package var trustedProxies = TrustedProxies()
    /// Requests under way that change something; more are answered 503 with `Retry-After`.
    package var maximumConcurrentWrites = 32
    /// Overviews and manifests for older clients, which read much and which anybody may ask for, at a time.
    package var maximumConcurrentReports = 4
    /// Uploads under way; more are answered 503 with `Retry-After`.
    package var maximumConcurrentUploads = 4
    /// Bytes of an uploaded package zip.
    package var maximumUploadByteCount = 2 << 30
    /// Bytes of a manifest that is asked about.
    package var maximumManifestByteCount = 32 << 20
    /// Bytes of every other request body.
    package var maximumDocumentByteCount = 16 << 20
    /// Bytes of a request's header fields together.
    package var maximumHeaderByteCount = 32 << 10
    /// Bytes of request bodies in memory, of all requests together; who finds no room for a moment is answered 503 with
    /// `Retry-After`. Uploads go to the disk and do not count.
    package var maximumBodyMemoryByteCount = 40 << 20
    /// How long a request waits for room in that memory.
    package var bodyMemoryPatience: Duration = .seconds(4)
    /// Values in the JSON of a request that is not signed metadata and no manifest.
    package var maximumDocumentValueCount = 10_000
    /// The time from a connection's start, or from its last answer, to the end of the next request's header. A client
    /// that trickles header bytes does not extend it.
    package var idleTimeout: Duration = .seconds(30)
    /// The same once three quarters of ``maximumConnections`` are open.
    package var crowdedIdleTimeout: Duration = .seconds(5)
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
    /// The time that requests under way get after SIGTERM; a second later the process ends, whatever it does.
    package var shutdownTimeout: Duration = .seconds(8)

    package init() {}
}
