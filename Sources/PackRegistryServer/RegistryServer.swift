import Foundation
package import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
package import Logging
import NIOCore
package import PackRegistry
import PackRegistryAPI
package import ServiceLifecycle
package import UnixSignals

/// A registry over HTTP: the published view, each version's site, the update decision, and the API for publishers.
///
///     let server = RegistryServer(host: local, configuration: .init(port: 8787), logger: logger)
///     try await server.run(signals: [.sigterm, .sigint]) { port in print("http://127.0.0.1:\(port)") }
///
/// A request's way: slow connection handler → HTTP parser → ``RegistryResponder`` → a file, or a controller → the registry
/// on behalf of the token's holder. `docs/HTTP-API.md` has the routes.
package struct RegistryServer: Sendable {
    package struct Configuration: Sendable {
        package var host: String
        /// The port; 0 selects any free one.
        package var port: Int
        /// The beginning of absolute URLs in answers, such as `https://packages.example.com`. Nil: URLs are relative.
        package var publicURL: String?
        /// Nil: plain HTTP.
        package var tls: TLSFiles?
        package var limits: ServerLimits
        /// Whether anybody may read `/metrics`. Else a token that may observe is needed.
        package var hasOpenMetrics = false
        /// Whether people get pages at `/`.
        package var hasDashboard = true
        /// Whether large files are read from the registry's storage: they are answered by a redirect.
        package var redirectsReads = false
        /// Whether trusted issuers of id tokens may be on this machine or its network.
        package var allowsInternalIssuers = false
        /// Certificates in PEM form that issuers may have besides the system's; empty: none.
        package var authorities = ""
        /// The clients of other systems that are answered; nil: none.
        package var adapters: AdapterSettings?

        package init(
            host: String = "127.0.0.1", port: Int = 8787, publicURL: String? = nil,
            tls: TLSFiles? = nil, limits: ServerLimits = ServerLimits()
        ) {
            self.host = host
            self.port = port
            self.publicURL = publicURL
            self.tls = tls
            self.limits = limits
        }
    }

    /// Connections that wait until they are taken; the kernel has its own limit (`net.core.somaxconn`), 4,096 mostly. Who
    /// finds no place there tries again a second later, and then after three.
    private static let backlog = 4096
    /// Connections taken in one turn of the loop, so that a crowd of them is over soon.
    private static let connectionsAtOnce: UInt = 64
    /// Jobs that exchange their id tokens, most of which wait for their issuer's keys.
    private static let exchangesAtOnce = 64
    /// Bytes that a connection's socket takes beyond what is on its way (`TCP_NOTSENT_LOWAT`). Linux hands the listening socket's
    /// down to each connection. Without it a socket takes 4 MB, and a client that reads many connections stays with the one that is
    /// refilled fastest (docs/decisions/0010).
    private static let unsentByteCount = 64 << 10

    private let host: any RegistryHost
    private let cache: FileCache
    private let metrics = ServerMetrics()
    private let limiter: ConnectionLimiter
    private let configuration: Configuration
    private let services: [any Service]
    private let logger: Logger

    /// - Parameter services: Services that run beside the server, such as a registry's maintenance. They are told to
    ///   end in reverse order, and the server after all of them.
    package init(
        host: any RegistryHost, configuration: Configuration = Configuration(), services: [any Service] = [],
        logger: Logger
    ) {
        self.host = host
        cache = FileCache(root: host.viewFolder) { try await host.fetch($0) }
        limiter = ConnectionLimiter(limits: configuration.limits)
        self.configuration = configuration
        self.services = services
        self.logger = logger
    }

    /// Serves until a signal arrives or the task is cancelled. Running requests are finished first.
    /// - Parameter onRunning: called with the port once the server accepts connections.
    /// - Throws: ``RegistryError`` if the address cannot be bound.
    package func run(
        signals: [UnixSignal] = [], onRunning: @escaping @Sendable (Int) async -> Void
    ) async throws {
        UploadFile.removeLeftovers(in: host.uploadFolder)
        Self.raiseOpenFileLimit()
        // The last one is told first that the end has come: what works beside the server stops while requests still run.
        var group = ServiceGroupConfiguration(
            services: [try buildApplication(onRunning: onRunning)] + services, gracefulShutdownSignals: signals,
            logger: quiet)
        group.maximumGracefulShutdownDuration = configuration.limits.shutdownTimeout
        do {
            try await ServiceGroup(configuration: group).run()
        } catch is CancellationError where !signals.isEmpty && !Task.isCancelled {
            // A signal came, and requests were still under way when their time was over.
        } catch {
            throw ListeningAddress(host: configuration.host, port: configuration.port).explained(error)
        }
    }

    package func buildApplication(
        onRunning: @escaping @Sendable (Int) async -> Void
    ) throws -> some ApplicationProtocol {
        let limits = configuration.limits
        return Application(
            responder: buildResponder(),
            server: try server(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: ServerName.text,
                backlog: Self.backlog,
                availableConnectionsDelegate: MaximumAvailableConnections(limits.maximumConnections)),
            onServerRunning: { [limiter] channel in
                // Nothing is lost where it is not taken.
                try? await channel.setOption(.maxMessagesPerRead, value: Self.connectionsAtOnce).get()
                try? await channel.setOption(
                    ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: TCP_NOTSENT_LOWAT)),
                    value: Self.unsentByteCount
                ).get()
                try? await channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(RefusalLimiter(limiter: limiter), position: .first)
                }.get()
                await onRunning(channel.localAddress?.port ?? 0)
            },
            logger: logger)
    }

    /// HTTP/1.1, under TLS or not, reads the view from the connection's bytes; HTTP/2 is agreed on under TLS only.
    private func server() throws -> HTTPServerBuilder {
        let limits = configuration.limits
        let http1 = HTTP1Channel.Configuration(
            additionalChannelHandlers: [SlowConnectionHandler(limiter: limiter)],
            idleTimeout: TimeAmount(limits.idleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.maximumHeaderByteCount,
                maxHeaderListSize: limits.maximumHeaderByteCount, maxHeaderFieldCount: 100))
        let log = RequestLog(logger, metrics)
        let budget = FileTransfer.Budget(byteCount: limits.maximumTransferByteCount)
        let (tls, redirectsReads) = (configuration.tls, configuration.redirectsReads)
        let readFirst = { @Sendable [cache, limiter] (responder: @escaping HTTPChannelHandler.Responder) in
            FastPathChannel(
                base: HTTP1Channel(responder: responder, configuration: http1), cache: cache, log: log,
                limiter: limiter, isSecure: tls != nil, redirectsReads: redirectsReads, budget: budget)
        }
        guard let tls else { return HTTPServerBuilder { readFirst($0) } }
        // Faults in the files are found now.
        _ = try tls.configuration()
        return HTTPServerBuilder { responder in
            try SecureChannel(
                tls, http1: readFirst(responder),
                http2: HTTP2Channel(
                    responder: responder,
                    configuration: HTTP2ChannelConfiguration(
                        idleTimeout: limits.idleTimeout, streamConfiguration: http1)), limiter: limiter)
        }
    }

    func buildResponder() -> RegistryResponder {
        let limits = configuration.limits
        let view = ViewController(
            host: host, cache: cache, metrics: metrics,
            redirects: configuration.redirectsReads ? ReadRedirects(host: host) : nil)
        let state = ReleaseCache(host: host, view: view)
        let memory = BodyMemory(limits: limits)
        let reports = ConcurrencyGate(limit: limits.maximumConcurrentReports)
        let uploads = ConcurrencyGate(limit: limits.maximumConcurrentUploads)
        let storing = ConcurrencyGate(limit: limits.maximumStoredReports)
        let router = Router(context: RegistryRequestContext.self, options: .autoGenerateHeadEndpoints)
        let endpoints = EndpointRouter(
            router: router, bearer: Bearer(host: host), memory: memory,
            writes: ConcurrencyGate(limit: limits.maximumConcurrentWrites))
        let desk = UpdateDesk(state: state)
        let address = PublicAddress(url: configuration.publicURL, isSecure: configuration.tls != nil)
        UpdateController(desk: desk, view: view, publicURL: configuration.publicURL).addRoutes(to: endpoints)
        ExplainController(state: state, host: host, reports: reports).addRoutes(to: endpoints)
        PublishController(
            bearer: endpoints.bearer, host: host, limits: limits, memory: memory, writes: endpoints.writes,
            uploads: uploads
        ).addRoutes(to: endpoints)
        ChannelController().addRoutes(to: endpoints)
        ChangesController().addRoutes(to: endpoints)
        AdministrationController(reports: reports).addRoutes(to: endpoints)
        ExchangeController(
            host: host, allowsInternal: configuration.allowsInternalIssuers,
            authorities: configuration.authorities, gate: ConcurrencyGate(limit: Self.exchangesAtOnce), logger: logger
        ).addRoutes(to: endpoints)
        BundleController(view: view).addRoutes(to: endpoints)
        HealthController(host: host).addRoutes(to: endpoints)
        let devices = ReportController(
            host: host, limits: limits, memory: memory, reads: reports, writes: storing, metrics: metrics)
        devices.addRoutes(to: endpoints)
        MetricsController(
            host: host, metrics: metrics, cache: cache, memory: memory, connections: limiter,
            gates: ["writes": endpoints.writes, "uploads": uploads, "reads": reports, "reports": storing],
            reads: reports, bearer: endpoints.bearer, isOpen: configuration.hasOpenMetrics,
            operations: SharedAnswer(within: MetricsController.patience) { [host] in try await host.operations() }
        ).addRoutes(to: endpoints)
        let clients = ClientLimits(limits: limits)
        return RegistryResponder(
            view: view, site: SiteController(state: state, view: view, isBesideDashboard: configuration.hasDashboard),
            api: router.buildResponder(),
            adapters: configuration.adapters.map { settings in
                AdapterController(
                    AdapterTools(
                        desk: desk, view: view, archives: SiteArchiveStore(host: host), memory: memory,
                        reports: devices, host: host, reads: reports, address: address, settings: settings))
            },
            clients: clients, metrics: metrics, logger: logger,
            dashboard: !configuration.hasDashboard
                ? nil
                : DashboardController(
                    host: host, sessions: DashboardSessions(), cookie: DashboardCookie(isSecure: isReachedOverTLS),
                    check: BrowserCheck(publicURL: configuration.publicURL), memory: memory, clients: clients,
                    systems: AdapterKind.allCases.filter { configuration.adapters?.kinds.contains($0) ?? false }
                        .map(\.system),
                    reads: reports, writes: endpoints.writes))
    }

    /// Whether browsers reach the server over TLS: its own, or that of a proxy in front.
    private var isReachedOverTLS: Bool {
        configuration.tls != nil || configuration.publicURL?.lowercased().hasPrefix("https:") == true
    }

    /// The service group's own notes about starting and stopping are not what an operator looks for.
    private var quiet: Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .error)
        return logger
    }

    /// A connection and its file are two descriptors, and Debian's default for all is 1,024.
    private static func raiseOpenFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
