package import Logging
package import PackRegistry
import ServiceLifecycle

/// Renews a registry's signatures and makes its patches while a server runs.
package struct MaintenanceService<Registry: MaintainedRegistry>: Service {
    private let registry: Registry
    private let claim: Registry.Claim
    private let logger: Logger

    /// - Throws: ``RegistryError`` of the kind `.conflict` if another server has the registry.
    package init(_ registry: Registry, logger: Logger) throws {
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
