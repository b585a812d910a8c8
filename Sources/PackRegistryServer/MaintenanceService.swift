package import Logging
package import PackRegistry
import ServiceLifecycle

/// Renews a registry's signatures and makes its patches while a server runs.
package struct MaintenanceService: Service {
    private let registry: any MaintainedRegistry
    private let lease: Lease?
    private let logger: Logger

    /// - Throws: ``RegistryError`` of the kind `.conflict` if another server has a registry that only one may have.
    package init(_ registry: any MaintainedRegistry, logger: Logger) async throws {
        self.registry = registry
        lease = try await registry.claimForServer()
        self.logger = logger
    }

    package func run() async throws {
        let logger = logger
        await withGracefulShutdownHandler {
            await cancelWhenGracefulShutdown {
                await registry.runMaintenance(under: lease) { error in
                    logger.error("maintenance failed", metadata: ["error": "\(error)"])
                }
            }
        } onGracefulShutdown: {
            registry.stopMaking()
        }
    }
}
