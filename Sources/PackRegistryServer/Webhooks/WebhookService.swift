package import Foundation
package import Logging
package import PackRegistry
import ServiceLifecycle

/// Sends what happens in a registry to its webhooks while a server runs, beside the requests.
///
/// What was not taken waits in the registry, so a restart loses nothing. A process that dies between an answer and its note sends
/// the same id once more, a minute later. Several servers of one registry share the deliveries.
package struct WebhookService: Service {
    private static let pause: Duration = .seconds(1)
    private static let atOnce = 8
    /// Seconds in which a delivery is settled: more than an address, a connection and an answer may take together.
    private static let claim: TimeInterval = 60
    /// Between two looks at the ends of signatures.
    private static let signaturePause: TimeInterval = 600

    private let queue: any WebhookQueue
    private let client: WebhookClient
    private let logger: Logger
    private let clock: @Sendable () -> Date

    /// - Parameter allowsInternal: whether addresses of this machine and its networks are sent to: the operator's choice.
    /// - Parameter authorities: certificates in PEM form that are trusted besides the system's.
    package init(
        _ queue: any WebhookQueue, allowsInternal: Bool, authorities: String = "", logger: Logger,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.queue = queue
        client = WebhookClient(allowsInternal: allowsInternal, authorities: authorities)
        self.logger = logger
        self.clock = clock
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var looked: Date?
            while !Task.isCancelled {
                let isDue = looked.map { clock().timeIntervalSince($0) >= Self.signaturePause } ?? true
                do {
                    try await pass(looksAtSignatures: isDue)
                    if isDue { looked = clock() }
                } catch {
                    if !Task.isCancelled {
                        logger.error("webhooks could not be sent", metadata: ["error": "\(error)"])
                    }
                }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Sends all that is due.
    package func pass(looksAtSignatures: Bool) async throws {
        try await queue.collect(now: clock(), looksAtSignatures: looksAtSignatures)
        while !Task.isCancelled {
            let due = try await queue.claim(
                now: clock(), until: clock().addingTimeInterval(Self.claim), limit: Self.atOnce)
            guard !due.isEmpty else { return }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for delivery in due { group.addTask { try await deliver(delivery) } }
                try await group.waitForAll()
            }
        }
    }

    private func deliver(_ delivery: WebhookDelivery) async throws {
        let seconds = Int(clock().timeIntervalSince1970)
        do {
            try await client.post(
                delivery.body, to: delivery.url,
                fields: WebhookSignature.fields(
                    id: delivery.id, seconds: seconds, body: delivery.body, secret: delivery.secret))
            try await queue.settle(delivery.id, error: nil, next: nil)
        } catch let failure as OutboundClient.Failure {
            let next = WebhookRetry.next(
                after: delivery.attempts + 1, now: clock(), jitter: .random(in: 0...1))
            logger.warning(
                "a webhook was not taken",
                metadata: ["id": "\(delivery.id)", "error": "\(failure)", "isGivenUp": "\(next == nil)"])
            try await queue.settle(delivery.id, error: failure.description, next: next)
        }
    }
}
