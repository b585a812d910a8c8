package import Logging
import ServiceLifecycle

/// Keeps a registry's signatures fresh and its patches made for as long as a server runs.
package struct MaintenanceService: Service {
    private let registry: LocalRegistry
    private let logger: Logger

    package init(_ registry: LocalRegistry, logger: Logger) {
        self.registry = registry
        self.logger = logger
    }

    package func run() async throws {
        let logger = logger
        await cancelWhenGracefulShutdown {
            await registry.runMaintenance { error in
                logger.error("maintenance failed", metadata: ["error": "\(error)"])
            }
        }
    }
}
