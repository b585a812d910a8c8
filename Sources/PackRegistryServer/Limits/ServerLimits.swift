package import PackRegistry

/// The limits for clients of a server. All of them are here, so that tests can make them small.
package struct ServerLimits: Sendable {
    /// The most open connections; more wait in the kernel's queue.
    package var maximumConnections = 4096
    /// The most connections of one address (of one /64 for IPv6), and the most running requests of one client behind
    /// a trusted proxy; more get 429 with `Retry-After`.
    package var maximumConnectionsPerAddress = 512
    /// How many refused connections a second, of all addresses, are told why; the others are closed without an
    /// answer.
    package var maximumRefusalAnswers = 100
    /// The most invalid tokens of one address in a minute; more get 429 with `Retry-After`.
    package var maximumFailedTokens = 20
    /// The proxies that are trusted to name their clients.
    package var trustedProxies = TrustedProxies()
    /// The most running requests that change something; more get 503 with `Retry-After`.
    package var maximumConcurrentWrites = 32
    /// The most overviews and manifests for older clients at a time: they read much, and anybody may request them.
    package var maximumConcurrentReports = 4
    /// Whether devices may send reports.
    package var takesReports = true
    /// How many events one sender and one network may send in an hour; more get 429 with `Retry-After`.
    package var reportCaps = ReportCaps.Limits()
    /// The most reports that are being stored; more get 503 with `Retry-After`.
    package var maximumStoredReports = 256
    /// The most running uploads; more get 503 with `Retry-After`.
    package var maximumConcurrentUploads = 4
    /// The largest uploaded package zip in bytes.
    package var maximumUploadByteCount = 2 << 30
    /// The largest manifest in a request, in bytes.
    package var maximumManifestByteCount = 32 << 20
    /// The largest other request body in bytes.
    package var maximumDocumentByteCount = 16 << 20
    /// The most header fields of a request, in bytes together.
    package var maximumHeaderByteCount = 32 << 10
    /// The most memory for the bodies of all requests together, in bytes. A request that finds no room gets 503 with
    /// `Retry-After` after a moment. Uploads go to the disk and do not count.
    package var maximumBodyMemoryByteCount = 40 << 20
    /// How long a request waits for room in that memory.
    package var bodyMemoryPatience: Duration = .seconds(4)
    /// The most values in the JSON of a request that is neither signed metadata nor a manifest.
    package var maximumDocumentValueCount = 10_000
    /// The time from a connection's start, or from its last answer, to the end of the next request's header. A client
    /// that trickles header bytes does not extend it.
    package var idleTimeout: Duration = .seconds(30)
    /// The same timeout while three quarters of ``maximumConnections`` are open.
    package var crowdedIdleTimeout: Duration = .seconds(5)
    /// The longest time for a whole request body, however slowly it arrives.
    package var bodyTimeout: Duration = .seconds(1800)
    /// The lowest rate of a body in bytes a second, averaged from its start. Below it the body is given up once the
    /// grace period is over.
    package var minimumBodyRate = 1024
    package var bodyGrace: Duration = .seconds(10)
    /// How often the server checks whether a client reads its answers.
    package var stallTimeout: Duration = .seconds(60)
    /// The least that such a client must read in bytes a second, averaged over ``stallTimeout``.
    package var minimumReadRate = 1024
    /// The most bytes in memory of files that are too large to cache and on their way to clients. Beyond it, files
    /// are sent from the disk.
    package var maximumTransferByteCount = 32 << 20
    /// How long an answer to an unread body stays readable before the connection is closed.
    package var lingerTimeout: Duration = .seconds(5)
    /// How long running requests may continue after SIGTERM. A second later the process ends, whatever it does.
    package var shutdownTimeout: Duration = .seconds(8)

    package init() {}
}
