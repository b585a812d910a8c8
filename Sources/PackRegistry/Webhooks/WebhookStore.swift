package import Foundation
package import PackRegistryAPI

/// One delivery that is due.
package struct WebhookDelivery: Hashable, Sendable {
    package let id: String
    package let url: String
    package let secret: WebhookSecret
    package let body: [UInt8]
    /// How many failed so far.
    package let attempts: Int

    package init(id: String, url: String, secret: WebhookSecret, body: [UInt8], attempts: Int) {
        self.id = id
        self.url = url
        self.secret = secret
        self.body = body
        self.attempts = attempts
    }
}

/// Webhooks and what is still to be sent to them, where the rows of the registry are. A delivery is made from the audit log, which
/// no change forgets: so nothing is lost between a change and its delivery.
package protocol WebhookStore: Sendable {
    /// - Throws: ``RegistryError`` of the kind `.tooLarge` if there are too many.
    func add(_ webhook: Webhook, _ secret: WebhookSecret, by actor: Identity) async throws
    func all() async throws -> [Webhook]
    /// - Returns: false if there is no such webhook.
    func remove(_ id: String, by actor: Identity, now: Date) async throws -> Bool
    /// - Returns: the delivery's id; nil if there is no such webhook.
    func test(_ id: String, by actor: Identity, now: Date) async throws -> String?
    func deadLetters() async throws -> [DeadLetter]
    func revive(now: Date) async throws -> Int
}

/// The same, for the server that sends.
package protocol WebhookQueue: Sendable {
    /// Makes deliveries of what has happened since the last time.
    /// - Parameter looksAtSignatures: also of signatures that end soon, each once.
    func collect(now: Date, looksAtSignatures: Bool) async throws
    /// Takes those that are to be sent now, the oldest first. Nobody else gets them until `again`, so several servers do not send
    /// the same; one that ends before it has settled them leaves them to the others then.
    func claim(now: Date, until again: Date, limit: Int) async throws -> [WebhookDelivery]
    /// - Parameter error: nil: it was taken.
    func settle(_ id: String, error: String?, next: Date?) async throws
}
