package import Foundation

/// An address to which a server sends what happens in its registry.
package struct Webhook: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A channel offers something, or offers it to others than before.
        case release
        /// A rollout was halted, by its gate or by somebody.
        case halt
        /// A plan took a step.
        case advance
        case complete
        case rollback
        case withdraw
        /// A change waits for somebody's approval, was rejected, or failed when it was due.
        case approval
        /// An online signature expires soon: the server does not renew it.
        case expiry
        /// Somebody asked for a trial.
        case test
    }

    package enum Format: String, Hashable, Sendable, CaseIterable {
        /// One JSON object an event.
        case json
        /// What Slack's incoming webhooks take; Mattermost and Rocket.Chat take it too.
        case slack
    }

    package static let maximumCount = 50
    package static let maximumURLByteCount = 2_048

    package let id: String
    package let url: String
    package let format: Format
    /// Which events are sent; a trial always is.
    package let kinds: Set<Kind>
    package let created: Date
    package let createdBy: String
    /// Deliveries that are still to be made, and those that were given up.
    package var waitingCount = 0
    package var deadCount = 0
    /// Why the newest delivery of those that wait or were given up was not taken; nil: none failed.
    package var lastError: String?

    package init(id: String, url: String, format: Format, kinds: Set<Kind>, created: Date, createdBy: String) {
        self.id = id
        self.url = url
        self.format = format
        self.kinds = kinds
        self.created = created
        self.createdBy = createdBy
    }
}

/// What a new webhook is to be.
package struct WebhookRequest: Hashable, Sendable {
    package let url: String
    package let format: Webhook.Format
    package let kinds: Set<Webhook.Kind>
    /// `whsec_` and Base64 of 24 to 64 bytes; nil: the registry makes one.
    package let secret: String?

    package init(
        url: String, format: Webhook.Format = .json, kinds: Set<Webhook.Kind> = Set(Webhook.Kind.allCases),
        secret: String? = nil
    ) {
        self.url = url
        self.format = format
        self.kinds = kinds
        self.secret = secret
    }
}

package struct CreatedWebhook: Hashable, Sendable {
    package let webhook: Webhook
    /// Only if the registry made it, and only here.
    package let secret: String?

    package init(webhook: Webhook, secret: String?) {
        self.webhook = webhook
        self.secret = secret
    }
}

/// A delivery that was given up.
package struct DeadLetter: Hashable, Sendable {
    /// The same in each attempt, so that a receiver counts an event once.
    package let id: String
    package let webhook: String
    package let kind: Webhook.Kind
    package let created: Date
    package let attempts: Int
    package let error: String

    package init(id: String, webhook: String, kind: Webhook.Kind, created: Date, attempts: Int, error: String) {
        self.id = id
        self.webhook = webhook
        self.kind = kind
        self.created = created
        self.attempts = attempts
        self.error = error
    }
}

/// The webhooks of a registry; the right admin is needed.
package protocol RegistryWebhooks: Sendable {
    func addWebhook(_ request: WebhookRequest) async throws -> CreatedWebhook
    func webhooks() async throws -> [Webhook]
    /// - Returns: false if there is no such webhook.
    func removeWebhook(id: String) async throws -> Bool
    /// Queues a trial.
    /// - Returns: the id of its delivery; nil if there is no such webhook.
    func testWebhook(id: String) async throws -> String?
    func deadLetters() async throws -> [DeadLetter]
    /// Lets dead letters be tried again.
    /// - Returns: how many.
    func retryDeadLetters() async throws -> Int
}
