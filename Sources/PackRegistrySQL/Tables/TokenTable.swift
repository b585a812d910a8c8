import Foundation
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI

/// The tokens of a registry inside one transaction. Only hashes are kept.
struct TokenTable {
    let db: Database

    /// - Throws: ``StaleFacts`` where a token to be revoked is revoked already, one to be made is there, or its trust is revoked.
    func apply(_ step: ChangeSet.TokenStep, now: Date) throws {
        switch step {
        case .create(let token):
            try create(token)
        case .revoke(let id):
            let count = try db.execute(
                sql: "UPDATE token SET revoked = ? WHERE id = ? AND revoked IS NULL", arguments: [now, id])
            guard count > 0 else { throw StaleFacts() }
        case .forget(let id):
            try db.execute(sql: "DELETE FROM token WHERE id = ? AND parent IS NOT NULL", arguments: [id])
        }
    }

    private func create(_ token: RegistryFacts.Token) throws {
        let record = token.record
        guard try Row.fetchOne(db, sql: "SELECT id FROM token WHERE id = ?", arguments: [record.id]) == nil else {
            throw StaleFacts()
        }
        if let parent = record.parent {
            let trust = try Row.fetchOne(
                db, sql: "SELECT id FROM token WHERE id = ? AND revoked IS NULL", arguments: [parent])
            guard trust != nil else { throw StaleFacts() }
        }
        try db.execute(
            sql: """
                INSERT INTO token (id, name, hash, scope, created, expires, trust, parent) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                record.id, record.name, token.hash.hex, Self.text(record.scope.json), record.created, record.expires,
                record.trust.map { Self.text(.object($0.json)) }, record.parent,
            ])
    }

    private static func text(_ json: JSONValue) -> String { String(decoding: json.canonicalBytes, as: UTF8.self) }

    /// Newest first.
    func all() throws -> [RegistryFacts.Token] {
        try Row.fetchAll(db, sql: "SELECT * FROM token ORDER BY created DESC, id").map(Self.token)
    }

    func trusts() throws -> [RegistryFacts.Token] {
        try Row.fetchAll(db, sql: "SELECT * FROM token WHERE trust IS NOT NULL ORDER BY created DESC, id").map(
            Self.token)
    }

    /// The token, and the trust that it was made of.
    func tokens(hash: Digest) throws -> [RegistryFacts.Token] {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM token WHERE hash = ?", arguments: [hash.hex]) else {
            return []
        }
        let token = try Self.token(row)
        guard let parent = token.record.parent else { return [token] }
        let trust = try Row.fetchOne(db, sql: "SELECT * FROM token WHERE id = ?", arguments: [parent])
        return try [token] + (trust.map { try [Self.token($0)] } ?? [])
    }

    private static func token(_ row: Row) throws -> RegistryFacts.Token {
        try RegistryFacts.Token(
            record: TokenRecord(
                id: row.text("id"), name: row.text("name"),
                scope: row.parsed("scope") { try TokenScope(json: JSONValue(parsing: $0)) },
                created: row.date("created"), expires: row.optionalDate("expires"),
                revoked: row.optionalDate("revoked"),
                trust: row.optionalText("trust").map { _ in
                    try row.parsed("trust") { try TokenTrust(json: JSONValue(parsing: $0).object("trust")) }
                },
                parent: row.optionalText("parent")),
            hash: row.parsed("hash") { try Digest(hex: $0) })
    }
}
