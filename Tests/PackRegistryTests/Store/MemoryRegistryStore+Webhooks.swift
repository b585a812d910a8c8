import Foundation
import PackFormat
import PackTrust

@testable import PackRegistry
@testable import PackRegistryAPI

struct KeptWebhook: Sendable {
    let webhook: Webhook
    let secret: WebhookSecret
    /// Entries of the audit log that it has had.
    var position: Int
}

struct KeptDelivery: Sendable {
    let id: String
    let webhook: String
    let kind: Webhook.Kind
    let created: Date
    let body: [UInt8]
    var attempts = 0
    var error: String?
    /// nil: it was given up.
    var next: Date?
}

extension MemoryRegistryStore: WebhookStore, WebhookQueue {
    func add(_ webhook: Webhook, _ secret: WebhookSecret, by actor: Identity) async throws {
        try withState { state in
            guard state.webhooks.count < Webhook.maximumCount else {
                throw RegistryError(.tooLarge, "a registry has \(Webhook.maximumCount) webhooks at most")
            }
            let kinds = webhook.kinds.map(\.rawValue).sorted().joined(separator: " ")
            let host = URL(string: webhook.url)?.host() ?? ""
            let detail = "\(host) \(webhook.format.rawValue) \(kinds)"
            state.log("webhook add", webhook.id, detail, actor, webhook.created)
            state.webhooks.append(KeptWebhook(webhook: webhook, secret: secret, position: state.audit.count))
        }
    }

    func all() async throws -> [Webhook] {
        let state = state
        return state.webhooks.map { kept in
            var webhook = kept.webhook
            let own = state.deliveries.filter { $0.webhook == webhook.id }
            webhook.waitingCount = own.count { $0.next != nil }
            webhook.deadCount = own.count { $0.next == nil }
            webhook.lastError = own.filter { $0.error != nil }.max { ($0.created, $0.id) < ($1.created, $1.id) }?.error
            return webhook
        }.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    func remove(_ id: String, by actor: Identity, now: Date) async throws -> Bool {
        withState { state in
            guard state.webhooks.contains(where: { $0.webhook.id == id }) else { return false }
            state.webhooks.removeAll { $0.webhook.id == id }
            state.deliveries.removeAll { $0.webhook == id }
            state.log("webhook remove", id, "", actor, now)
            return true
        }
    }

    func test(_ id: String, by actor: Identity, now: Date) async throws -> String? {
        withState { state in
            guard let kept = state.webhooks.first(where: { $0.webhook.id == id }) else { return nil }
            let event = WebhookEvent(
                .test, time: now, actor: actor.name, subject: "the webhook \(id)", detail: "it works")
            let delivery = "\(id)-test-\(Int(now.timeIntervalSince1970 * 1000))"
            state.deliver(event, to: kept.webhook, delivery, app, now)
            return delivery
        }
    }

    func deadLetters() async throws -> [DeadLetter] {
        state.deliveries.filter { $0.next == nil }.map {
            DeadLetter(
                id: $0.id, webhook: $0.webhook, kind: $0.kind, created: $0.created, attempts: $0.attempts,
                error: $0.error ?? "")
        }.sorted { $0.created == $1.created ? $0.id < $1.id : $0.created > $1.created }
    }

    func revive(now: Date) async throws -> Int {
        withState { state in
            let dead = state.deliveries.indices.filter { state.deliveries[$0].next == nil }
            for index in dead { (state.deliveries[index].next, state.deliveries[index].attempts) = (now, 0) }
            return dead.count
        }
    }

    func collect(now: Date, looksAtSignatures: Bool) async throws {
        try withState { state in
            let expiring = looksAtSignatures && !state.webhooks.isEmpty ? try state.expiring(now: now) : []
            for index in state.webhooks.indices {
                let (webhook, position) = (state.webhooks[index].webhook, state.webhooks[index].position)
                for (number, entry) in state.audit.enumerated().dropFirst(position) {
                    guard let event = WebhookEvent(entry), webhook.kinds.contains(event.kind) else { continue }
                    state.deliver(event, to: webhook, "\(webhook.id)-\(number + 1)", app, now)
                }
                state.webhooks[index].position = state.audit.count
                guard webhook.kinds.contains(.expiry) else { continue }
                for (name, event) in expiring {
                    state.deliver(event, to: webhook, "\(webhook.id)-expiry-\(name)", app, now)
                }
            }
            state.toldExpiries.formUnion(expiring.map(\.name))
        }
    }

    func claim(now: Date, until again: Date, limit: Int) async throws -> [WebhookDelivery] {
        withState { state in
            let due = state.deliveries.enumerated().compactMap { index, delivery in
                delivery.next.flatMap { $0 <= now ? (index: index, next: $0) : nil }
            }.sorted { ($0.next, $0.index) < ($1.next, $1.index) }.prefix(limit)
            return due.compactMap { index, _ in
                state.deliveries[index].next = again
                let delivery = state.deliveries[index]
                return state.webhooks.first { $0.webhook.id == delivery.webhook }.map {
                    WebhookDelivery(
                        id: delivery.id, url: $0.webhook.url, secret: $0.secret, body: delivery.body,
                        attempts: delivery.attempts)
                }
            }
        }
    }

    func settle(_ id: String, error: String?, next: Date?) async throws {
        withState { state in
            guard let index = state.deliveries.firstIndex(where: { $0.id == id }) else { return }
            guard let error else {
                state.deliveries.remove(at: index)
                return
            }
            state.deliveries[index].attempts += 1
            (state.deliveries[index].error, state.deliveries[index].next) = (String(error.prefix(500)), next)
        }
    }
}

extension MemoryRegistryStore.State {
    fileprivate mutating func log(
        _ action: String, _ subject: String, _ detail: String, _ actor: Identity, _ now: Date
    ) {
        audit.append(AuditEntry(time: now, actor: actor.name, action: action, subject: subject, detail: detail))
    }

    fileprivate mutating func deliver(
        _ event: WebhookEvent, to webhook: Webhook, _ id: String, _ app: String, _ now: Date
    ) {
        guard !deliveries.contains(where: { $0.id == id }) else { return }
        deliveries.append(
            KeptDelivery(
                id: id, webhook: webhook.id, kind: event.kind, created: event.time,
                body: event.body(webhook.format, id: id, app: app), next: now))
    }

    fileprivate func expiring(now: Date) throws -> [(name: String, event: WebhookEvent)] {
        func look<Body: RoleMetadata>(_ role: String, as body: Body.Type) throws -> (name: String, event: WebhookEvent)?
        {
            guard let version = newestVersion(role), let bytes = documents[role]?[version] else { return nil }
            let document = try SignedDocument<Body>(parsing: bytes, name: role).body
            let name = "\(role)-\(document.version)"
            guard !toldExpiries.contains(name) else { return nil }
            return WebhookEvent(role: role, expires: document.expires, now: now).map { (name, $0) }
        }
        return try [
            look(TopLevelRole.root.rawValue, as: RootMetadata.self),
            look(TopLevelRole.targets.rawValue, as: TargetsMetadata.self),
            look(ViewLayout.channelsRole, as: TargetsMetadata.self),
            look(TopLevelRole.snapshot.rawValue, as: SnapshotMetadata.self),
            look(TopLevelRole.timestamp.rawValue, as: TimestampMetadata.self),
        ].compactMap { $0 }
    }
}
