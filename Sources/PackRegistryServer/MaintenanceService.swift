package import Logging
package import PackRegistry
import PackRegistryAPI
import ServiceLifecycle

/// Renews a registry's signatures and makes its patches while a server runs.
package struct MaintenanceService: Service {
    private let registry: any MaintainedRegistry
    private let lease: Lease?
    private let logger: Logger

    /// - Throws: ``RegistryError`` of the kind `.conflict` if another server has a registry that only one may have.
    package init(_ registry: any MaintainedRegistry, logger: Logger) async throws {
        self.registry = registry
        self.logger = logger
        do {
            lease = try await registry.claimForServer()
        } catch let error as RegistryError where error.kind == .full {
            // Devices can have what is there; the lease is asked for again every minute.
            lease = nil
            logger.error(
                "the disk is full: devices get what is published, and nothing is published or signed anew until there is room",
                metadata: ["error": "\(error)"])
        }
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
