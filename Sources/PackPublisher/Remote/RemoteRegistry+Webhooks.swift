package import PackRegistryAPI

extension RemoteRegistry: RegistryWebhooks {
    package func addWebhook(_ request: WebhookRequest) async throws -> CreatedWebhook {
        try await call(Endpoints.addWebhook, request)
    }

    package func webhooks() async throws -> [Webhook] { try await call(Endpoints.webhooks, ()) }

    package func removeWebhook(id: String) async throws -> Bool {
        do {
            try await call(Endpoints.removeWebhook, (), path: ["id": id])
            return true
        } catch let error as RegistryError where error.kind == .notFound {
            return false
        }
    }

    package func testWebhook(id: String) async throws -> String? {
        do {
            return try await call(Endpoints.testWebhook, (), path: ["id": id])
        } catch let error as RegistryError where error.kind == .notFound {
            return nil
        }
    }

    package func deadLetters() async throws -> [DeadLetter] { try await call(Endpoints.deadLetters, ()) }

    package func retryDeadLetters() async throws -> Int { try await call(Endpoints.retryDeadLetters, ()) }
}
