import Foundation
package import PackRegistryAPI

extension AuthorizedRegistry {
    package func addWebhook(_ request: WebhookRequest) async throws -> CreatedWebhook {
        try identity.require(.admin)
        guard request.url.utf8.count <= Webhook.maximumURLByteCount, let url = URL(string: request.url),
            ["http", "https"].contains(url.scheme?.lowercased()), let host = url.host(), !host.isEmpty,
            url.user() == nil, url.password() == nil, url.fragment() == nil,
            request.url.unicodeScalars.allSatisfy({ $0.isASCII && $0.value > 0x20 && $0.value != 0x7F })
        else {
            throw RegistryError(
                .invalid, "a webhook's URL is such as https://hooks.example.com/packtool, without a user and a fragment"
            )
        }
        guard !request.kinds.isEmpty else { throw RegistryError(.invalid, "a webhook needs an event to send") }
        var generator = SystemRandomNumberGenerator()
        let secret = try request.secret.map { text throws(RegistryError) in try WebhookSecret(text) }
        let used = secret ?? WebhookSecret(using: &generator)
        let number = UInt32.random(in: .min ... .max, using: &generator)
        let webhook = Webhook(
            id: "wh\(String(number, radix: 16))", url: request.url, format: request.format, kinds: request.kinds,
            created: services.clock(), createdBy: identity.name)
        try await webhookStore().add(webhook, used, by: identity)
        return CreatedWebhook(webhook: webhook, secret: secret == nil ? used.text : nil)
    }

    package func webhooks() async throws -> [Webhook] {
        try identity.require(.admin)
        return try await webhookStore().all()
    }

    package func removeWebhook(id: String) async throws -> Bool {
        try identity.require(.admin)
        return try await webhookStore().remove(id, by: identity, now: services.clock())
    }

    package func testWebhook(id: String) async throws -> String? {
        try identity.require(.admin)
        return try await webhookStore().test(id, by: identity, now: services.clock())
    }

    package func deadLetters() async throws -> [DeadLetter] {
        try identity.require(.admin)
        return try await webhookStore().deadLetters()
    }

    package func retryDeadLetters() async throws -> Int {
        try identity.require(.admin)
        return try await webhookStore().revive(now: services.clock())
    }

    private func webhookStore() throws(RegistryError) -> any WebhookStore {
        guard let store = services.webhooks else { throw RegistryError(.notFound, "this registry has no webhooks") }
        return store
    }
}
