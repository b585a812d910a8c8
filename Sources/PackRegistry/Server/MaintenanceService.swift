package import Logging
import ServiceLifecycle

/// Keeps a registry's signatures fresh and its patches made for as long as a server runs.
package struct MaintenanceService: Service {
    private let registry: LocalRegistry
    private let claim: ServerClaim
    private let logger: Logger

    /// - Throws: ``RegistryError`` of the kind `.conflict` where another server has the registry.
    package init(_ registry: LocalRegistry, logger: Logger) throws {
        self.registry = registry
        claim = try registry.claimForServer()
        self.logger = logger
    }

    package func run() async throws {
        let logger = logger
        await withGracefulShutdownHandler {
            await cancelWhenGracefulShutdown {
                await registry.runMaintenance(claim: claim) { error in
                    logger.error("maintenance failed", metadata: ["error": "\(error)"])
                }
            }
        } onGracefulShutdown: {
            registry.stopMaking()
        }
    }
}
