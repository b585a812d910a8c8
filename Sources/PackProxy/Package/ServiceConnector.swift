import NIOCore
import NIOPosix
import NIOSSL

/// Opens the proxy's own connections to packages' services: for WebSockets and large uploads.
struct ServiceConnector: Sendable {
    let limits: ProxyLimits
    private let tls: NIOSSLContext

    /// - Parameter authorities: certificates in PEM that are trusted besides the system's.
    init(limits: ProxyLimits, authorities: String) throws {
        self.limits = limits
        var configuration = TLSConfiguration.makeClientConfiguration()
        if !authorities.isEmpty {
            let certificates = try NIOSSLCertificate.fromPEMBytes(Array(authorities.utf8))
            configuration.additionalTrustRoots = [.certificates(certificates)]
        }
        tls = try NIOSSLContext(configuration: configuration)
    }

    /// Opens a connection to a service, under TLS where it is https.
    /// - Parameter addHandlers: what reads and writes it.
    func connect(
        to place: ServicePlace, on loop: any EventLoop,
        addHandlers: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void
    ) -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: loop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connectTimeout(.seconds(Int64(limits.connectTimeout)))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if place.isSecure {
                        try pipeline.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: place.nameToVerify))
                    }
                    try addHandlers(pipeline)
                }
            }
            .connect(host: place.host, port: place.port)
    }
}
