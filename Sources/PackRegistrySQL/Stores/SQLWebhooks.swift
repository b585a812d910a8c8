package import Foundation
import PackFormat
package import PackRegistry
package import PackRegistryAPI
import PackTrust

/// Webhooks and their deliveries, beside the rows of the registry.
package struct SQLWebhooks: WebhookStore, WebhookQueue {
    /// Entries of the audit log that one webhook gets at a time.
    private static let collectedAtOnce = 500
    /// Of dead letters, the newest are kept.
    private static let keptDeadCount = 1_000

    private let database: any RegistryDatabase
    private let app: String

    package init(database: any RegistryDatabase, app: String) {
        self.database = database
        self.app = app
    }

    // MARK: Administration

    package func add(_ webhook: Webhook, _ secret: WebhookSecret, by actor: Identity) async throws {
        try await write { db in
            guard try Int.fetchOne(db, sql: "SELECT count(*) FROM webhook") ?? 0 < Webhook.maximumCount else {
                throw RegistryError(
                    .tooLarge, "a registry has \(Webhook.maximumCount) webhooks at most: remove one first")
            }
            try Self.log(
                "webhook add", webhook.id,
                "\(URL(string: webhook.url)?.host() ?? "") \(webhook.format.rawValue) \(Self.text(webhook.kinds))",
                actor,
                webhook.created, db)
            // It hears of what comes after it.
            try db.execute(
                sql: """
                    INSERT INTO webhook (id, url, format, kinds, secret, created, createdBy, position)
                    VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(sequence), 0) FROM audit))
                    """,
                arguments: [
                    webhook.id, webhook.url, webhook.format.rawValue, Self.text(webhook.kinds), secret.text,
                    webhook.created, webhook.createdBy,
                ])
        }
    }

    package func all() async throws -> [Webhook] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT *, (SELECT count(*) FROM delivery WHERE delivery.webhook = webhook.id AND next IS NOT NULL) AS waiting,
                    (SELECT count(*) FROM delivery WHERE delivery.webhook = webhook.id AND next IS NULL) AS dead,
                    (SELECT error FROM delivery WHERE delivery.webhook = webhook.id AND error IS NOT NULL
                        ORDER BY created DESC, id DESC LIMIT 1) AS lastError
                    FROM webhook ORDER BY created, id
                    """
            ).map { row in
                var webhook = try Webhook(
                    id: row.text("id"), url: row.text("url"),
                    format: row.parsed("format") { text in
                        guard let format = Webhook.Format(rawValue: text) else { throw Row.damaged("format") }
                        return format
                    }, kinds: Self.kinds(row.text("kinds")), created: row.date("created"),
                    createdBy: row.text("createdBy"))
                webhook.waitingCount = try row.integer("waiting")
                webhook.deadCount = try row.integer("dead")
                webhook.lastError = try row.optionalText("lastError")
                return webhook
            }
        }
    }

    package func remove(_ id: String, by actor: Identity, now: Date) async throws -> Bool {
        try await write { db in
            guard try db.execute(sql: "DELETE FROM webhook WHERE id = ?", arguments: [id]) > 0 else { return false }
            try db.execute(sql: "DELETE FROM delivery WHERE webhook = ?", arguments: [id])
            try Self.log("webhook remove", id, "", actor, now, db)
            return true
        }
    }

    package func test(_ id: String, by actor: Identity, now: Date) async throws -> String? {
        try await write { [app] db in
            let row = try Row.fetchOne(db, sql: "SELECT format FROM webhook WHERE id = ?", arguments: [id])
            guard let format = try row?.text("format") else { return nil }
            let event = WebhookEvent(
                .test, time: now, actor: actor.name, subject: "the webhook \(id)", detail: "it works")
            let delivery = "\(id)-test-\(Int(now.timeIntervalSince1970 * 1000))"
            try Self.insert(event, Webhook.Format(rawValue: format) ?? .json, id, delivery, app, now, db)
            return delivery
        }
    }

    package func deadLetters() async throws -> [DeadLetter] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM delivery WHERE next IS NULL ORDER BY created DESC, id").map {
                row in
                try DeadLetter(
                    id: row.text("id"), webhook: row.text("webhook"),
                    kind: Webhook.Kind(rawValue: row.text("kind")) ?? .test, created: row.date("created"),
                    attempts: row.integer("attempts"), error: row.optionalText("error") ?? "")
            }
        }
    }

    package func revive(now: Date) async throws -> Int {
        try await write { db in
            try db.execute(sql: "UPDATE delivery SET next = ?, attempts = 0 WHERE next IS NULL", arguments: [now])
        }
    }

    // MARK: The queue

    package func collect(now: Date, looksAtSignatures: Bool) async throws {
        let hasNews = try await read { db in
            let newest = try Int.fetchOne(db, sql: "SELECT coalesce(max(sequence), 0) FROM audit") ?? 0
            let oldest = try Int.fetchOne(db, sql: "SELECT min(position) FROM webhook")
            return oldest.map { $0 < newest || looksAtSignatures } ?? false
        }
        guard hasNews else { return }
        try await write { [app] db in
            let expiring = looksAtSignatures ? try Self.expiring(db, now: now) : []
            for webhook in try Row.fetchAll(db, sql: "SELECT id, format, kinds, position FROM webhook") {
                let (id, kinds) = try (webhook.text("id"), Self.kinds(webhook.text("kinds")))
                let format = try Webhook.Format(rawValue: webhook.text("format")) ?? .json
                let rows = try Row.fetchAll(
                    db, sql: "SELECT * FROM audit WHERE sequence > ? ORDER BY sequence LIMIT ?",
                    arguments: [try webhook.integer("position"), Self.collectedAtOnce])
                for row in rows {
                    let entry = try AuditEntry(
                        time: row.date("time"), actor: row.text("actor"), action: row.text("action"),
                        subject: row.text("subject"), detail: row.text("detail"))
                    guard let event = WebhookEvent(entry), kinds.contains(event.kind) else { continue }
                    try Self.insert(event, format, id, "\(id)-\(try row.integer("sequence"))", app, now, db)
                }
                if let last = try rows.last?.integer("sequence") {
                    try db.execute(sql: "UPDATE webhook SET position = ? WHERE id = ?", arguments: [last, id])
                }
                guard kinds.contains(.expiry) else { continue }
                for (name, event) in expiring {
                    try Self.insert(event, format, id, "\(id)-expiry-\(name)", app, now, db)
                }
            }
            for (name, _) in expiring {
                try db.execute(sql: "INSERT INTO expiryNotice (name) VALUES (?)", arguments: [name])
            }
        }
    }

    /// Signatures that end soon and were not told yet, by role and version.
    private static func expiring(_ db: Database, now: Date) throws -> [(String, WebhookEvent)] {
        let metadata = MetadataTable(db: db)
        var found: [(String, WebhookEvent)] = []
        func look<Body: RoleMetadata>(_ role: String, as body: Body.Type) throws {
            guard let document = try metadata.newest(role, as: body)?.body,
                let event = WebhookEvent(role: role, expires: document.expires, now: now)
            else { return }
            let name = "\(role)-\(document.version)"
            let told = try Row.fetchOne(db, sql: "SELECT 1 FROM expiryNotice WHERE name = ?", arguments: [name])
            if told == nil { found.append((name, event)) }
        }
        try look(TopLevelRole.root.rawValue, as: RootMetadata.self)
        try look(TopLevelRole.targets.rawValue, as: TargetsMetadata.self)
        try look(ViewLayout.channelsRole, as: TargetsMetadata.self)
        try look(TopLevelRole.snapshot.rawValue, as: SnapshotMetadata.self)
        try look(TopLevelRole.timestamp.rawValue, as: TimestampMetadata.self)
        return found
    }

    package func claim(now: Date, until again: Date, limit: Int) async throws -> [WebhookDelivery] {
        let isDue = try await read { db in
            try Row.fetchOne(db, sql: "SELECT 1 FROM delivery WHERE next <= ? LIMIT 1", arguments: [now]) != nil
        }
        guard isDue else { return [] }
        return try await write { db in
            let due = try Row.fetchAll(
                db,
                sql: """
                    SELECT delivery.id, url, secret, body, attempts FROM delivery
                    JOIN webhook ON webhook.id = delivery.webhook
                    WHERE next <= ? ORDER BY next, delivery.\(db.dialect.rowNumber) LIMIT ?
                    """, arguments: [now, limit]
            ).map { row in
                try WebhookDelivery(
                    id: row.text("id"), url: row.text("url"), secret: row.parsed("secret") { try WebhookSecret($0) },
                    body: row.blob("body"), attempts: row.integer("attempts"))
            }
            for delivery in due {
                try db.execute(sql: "UPDATE delivery SET next = ? WHERE id = ?", arguments: [again, delivery.id])
            }
            return due
        }
    }

    package func settle(_ id: String, error: String?, next: Date?) async throws {
        try await write { db in
            guard let error else {
                try db.execute(sql: "DELETE FROM delivery WHERE id = ?", arguments: [id])
                return
            }
            try db.execute(
                sql: "UPDATE delivery SET attempts = attempts + 1, error = ?, next = ? WHERE id = ?",
                arguments: [String(error.prefix(500)), next, id])
            try db.execute(
                sql: """
                    DELETE FROM delivery WHERE next IS NULL AND \(db.dialect.rowNumber) NOT IN
                    (SELECT \(db.dialect.rowNumber) FROM delivery WHERE next IS NULL
                     ORDER BY \(db.dialect.rowNumber) DESC LIMIT ?)
                    """, arguments: [Self.keptDeadCount])
        }
    }

    // MARK: Rows

    private static func log(
        _ action: String, _ subject: String, _ detail: String, _ actor: Identity, _ now: Date, _ db: Database
    ) throws {
        var changes = ChangeSet(by: actor, at: now)
        changes.log(action, subject, detail)
        for line in changes.audit { try AuditTable(db: db).append(line, by: actor, now: now) }
    }

    private static func insert(
        _ event: WebhookEvent, _ format: Webhook.Format, _ webhook: String, _ id: String, _ app: String, _ now: Date,
        _ db: Database
    ) throws {
        try db.execute(
            sql: """
                INSERT INTO delivery (id, webhook, kind, body, created, attempts, next) VALUES (?, ?, ?, ?, ?, 0, ?)
                ON CONFLICT DO NOTHING
                """,
            arguments: [
                id, webhook, event.kind.rawValue, event.body(format, id: id, app: app), event.time, now,
            ])
    }

    private static func text(_ kinds: Set<Webhook.Kind>) -> String {
        kinds.map(\.rawValue).sorted().joined(separator: " ")
    }

    /// A kind that a newer program wrote is none.
    private static func kinds(_ text: String) -> Set<Webhook.Kind> {
        Set(text.split(separator: " ").compactMap { Webhook.Kind(rawValue: String($0)) })
    }

    private func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await database.reading(body)
    }

    @discardableResult
    private func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await database.writing(body)
    }
}
