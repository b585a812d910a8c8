import Foundation
package import Logging
import ServiceLifecycle

/// Ends the process some time after it was told to end, even if it still waits, for example for a hanging disk or a
/// folder with a million files. Acknowledged changes are on the disk, and the next server begins unfinished work
/// anew.
package struct ShutdownDeadline: Service {
    private let time: Duration
    private let logger: Logger

    package init(_ limits: ServerLimits, logger: Logger) {
        time = limits.shutdownTimeout + .seconds(1)
        self.logger = logger
    }

    package func run() async throws {
        let (time, logger) = (time, logger)
        try await gracefulShutdown()
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: Double(time.components.seconds))
            logger.warning("the server ends with work under way: the next one goes on with it")
            fflush(nil)
            _exit(0)
        }
    }
}
