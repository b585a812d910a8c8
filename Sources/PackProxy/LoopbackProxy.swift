import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import PackFormat
public import PackWeb
public import PackWebOnline

/// A network proxy on this machine for one web view. It answers `https://PACKAGE.package` from the device and
/// forwards everything else unchanged.
///
///     let proxy = LoopbackProxy(pages: PageDirectory(catalog), online: NetworkLoader())
///     let access = try await proxy.start()
///     // point the web view's proxy at access.address, and trust access.certificate for *.package in that view
///     try await proxy.stop()
///
/// The engine sees a real https origin: cookies, Blob bodies, service workers and everything else works as on the web.
/// The proxy listens on 127.0.0.1 only and asks for a user and a password that it made at its start, so that other
/// programs and pages of other browsers on the machine cannot use it. The certificate's key is made at the start, lives in
/// memory, and signs nothing but this proxy's connections; hosts outside `.package` are never decrypted.
public final class LoopbackProxy: Sendable {
    /// What a web view needs for using the proxy.
    public struct Access: Sendable, Hashable {
        public let port: Int
        public let user: String
        public let password: String
        /// The certificate in PEM. Trust it for `*.package`, in that web view only.
        public let certificate: String
        /// The certificate in DER, for Apple's `SecCertificateCreateWithData`.
        public let certificateBytes: [UInt8]

        /// The proxy's URL with its credentials.
        public var address: String { "http://\(user):\(password)@127.0.0.1:\(port)" }
    }

    private let pages: any PageSource
    private let online: NetworkLoader
    private let limits: ProxyLimits
    private let authorities: String
    private let group: MultiThreadedEventLoopGroup
    private let listener = Locked<(any Channel)?>(nil)

    /// - Parameters:
    ///   - online: sends the requests that the device does not answer; it must not use this proxy itself.
    ///   - authorities: certificates in PEM that are trusted besides the system's, for the proxy's own connections to
    ///     services: WebSockets and large uploads. ``start(hosts:)`` throws if they cannot be read.
    public init(
        pages: any PageSource, online: NetworkLoader, limits: ProxyLimits = ProxyLimits(), authorities: String = ""
    ) {
        self.pages = pages
        self.online = online
        self.limits = limits
        self.authorities = authorities
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    }

    /// Makes the key and the credentials, and listens on a free port of 127.0.0.1.
    /// - Parameter hosts: packages' hosts to be named in the certificate besides `*.package`.
    public func start(hosts: [String] = []) async throws -> Access {
        let identity = try LoopbackIdentity(hosts: hosts)
        let credentials = ProxyCredentials()
        let tls = try identity.serverContext()
        let services = try ServiceConnector(limits: limits, authorities: authorities)
        let (pages, online, limits) = (pages, online, limits)
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let encoder = HTTPResponseEncoder()
                    let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
                    try pipeline.addHandlers(encoder, decoder)
                    let front = FrontHandler(
                        credentials: credentials, limits: limits, encoder: encoder, decoder: decoder
                    ) { channel in
                        try PackagePipeline(pages: pages, online: online, services: services).begin(on: channel, tls)
                    }
                    try pipeline.addHandler(front)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        listener.withLock { $0 = channel }
        return Access(
            port: channel.localAddress?.port ?? 0, user: credentials.user, password: credentials.password,
            certificate: identity.certificatePEM, certificateBytes: identity.certificateBytes)
    }

    /// Whether the port accepts a connection. A system may close the socket of an app that it has suspended: then make
    /// another proxy.
    public func isListening() async -> Bool {
        guard let port = listener.withLock({ $0 })?.localAddress?.port else { return false }
        do {
            let probe = ClientBootstrap(group: group).connectTimeout(.seconds(2))
            try await probe.connect(host: "127.0.0.1", port: port).get().close()
            return true
        } catch {
            return false
        }
    }

    /// Stops listening and closes open connections.
    public func stop() async throws {
        let channel = listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        try? await channel?.close()
        try await group.shutdownGracefully()
    }
}
