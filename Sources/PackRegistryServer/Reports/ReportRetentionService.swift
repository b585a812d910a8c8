import Foundation
package import Logging
package import PackRegistry
import ServiceLifecycle

/// Removes reports that are older than the retention says, at the start of a server and each hour.
package struct ReportRetentionService: Service {
    private let store: any ReportStore
    private let retention: ReportRetention
    private let logger: Logger

    package init(_ store: any ReportStore, _ retention: ReportRetention, logger: Logger) {
        self.store = store
        self.retention = retention
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await store.prune(retention, now: Int(Date().timeIntervalSince1970))
                } catch {
                    logger.error("old reports could not be removed", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: .seconds(3600))
            }
        }
    }
}
