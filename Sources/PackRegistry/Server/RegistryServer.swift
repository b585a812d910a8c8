import Foundation
package import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
package import ServiceLifecycle
package import UnixSignals

/// A registry over HTTP: the published view, each version's site, the update decision, and the API for publishers.
///
///     let server = RegistryServer(host: local, configuration: .init(port: 8787), logger: logger)
///     try await server.run(signals: [.sigterm, .sigint]) { port in print("http://127.0.0.1:\(port)") }
///
/// A request's way: connection guard → HTTP parser → ``RegistryResponder`` → a file, or a controller → the registry on
/// behalf of the token's holder. `docs/HTTP-API.md` has the routes.
package struct RegistryServer: Sendable {
    package struct Configuration: Sendable {
        package var host: String
        /// 0: any free one.
        package var port: Int
        /// What absolute URLs in answers start with, such as `https://packages.example.com`; nil: they are relative.
        package var publicURL: String?
        package var limits: ServerLimits

        package init(
            host: String = "127.0.0.1", port: Int = 8787, publicURL: String? = nil,
            limits: ServerLimits = ServerLimits()
        ) {
            self.host = host
            self.port = port
            self.publicURL = publicURL
            self.limits = limits
        }
    }

    private let host: any RegistryHost
    private let configuration: Configuration
    private let services: [any Service]
    private let logger: Logger

    /// - Parameter services: what runs beside the server and ends with it, such as a registry's maintenance.
    package init(
        host: any RegistryHost, configuration: Configuration = Configuration(), services: [any Service] = [],
        logger: Logger
    ) {
        self.host = host
        self.configuration = configuration
        self.services = services
        self.logger = logger
    }

    /// Serves until a signal arrives or the task is cancelled; requests under way are finished first.
    /// - Parameter onRunning: called with the port once the server accepts connections.
    /// - Throws: ``RegistryError`` where the address cannot be bound.
    package func run(
        signals: [UnixSignal] = [], onRunning: @escaping @Sendable (Int) async -> Void
    ) async throws {
        UploadFile.removeLeftovers(in: host.uploadFolder)
        var group = ServiceGroupConfiguration(
            services: [buildApplication(onRunning: onRunning)], gracefulShutdownSignals: signals, logger: quiet)
        group.maximumGracefulShutdownDuration = configuration.limits.shutdownTimeout
        do {
            try await ServiceGroup(configuration: group).run()
        } catch let error as IOError {
            throw RegistryError(.unusable, Self.explanation(of: error, configuration))
        }
    }

    package func buildApplication(
        onRunning: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol {
        let limits = configuration.limits
        return Application(
            responder: buildResponder(),
            server: .http1(
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [ConnectionGuard(limits: limits)],
                    idleTimeout: TimeAmount(limits.idleTimeout),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: limits.maximumHeaderByteCount,
                        maxHeaderListSize: limits.maximumHeaderByteCount, maxHeaderFieldCount: 100))),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: "packtool",
                backlog: 1024, availableConnectionsDelegate: MaximumAvailableConnections(limits.maximumConnections)),
            services: services,
            onServerRunning: { await onRunning($0.localAddress?.port ?? 0) },
            logger: logger)
    }

    func buildResponder() -> RegistryResponder {
        let limits = configuration.limits
        let view = ViewController(folder: host.viewFolder, cache: FileCache())
        let state = PublishedState(host: host, view: view)
        let bearer = Bearer(host: host)
        let writes = ConcurrencyGate(limit: limits.maximumConcurrentWrites)
        let router = Router(context: RegistryRequestContext.self, options: .autoGenerateHeadEndpoints)
        UpdateController(state: state, view: view, publicURL: configuration.publicURL).addRoutes(to: router)
        OfflineController(state: state, publicURL: configuration.publicURL).addRoutes(to: router)
        PublishController(
            bearer: bearer, host: host, limits: limits, writes: writes,
            uploads: ConcurrencyGate(limit: limits.maximumConcurrentUploads)
        ).addRoutes(to: router)
        ChannelController(bearer: bearer, limits: limits, writes: writes).addRoutes(to: router)
        AdministrationController(bearer: bearer, host: host, limits: limits, writes: writes).addRoutes(to: router)
        HealthController(host: host).addRoutes(to: router)
        return RegistryResponder(
            view: view, site: SiteController(state: state, view: view), api: router.buildResponder())
    }

    /// The service group's own notes about starting and stopping are not what an operator looks for.
    private var quiet: Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .error)
        return logger
    }

    private static func explanation(of error: IOError, _ configuration: Configuration) -> String {
        let address = "\(configuration.host):\(configuration.port)"
        return switch error.errnoCode {
        case EADDRINUSE: "the address \(address) is in use: stop the other program or choose another --port"
        case EACCES: "the address \(address) needs more rights: choose a --port above 1023"
        case EADDRNOTAVAIL: "this machine has no address \(configuration.host): choose another --host"
        default: "the server cannot listen on \(address): \(error)"
        }
    }
}
