import Foundation
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI

/// The tokens of a registry inside one transaction. Only hashes are kept.
struct TokenTable {
    let db: Database

    /// - Throws: ``StaleFacts`` where a token to be revoked is revoked already.
    func apply(_ step: ChangeSet.TokenStep, now: Date) throws {
        switch step {
        case .create(let token):
            let record = token.record
            try db.execute(
                sql: "INSERT INTO token (id, name, hash, scope, created, expires) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [
                    record.id, record.name, token.hash.hex,
                    String(decoding: record.scope.json.canonicalBytes, as: UTF8.self), record.created, record.expires,
                ])
        case .revoke(let id):
            let count = try db.execute(
                sql: "UPDATE token SET revoked = ? WHERE id = ? AND revoked IS NULL", arguments: [now, id])
            guard count > 0 else { throw StaleFacts() }
        }
    }

    /// Newest first.
    func all() throws -> [RegistryFacts.Token] {
        try Row.fetchAll(db, sql: "SELECT * FROM token ORDER BY created DESC, id").map(Self.token)
    }

    func token(hash: Digest) throws -> RegistryFacts.Token? {
        try Row.fetchOne(db, sql: "SELECT * FROM token WHERE hash = ?", arguments: [hash.hex]).map(Self.token)
    }

    private static func token(_ row: Row) throws -> RegistryFacts.Token {
        try RegistryFacts.Token(
            record: TokenRecord(
                id: row.text("id"), name: row.text("name"),
                scope: row.parsed("scope") { try TokenScope(json: JSONValue(parsing: $0)) },
                created: row.date("created"), expires: row.optionalDate("expires"),
                revoked: row.optionalDate("revoked")),
            hash: row.parsed("hash") { try Digest(hex: $0) })
    }
}
