import Foundation
import GRDB
import PackFormat
import PackJSON
import PackRegistryAPI

/// The tokens of a registry inside one transaction. Only hashes are kept.
struct TokenTable {
    let db: Database

    func create(_ request: TokenRequest, now: Date) throws -> CreatedToken {
        guard !request.name.isEmpty, request.name.utf8.count <= 100,
            request.name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            throw RegistryError(.invalid, "a token needs a name of 1 to 100 bytes without control characters")
        }
        guard !request.name.hasPrefix("local:") else {
            throw RegistryError(.invalid, "in the log, local: stands before people who open the registry in place")
        }
        guard !request.scope.actions.isEmpty else {
            throw RegistryError(
                .invalid, "a token without an action is good for nothing: give publish, release or admin")
        }
        if request.scope.actions.contains(.admin), request.scope.packages != nil || request.scope.channels != nil {
            throw RegistryError(.invalid, "the admin right cannot be limited to packages or channels")
        }
        if let expires = request.expires, expires <= now {
            throw RegistryError(.invalid, "the token would have expired already")
        }
        var generator = SystemRandomNumberGenerator()
        let secret = TokenSecret(generator: &generator)
        let id = String(secret.hash.hex.prefix(12))
        try db.execute(
            sql: "INSERT INTO token (id, name, hash, scope, created, expires) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                id, request.name, secret.hash.hex, String(decoding: request.scope.json.canonicalBytes, as: UTF8.self),
                now, request.expires,
            ])
        return CreatedToken(
            record: TokenRecord(
                id: id, name: request.name, scope: request.scope, created: now, expires: request.expires, revoked: nil),
            secret: secret.text)
    }

    /// Newest first.
    func all() throws -> [TokenRecord] {
        try Row.fetchAll(db, sql: "SELECT * FROM token ORDER BY created DESC, id").map(Self.record)
    }

    /// False where there is no such token, or it was revoked before.
    func revoke(id: String, now: Date) throws -> Bool {
        try db.execute(
            sql: "UPDATE token SET revoked = ? WHERE id = ? AND revoked IS NULL", arguments: [now, id])
        return db.changesCount > 0
    }

    /// - Throws: ``RegistryError`` of the kind `.unauthorized` for a text that is no token of any registry.
    static func parse(_ text: String) throws -> TokenSecret {
        guard let secret = TokenSecret(parsing: text) else {
            throw RegistryError(.unauthorized, "the access token is not complete: copy it whole, it starts with ptk_")
        }
        return secret
    }

    func identity(of secret: TokenSecret, now: Date) throws -> Identity {
        let hash = secret.hash
        let row = try Row.fetchOne(db, sql: "SELECT * FROM token WHERE hash = ?", arguments: [hash.hex])
        guard let row, TokenSecret.isEqual(try row.parsed("hash") { try Digest(hex: $0) }, hash) else {
            throw RegistryError(.unauthorized, "the access token is not known to this registry")
        }
        let record = try Self.record(row)
        if record.revoked != nil {
            throw RegistryError(.unauthorized, "the access token \"\(record.name)\" was revoked")
        }
        if let expires = record.expires, expires <= now {
            throw RegistryError(
                .unauthorized, "the access token \"\(record.name)\" expired on \(expires.formatted(.iso8601))")
        }
        // Names may repeat, and the log is to say which token it was.
        return Identity(name: "\(record.name) (\(record.id))", scope: record.scope)
    }

    private static func record(_ row: Row) throws -> TokenRecord {
        try TokenRecord(
            id: row.text("id"), name: row.text("name"),
            scope: row.parsed("scope") { try TokenScope(json: JSONValue(parsing: $0)) },
            created: row.date("created"), expires: row.optionalDate("expires"), revoked: row.optionalDate("revoked"))
    }
}
